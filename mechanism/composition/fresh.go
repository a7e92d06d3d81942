package composition

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Cells is how many products of numbers, each counted by its words, Fresh may
// form before it answers with a bound: seconds.
const Cells = 8_000_000

// An Account is the largest factor that any outputs can have together.
type Account struct {
	Factor *big.Rat
	Bound  bool // it may be less: the outputs were too many to try all
}

// Fresh is the account of independent draws of one letter, one from each law:
// releases without memory, or rows of one person that are equal. All laws have
// the letters of p. Outputs of equal laws are tried in one order only, and
// histories that leave the same likelihood, up to a factor, once. Beyond Cells
// products it answers the closed bound
//
//	min(1/P_min, PML of one + LDP of the others),
//
// the one chosen for the least. No laws have factor 1.
func Fresh(p mechanism.Prior, laws []*mechanism.Mechanism) Account {
	f, limit := newFan(p), ceiling(p)
	laws = grouped(laws)
	for i, m := range laws {
		// A factor that is reached stays within reach: further outputs can
		// only add to what the best guess gains from these.
		if !f.largest(m) {
			return Account{bound(p, laws), true}
		}
		if f.most.Cmp(limit) == 0 {
			break
		}
		if i < len(laws)-1 && !f.multiply(m, false) {
			return Account{bound(p, laws), true}
		}
	}
	return Account{f.most, false}
}

// grouped puts equal laws next to each other.
func grouped(laws []*mechanism.Mechanism) []*mechanism.Mechanism {
	first := map[*mechanism.Mechanism]int{}
	for i, m := range laws {
		if _, ok := first[m]; !ok {
			first[m] = i
		}
	}
	laws = slices.Clone(laws)
	slices.SortStableFunc(laws, func(a, b *mechanism.Mechanism) int { return first[a] - first[b] })
	return laws
}

// bound is min(1/P_min, PML_i prod of LDP_j, j != i) over i, as factors. Equal
// laws are next to each other.
func bound(p mechanism.Prior, laws []*mechanism.Mechanism) *big.Rat {
	least := ceiling(p)
	local := make([]*big.Rat, len(laws))
	for i, m := range laws {
		if i > 0 && m == laws[i-1] {
			local[i] = local[i-1]
		} else {
			local[i] = spread(p, m)
		}
	}
	for i, m := range laws {
		if i > 0 && m == laws[i-1] {
			continue
		}
		_, f := m.Leakage(p).Max()
		f = new(big.Rat).Set(f)
		for j, d := range local {
			if f == nil || f.Cmp(least) >= 0 {
				break // every LDP is at least 1
			}
			if i == j {
				continue
			}
			if d == nil {
				f = nil
			} else {
				f.Mul(f, d)
			}
		}
		if f != nil && f.Cmp(least) < 0 {
			least = f
		}
	}
	return least
}

// spread is e^LDP over letters with records: the largest ratio of two of them
// in one column; nil where one is 0 and the other is not.
func spread(p mechanism.Prior, m *mechanism.Mechanism) *big.Rat {
	type ends struct {
		least, most *big.Rat
		givers      int
	}
	column, letters := make([]ends, m.Outputs()), 0
	for x := range m.Inputs() {
		if p.Count(x) == 0 {
			continue
		}
		letters++
		r := m.Row(x)
		for i, y := range r.Output {
			v, e := big.NewRat(r.At(i), r.Total), &column[y]
			if e.least == nil || v.Cmp(e.least) < 0 {
				e.least = v
			}
			if e.most == nil || v.Cmp(e.most) > 0 {
				e.most = v
			}
			e.givers++
		}
	}
	worst := big.NewRat(1, 1)
	for _, e := range column {
		if e.givers == 0 {
			continue
		}
		if e.givers < letters {
			return nil
		}
		if f := new(big.Rat).Quo(e.most, e.least); f.Cmp(worst) > 0 {
			worst = f
		}
	}
	return worst
}
