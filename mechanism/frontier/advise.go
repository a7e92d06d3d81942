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
	// nil where there is nothing to merge.
	Merge *Merger
	Tried int
}

// A Merger counts the records of Letter as Into and gives them its row, with
// the outputs unchanged. The least factor is then in Lower..Upper.
type Merger struct {
	Letter, Into int
	Lower, Upper *big.Rat
}

// Helps reports whether the merger costs less than a floor that needs at
// least the factor lower, by more than a solver's last digits.
func (m *Merger) Helps(lower *big.Rat) bool { return Cheaper(m.Upper, lower) }

// Cheaper reports whether a is below b by more than a solver's last digits.
func Cheaper(a, b *big.Rat) bool {
	r, _ := new(big.Rat).Quo(a, b).Float64()
	return r < 1-1e-6
}

// Advise looks for what binds the least factor at floor f: a search for the floor, unless its bracket
// is known, and some for merged letters. It takes its time from ctx, and fails with
// *NoOutputError.
func Advise(ctx context.Context, p mechanism.Prior, o mechanism.Order, f mechanism.Floor, known *optimum.Certificate,
	opt optimum.Options, also ...mechanism.Prior) (Advice, error) {
	s := mechanism.SupportOf(o, f)
	if known == nil {
		_, c, err := optimum.Least(ctx, p, s, opt, also...)
		if err != nil {
			return Advice{}, err
		}
		known = &c
	}
	a := Advice{Floor: f, Lower: known.Lower, Upper: known.Upper, Letter: -1}
	if known.Weight == nil || known.Lower.Cmp(one) == 0 {
		return a, nil
	}
	if len(also) > 0 && known.Verify(p, s) != nil {
		return a, nil // no letters of one prior decide what several demand
	}
	heaviest, share := carriers(known.Weight)
	a.Letter, a.Share, a.Carriers = heaviest[0], share, len(heaviest)
	a.Deciders = deciders(p, s, known.Lower)
	for i, m := range mergers(p, o, heaviest) {
		if i > 0 && ctx.Err() != nil {
			break
		}
		// A letter without records binds nothing, so that moving the records
		// is all that merging takes.
		opt.Weight = slices.Clone(known.Weight)
		opt.Weight[m.Into] += opt.Weight[m.Letter]
		opt.Weight[m.Letter] = 0
		var q []mechanism.Prior
		for _, r := range append([]mechanism.Prior{p}, also...) {
			q = append(q, moved(r, m))
		}
		_, found, err := optimum.Least(ctx, q[0], s, opt, q[1:]...)
		if err != nil {
			return a, err
		}
		m.Lower, m.Upper = found.Lower, found.Upper
		if a.Tried++; a.Merge == nil || Cheaper(m.Upper, a.Merge.Upper) {
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
