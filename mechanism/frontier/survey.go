package frontier

import (
	"context"
	"math/big"
	"slices"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A survey searches the candidate floors, the worst first.
type survey struct {
	*Floors
	opt     Options
	spot    []spot
	stopped bool
	ended   atomic.Int64 // searches
	failed  atomic.Pointer[error]
}

// A spot is the state of one floor.
type spot struct {
	CurvePoint
	safe  *Candidate           // the cheapest of this floor and the better ones
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
	for _, level := range coarse(len(s.spot)) {
		var floors []besides
		for _, i := range level {
			floors = append(floors, s.besides(i))
		}
		s.each(ctx, len(floors), func(k int) { s.least(ctx, floors[k]) })
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
	interior.Parallel(s.opt.Workers, n, func(k int) {
		if ctx.Err() != nil {
			return
		}
		if work(k); s.opt.Progress != nil {
			s.opt.Progress(s.ended.Add(1), int64(2*len(s.spot)))
		}
	})
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
	opt := optimum.Options{Gap: frontierGap, Bytes: s.opt.Bytes / int64(s.opt.Workers)}
	if f.worse >= 0 {
		w := &s.spot[f.worse]
		if f.better >= 0 && nearly(s.spot[f.better].Upper, w.Lower) {
			k.Lower, k.Weight, k.Upper = w.Lower, w.Weight, s.spot[f.better].Upper
			return
		}
		opt.Weight = w.Weight
	}
	m, c, err := optimum.Least(ctx, s.prior, s.Support(k.Floor), opt, s.also...)
	if err != nil {
		s.failed.Store(&err)
		return
	}
	k.Lower, k.Weight, k.Upper, k.draft = c.Lower, c.Weight, c.Upper, m
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
		g := optimum.Problem{Prior: s.prior, Also: s.also, Support: s.Support(k.Floor)}
		m, _, err := optimum.Largest(ctx, g, t, nil, s.opt.Weights,
			optimum.Options{Near: k.draft, Bytes: s.opt.Bytes / int64(s.opt.Workers)})
		if err != nil {
			s.failed.Store(&err)
			return
		}
		k.Optimal, k.rich, k.draft = s.measure(m, k.Floor), true, nil
	})
}

// scarceCells is how many cells the bound of scarce outputs may look at, all
// floors together: about half a second.
const scarceCells = 1 << 28

// safe fills in the floors and the utility-safe curve, which needs no search. A floor is
// served by the cheapest of it and the better ones: of all where they are ranks, of those
// listed where they are values, of which there may be N M.
func (s *survey) safe() {
	if s.levels != nil {
		s.safeByLevel()
		return
	}
	d, n := s.Floors, len(s.floor)
	listed := spaced(n, s.floors(valueFloors))
	if !s.ByValue() {
		listed = spaced(n, s.floors(n))
		for i, k := range listed {
			listed[i] = n - 1 - k
		}
		slices.Reverse(listed)
	}
	var best *Candidate
	scarce := 0
	d.walk(1, func(w *landing) bool {
		now := w.step == listed[0]
		if s.ByValue() && !now {
			return true
		}
		_, factor := d.factorAt(w)
		cheaper := best == nil || factor.Cmp(best.Factor) < 0
		if cheaper {
			best = s.candidate(w, factor)
		}
		if !now {
			return true
		}
		k := spot{CurvePoint: CurvePoint{Floor: d.floor[w.step], Least: w.low, Most: w.high, WorstValue: d.worst[w.step],
			Here: factor}, safe: best}
		if scarce < scarceCells {
			k.scarceLetter, k.scarce = d.scarcest(w)
			scarce += len(w.take) * w.high
		}
		s.spot = append(s.spot, k)
		listed = listed[1:]
		return len(listed) > 0
	})
	if s.stop.err() != nil {
		return
	}
	slices.Reverse(s.spot)
	for i := range s.spot {
		k := &s.spot[i]
		if k.safe.Shift == nil && s.counts() {
			m, err := mechanism.Uniform(s.Support(k.safe.At), k.safe.At)
			if err != nil {
				s.failed.Store(&err)
				return
			}
			s.count(k.safe, m)
		}
		k.Safe = *k.safe
	}
}

