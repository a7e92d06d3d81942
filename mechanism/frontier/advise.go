package frontier

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Advice says why a floor costs what it costs, and what would help.
type Advice struct {
	Floor mechanism.Floor

	// The least factor of any mechanism at Floor lies in Lower..Upper. At
	// factor 1 nothing binds, and Letter is -1.
	Lower, Upper *big.Rat

	// Letter carries the largest share of the weights that prove Lower;
	// Carriers letters have nine tenths of them together.
	Letter   int
	Share    float64
	Carriers int

	// Deciders are the letters of which each alone proves Lower: whatever
	// replaces one, no more records may become the same.
	Deciders []int

	// Merge is the best of the Tried mergers. It may be no better than Lower;
	// nil where there is nothing to merge. Whole says that no merger of a letter
	// into one of no fewer records that was left out would help.
	Merge *Merger
	Tried int
	Whole bool
}

// A Merger counts the records of Letter as Into and gives them its row, with
// the outputs unchanged. The least factor is then in Lower..Upper.
type Merger struct {
	Letter, Into int
	Lower, Upper *big.Rat
}

// Helps reports whether the merger costs less than a floor that needs at
// least the factor lower, by more than a solver's last digits.
func (m *Merger) Helps(lower *big.Rat) bool { return cheaper(m.Upper, lower) }

func cheaper(a, b *big.Rat) bool {
	r, _ := new(big.Rat).Quo(a, b).Float64()
	return r < 1-1e-6
}

// Advise looks for what binds the least factor at floor f: a search for the
// floor and some for merged letters. It takes its time from ctx, and fails with
// *NoOutputError.
func Advise(ctx context.Context, p mechanism.Prior, o mechanism.Order, f mechanism.Floor, opt optimum.LeastOptions,
	also ...mechanism.Prior) (Advice, error) {
	s := mechanism.SupportOf(o, f)
	_, c, err := optimum.Least(ctx, p, s, opt, also...)
	if err != nil {
		return Advice{}, err
	}
	return adviseFrom(ctx, p, also, o, s, f, c, opt)
}

// Advise is the function of that name for point i, whose bracket is known: it
// saves the first search.
func (c *Curves) Advise(ctx context.Context, p mechanism.Prior, o mechanism.Order, i int, opt optimum.LeastOptions,
	also ...mechanism.Prior) (Advice, error) {
	q := &c.Points[i]
	return adviseFrom(ctx, p, also, o, mechanism.SupportOf(o, q.Floor), q.Floor, optimum.Certificate{Weight: q.Weight,
		Lower: q.Lower, Upper: q.Upper}, opt)
}

func adviseFrom(ctx context.Context, p mechanism.Prior, also []mechanism.Prior, o mechanism.Order, s *mechanism.Support,
	f mechanism.Floor, c optimum.Certificate, opt optimum.LeastOptions) (Advice, error) {
	a := Advice{Floor: f, Lower: c.Lower, Upper: c.Upper, Letter: -1}
	if c.Weight == nil || c.Lower.Cmp(one) == 0 {
		return a, nil
	}
	if len(also) > 0 && c.Verify(p, s) != nil {
		return a, nil // no letters of one prior decide what several demand
	}
	heaviest, share := carriers(c.Weight)
	a.Letter, a.Share, a.Carriers = heaviest[0], share, len(heaviest)
	a.Deciders = deciders(p, s, c.Lower)
	opt.Near = nil
	pairs, whole := mergers(p, o, s, c.Lower, heaviest)
	a.Whole = whole
	for i, m := range pairs {
		if i > 0 && ctx.Err() != nil {
			a.Whole = false
			break
		}
		// A letter without records binds nothing, so that moving the records
		// is all that merging takes.
		opt.Weight = slices.Clone(c.Weight)
		opt.Weight[m.Into] += opt.Weight[m.Letter]
		opt.Weight[m.Letter] = 0
		var q []mechanism.Prior
		for _, r := range append([]mechanism.Prior{p}, also...) {
			q = append(q, moved(r, m))
		}
		// Of a merger that is no better than the best so far, or than none, no more is told.
		first := opt
		if a.Merge != nil {
			if first.Decide = c.Lower; cheaper(a.Merge.Upper, c.Lower) {
				first.Decide = a.Merge.Upper
			}
		}
		near, found, err := optimum.Least(ctx, q[0], s, first, q[1:]...)
		if d := first.Decide; err == nil && d != nil && found.Upper.Cmp(d) <= 0 {
			opt.Weight, opt.Near = found.Weight, near
			_, found, err = optimum.Least(ctx, q[0], s, opt, q[1:]...)
			opt.Near = nil
		}
		if err != nil {
			return a, err
		}
		m.Lower, m.Upper = found.Lower, found.Upper
		a.Tried++
		a.Whole = a.Whole && (m.Helps(c.Lower) || !cheaper(m.Lower, c.Lower))
		if a.Merge == nil || cheaper(m.Upper, a.Merge.Upper) {
			a.Merge = &m
		}
	}
	return a, nil
}

// carriers are the letters of largest weight that have nine tenths of all
// weight together, the heaviest first, and its share.
func carriers(weight []int64) (letters []int, share float64) {
	sum := 0.0
	for x, w := range weight {
		if sum += float64(w); w > 0 {
			letters = append(letters, x)
		}
	}
	slices.SortStableFunc(letters, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	n := 0
	for open := .9 * sum; open > 0; n++ {
		open -= float64(weight[letters[n]])
	}
	return letters[:n], float64(weight[letters[0]]) / sum
}
