package frontier

import (
	"context"
	"errors"
	"math/big"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/mechanism/several"
)

// A survey searches the candidate floors, the worst first.
type survey struct {
	*Floors
	opt     Options
	spot    []spot
	even    bool // no output is forbidden: the utility-safe mechanism is flat
	stopped bool
	ended   atomic.Int64 // searches
	failed  atomic.Pointer[error]
}

// A spot is the state of one floor.
type spot struct {
	CurvePoint
	done  bool                 // Lower and Upper are known
	draft *mechanism.Mechanism // of factor Upper, until measured
	rich  bool                 // Optimal is the mechanism of largest utility

	scarceLetter int   // proves Lower n/scarce
	scarce       int64 // 0 where not looked at
}

// besides are the nearest floors on either side that earlier levels searched;
// -1 where there is none.
type besides struct{ at, worse, better int }

// search goes level by level. What a floor learns from others comes from
// earlier levels alone, so that nothing depends on which worker is first. The
// second stage runs once for the coarse floors, and at the end for the rest.
func (s *survey) search(ctx context.Context) error {
	known, coarsely := 0, false
	for _, level := range coarse(len(s.spot), s.values == nil && s.opt.Floors == 0) {
		var floors []besides
		for _, i := range level {
			floors = append(floors, s.besides(i))
		}
		s.each(ctx, len(floors)*2, func(k int) {
			if f := floors[k/2]; k%2 == 0 {
				s.least(ctx, f)
			} else {
				s.flat(ctx, f)
			}
		})
		for _, i := range level {
			s.spot[i].done = s.spot[i].Upper != nil
		}
		if known += len(level); !coarsely && known >= coarseFloors {
			coarsely = true
			s.enrich(ctx)
		}
	}
	s.enrich(ctx)
	if err := s.failed.Load(); err != nil {
		return *err
	}
	for i := range s.spot {
		s.stopped = s.stopped || !s.spot[i].done
	}
	s.stopped = s.stopped || ctx.Err() != nil
	return nil
}

// each calls work with 0..n-1, on several workers, until ctx ends.
func (s *survey) each(ctx context.Context, n int, work func(k int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, s.opt.Workers) {
		wait.Go(func() {
			for ctx.Err() == nil {
				k := int(next.Add(1)) - 1
				if k >= n {
					return
				}
				work(k)
				if s.opt.Progress != nil {
					s.opt.Progress(s.ended.Add(1), int64(3*len(s.spot)))
				}
			}
		})
	}
	wait.Wait()
}

func (s *survey) besides(at int) besides {
	b := besides{at, at - 1, at + 1}
	for b.worse >= 0 && !s.spot[b.worse].done {
		b.worse--
	}
	for b.better < len(s.spot) && !s.spot[b.better].done {
		b.better++
	}
	if b.better == len(s.spot) {
		b.better = -1
	}
	return b
}

// least brackets the least factor, without a search where the floors on both
// sides agree.
func (s *survey) least(ctx context.Context, f besides) {
	k := &s.spot[f.at]
	opt := optimum.LeastOptions{Gap: frontierGap, Bytes: s.opt.Bytes / int64(s.opt.Workers)}
	if f.worse >= 0 {
		w := &s.spot[f.worse]
		if f.better >= 0 && nearly(s.spot[f.better].Upper, w.Lower) {
			k.Lower, k.Weight, k.Upper = w.Lower, w.Weight, s.spot[f.better].Upper
			return
		}
		opt.Weight = w.Weight
	}
	m, c, err := several.Least(ctx, s.prior, s.also, s.Support(k.Floor), opt)
	if err != nil {
		s.failed.Store(&err)
		return
	}
	k.Lower, k.Weight, k.Upper, k.draft = c.Lower, c.First.Weight, c.Upper, m
}

// flat finds the pruned flat mechanism of this floor's support, unless no
// mechanism there can be cheaper than a flat one of a better floor.
func (s *survey) flat(ctx context.Context, f besides) {
	k := &s.spot[f.at]
	l, err := optimum.NewFlatSearch(s.prior, s.Support(k.Floor), s.also...)
	if err != nil {
		s.failed.Store(&err)
		return
	}
	lower := l.Bound()
	if f.worse >= 0 && s.spot[f.worse].Lower.Cmp(lower) > 0 {
		lower = s.spot[f.worse].Lower
	}
	if f.better >= 0 {
		k.Flat = s.spot[f.better].Flat
	}
	if s.even && (k.Flat.Factor == nil || k.Safe.Factor.Cmp(k.Flat.Factor) < 0) {
		k.Flat = k.Safe
	}
	if k.Flat.Factor != nil {
		if nearly(k.Flat.Factor, lower) {
			return
		}
		l.Below(k.Flat.Factor)
	}
	l.Above(lower)
	m, err := l.Least(ctx)
	switch {
	case err == nil:
		k.Flat = s.measure(m, k.Floor)
	case !errors.Is(err, optimum.ErrNoFlat) && ctx.Err() == nil:
		s.failed.Store(&err)
	}
}

// enrich runs the second stage at the searched floors that no better one
// makes superfluous, from the best down: these cost least.
func (s *survey) enrich(ctx context.Context) {
	var floors []int
	for i := len(s.spot) - 1; i >= 0; i-- {
		k := &s.spot[i]
		if k.draft == nil || k.rich {
			continue
		}
		if b := s.besides(i).better; b < 0 || !nearly(s.spot[b].Upper, k.Upper) {
			floors = append(floors, i)
		}
	}
	s.each(ctx, len(floors), func(i int) {
		k := &s.spot[floors[i]]
		t := new(big.Rat).Mul(k.Upper, big.NewRat(10001, 10000))
		m, _, err := several.Largest(ctx, s.prior, s.also, s.Support(k.Floor), t, s.opt.Weights,
			optimum.LargestOptions{Near: k.draft, Bytes: s.opt.Bytes / int64(s.opt.Workers)})
		if err != nil {
			s.failed.Store(&err)
			return
		}
		k.Optimal, k.rich, k.draft = s.measure(m, k.Floor), true, nil
	})
}