// candidate is the utility-safe mechanism of a step, but for its shift.
func (s *survey) candidate(w *landing, factor *big.Rat) *Candidate {
	d := s.Floors
	if s.ByValue() {
		c := s.measure(d.uniform(w.take), d.floor[w.step])
		return &c
	}
	c := &Candidate{At: d.floor[w.step], Factor: factor, WorstRank: d.outputs - w.high + 1, WorstValue: d.worst[w.step],
		ExpectedUtility: d.mean[w.step]}
	if w.low < w.high {
		m := d.uniform(w.take)
		c.Information = m.MutualInformation(d.prior)
		_, c.Guess = m.BayesVulnerability(d.prior)
	} else {
		c.Information, c.Guess = d.disclosure(w)
	}
	s.tell(c, func(x int) []uint16 { return d.best[x][:w.take[x]] })
	return c
}

// floors is how many floors are looked at, of so many unless told otherwise.
func (s *survey) floors(all int) int {
	if s.opt.Floors > 0 {
		return max(2, s.opt.Floors)
	}
	return all
}

// single reports whether several letters have records and every output that one
// of them gives is given by it alone: the output is the input, up to names. row
// are the outputs of a letter.
func (d *Floors) single(records mechanism.Prior, row func(x int) []uint16) bool {
	letters, given := 0, make([]bool, d.order.Outputs())
	for x := range d.order.Inputs() {
		if records.Count(x) == 0 {
			continue
		}
		letters++
		for _, y := range row(x) { // two letters of one output come up within as many cells as there are outputs
			if given[y] {
				return false
			}
			given[y] = true
		}
	}
	return letters > 1
}

// tell fills in what a candidate tells at the extremes.
func (s *survey) tell(c *Candidate, row func(x int) []uint16) {
	records := s.records()
	c.Single = s.single(records, row)
	c.Nothing = records.Total() > 0 && c.Factor.Cmp(one) == 0
}

// records are the counts of the file.
func (s *survey) records() mechanism.Prior {
	if s.opt.Records != nil {
		return *s.opt.Records
	}
	return s.prior
}

// counts reports whether it is known how far counts of outputs are off.
func (s *survey) counts() bool {
	return s.opt.Stands != nil && s.records().Total() > 0 && (s.levels != nil || optimum.Fits(s.order.Inputs(),
		s.order.Outputs()))
}

// count fills in how far a count of the output of m is off.
func (s *survey) count(c *Candidate, m *mechanism.Mechanism) {
	if s.counts() {
		c.Shift = m.Shares(s.records(), s.opt.Stands).Shift
	}
}

// settle makes the curves of what was searched: a candidate of a better floor
// serves where it is no dearer, and a lower bound holds for all better floors.
func (s *survey) settle() {
	var next *spot
	for i := len(s.spot) - 1; i >= 0; i-- {
		k := &s.spot[i]
		s.settleOptimal(k, next)
		next = k
	}
	last := &CurvePoint{Lower: big.NewRat(1, 1)}
	for i := range s.spot {
		s.settleScarce(&s.spot[i])
		k := &s.spot[i].CurvePoint
		if k.Lower == nil || last.Lower.Cmp(k.Lower) > 0 {
			k.Lower, k.Weight = last.Lower, last.Weight
		}
		last = k
	}
}

// settleOptimal takes another mechanism only where it is cheaper by more than
// the width of a closed bracket: among equals the one found here is the most
// useful, or else that of the better floor.
func (s *survey) settleOptimal(k, next *spot) {
	if next != nil && (k.Upper == nil || nearly(next.Upper, k.Upper)) {
		k.take(next.Optimal, next.Upper)
		k.draft = nil
	}
	if c := k.Safe; k.Upper == nil || !nearly(k.Upper, c.Factor) {
		k.take(c, c.Factor)
		k.draft = nil
	}
	if k.draft != nil {
		k.Optimal, k.draft = s.measure(k.draft, k.Floor), nil
	}
}

// settleScarce uses the bound that needs no search: the letter whose outputs
// are all scarce must give one of them.
func (s *survey) settleScarce(k *spot) {
	if k.scarce == 0 {
		return
	}
	if f := big.NewRat(s.prior.Total(), k.scarce); k.Lower == nil || f.Cmp(k.Lower) > 0 {
		k.Lower, k.Weight = f, make([]int64, s.order.Inputs())
		k.Weight[k.scarceLetter] = 1
	}
}

// take replaces Optimal by a candidate of factor upper, and lowers Upper.
func (k *spot) take(c Candidate, upper *big.Rat) {
	k.Optimal = c
	if k.Upper == nil || upper.Cmp(k.Upper) < 0 {
		k.Upper = upper
	}
}
