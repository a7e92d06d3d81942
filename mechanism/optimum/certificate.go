package optimum

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Certificate brackets the least factor e^eps of a support under a prior.
// Lower is proven by Weight alone, in integers:
//
// Write a mechanism as columns p_xy = q_y v_xy with sum_x P_x v_xy = 1. Factor
// T means 0 <= v_xy <= T, and so T P(S_y) >= 1 for every output y that occurs.
// Rows that sum to 1 give sum_y q_y sum_x W_x v_xy = sum_x W_x for any W, hence
// for some occurring y the largest sum_x W_x v_x over such v is at least
// sum_x W_x. Where it is below for every y with T P(S_y) >= 1, no mechanism
// has factor T [cf. Grosse, Saeidian, Oechtering, the PML polytope].
type Certificate struct {
	Weight []int64  // W_x >= 0 by letter, 0 where the letter has no records, sum at most 2^62; nil proves 1
	Lower  *big.Rat // no mechanism with this support has a smaller factor
	Upper  *big.Rat // the factor of the mechanism that came with it
}

// Verify recomputes in exact arithmetic what Weight proves and fails when
// that is below Lower. Upper is not looked at: it is the leakage of a
// mechanism, which Mechanism.Leakage recomputes.
func (c Certificate) Verify(p mechanism.Prior, s *mechanism.Support) error {
	if c.Lower == nil {
		return fmt.Errorf("certificate: no lower bound")
	}
	if p.Letters() != s.Inputs() {
		return fmt.Errorf("certificate: prior of %d letters and support of %d", p.Letters(), s.Inputs())
	}
	proven := big.NewRat(1, 1)
	if c.Weight != nil {
		if len(c.Weight) != p.Letters() {
			return fmt.Errorf("certificate: %d weights for %d letters", len(c.Weight), p.Letters())
		}
		sum := int64(0)
		for x, w := range c.Weight {
			if w < 0 || w > math.MaxInt64/2+1-sum {
				return fmt.Errorf("certificate: weight of letter %d is negative, or the sum exceeds 2^62", x)
			}
			if w > 0 && p.Count(x) == 0 {
				return fmt.Errorf("certificate: letter %d has weight and no records", x)
			}
			sum += w
		}
		if p.Total() > 0 {
			proven = bound(NewPattern(p, s), c.Weight)
		}
	}
	if c.Lower.Cmp(proven) > 0 {
		return fmt.Errorf("certificate: lower bound %s is not proven: the weights prove %s", c.Lower.RatString(),
			proven.RatString())
	}
	return nil
}

// bound is the lower bound that weights by letter prove, at least 1. For one
// output y the largest sum W_x v_x at factor T is a fractional knapsack: rows
// by falling W_x/c_x, prefix sums C of counts and Pi of weights; it is
// increasing in T up to max W_x n/c_x, and with f the first row at which
// n Pi < Y C, Y = sum W, it equals Y at
//
//	T_y = (Y c_f - W_f n) / (Pi c_f - W_f C).
//
// No limit when f is the very first row; 1/P(S_y) when there is no such row,
// since y cannot occur below that. The bound is the least T_y.
func bound(t *Pattern, weight []int64) *big.Rat {
	n := t.Prior.Total()
	w := make([]int64, len(t.Letter))
	sum := int64(0)
	order := make([]int32, len(w))
	for i, x := range t.Letter {
		w[i] = weight[x]
		sum += w[i]
		order[i] = int32(i)
	}
	if sum == 0 {
		return big.NewRat(1, 1)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(product(w[b], t.Count[a]).compare(product(w[a], t.Count[b])), cmp.Compare(a, b))
	})
	place := make([]int32, len(order))
	for k, i := range order {
		place[i] = int32(k)
	}
	var best *big.Rat
	near := math.Inf(1)
	take := func(num, den Wide) {
		v := num.Float() / den.Float()
		if v > near*(1+1e-12) {
			return
		}
		r := new(big.Rat).SetFrac(num.big(), den.big())
		if best == nil || r.Cmp(best) < 0 {
			best, near = r, v
		}
	}
	var by []int32
	for _, rows := range t.Column {
		if len(rows) == 0 {
			continue
		}
		by = by[:0]
		for _, i := range rows {
			by = append(by, place[i])
		}
		slices.Sort(by)
		c, pi := int64(0), int64(0)
		crossed := false
		for k, at := range by {
			f := order[at]
			c, pi = c+t.Count[f], pi+w[f]
			if product(pi, n).less(product(sum, c)) {
				if k > 0 {
					take(product(sum, t.Count[f]).minus(product(w[f], n)),
						product(pi, t.Count[f]).minus(product(w[f], c)))
				}
				crossed = true
				break
			}
		}
		if !crossed {
			take(Wide{0, uint64(n)}, Wide{0, uint64(c)})
		}
	}
	if best == nil || best.Cmp(one) < 0 {
		return big.NewRat(1, 1)
	}
	return best
}

// scarce is the bound max_x min_{y in B_x} 1/P(S_y): some output of x must
// occur. Its certificate is all weight on that letter.
func scarce(t *Pattern) (weight []int64) {
	most := make([]int64, len(t.Letter))
	for y, rows := range t.Column {
		for _, i := range rows {
			most[i] = max(most[i], t.Mass[y])
		}
	}
	at := 0
	for i, m := range most {
		if m < most[at] {
			at = i
		}
	}
	weight = make([]int64, t.Prior.Letters())
	weight[t.Letter[at]] = 1
	return weight
}

// integral turns row duals of a program into weights by letter,
// sum about 2^60. The rounding never changes whether what they prove is true,
// and what it is by about 1e-16, with one exception: a letter with W_x/P_x
// equal to sum W limits nothing as the first of its output, and limits the
// factor to 1/P_x when it is the least bit above. Such letters, within 1e-6,
// are set to the fraction 1 - below of it; below is negative to leave them.
func integral(t *Pattern, y []float64, group []int32, joint []int64, below float64) []int64 {
	rho, sum := perRecord(y, joint), 0.0
	for g, v := range rho {
		sum += v * float64(joint[g])
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil
	}
	level := sum / float64(t.Prior.Total())
	weight := make([]int64, t.Prior.Letters())
	for i, x := range t.Letter {
		r := rho[group[i]]
		if below >= 0 && math.Abs(r/level-1) < 1e-6 {
			r = level * (1 - below)
		}
		v := r / sum * float64(t.Count[i]) * 0x1p60
		if !(v >= 0 && v <= 0x1p60) {
			return nil
		}
		weight[x] = int64(v)
	}
	return weight
}

// perRecord are row duals by record, less the most that all have: duals are known up to a
// multiple of the prior.
func perRecord(y []float64, joint []int64) []float64 {
	rho := make([]float64, len(y))
	for g, v := range y {
		rho[g] = v / float64(joint[g])
	}
	least := slices.Min(rho)
	for g := range rho {
		rho[g] -= least
	}
	return rho
}

// A Wide is a 128-bit integer.
type Wide struct {
	hi int64
	lo uint64
}

// product is that of numbers that are not negative.
func product(a, b int64) Wide {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return Wide{int64(hi), lo}
}

func (a Wide) less(b Wide) bool { return a.compare(b) < 0 }

func (a Wide) compare(b Wide) int { return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo)) }

func (a Wide) plus(b Wide) Wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return Wide{a.hi + b.hi + int64(carry), lo}
}

func (a Wide) minus(b Wide) Wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return Wide{a.hi - b.hi - int64(borrow), lo}
}

// Float is a with a relative error below 2^-52, of one that is not negative; else it is
// off by less than 2^12.
func (a Wide) Float() float64 { return float64(a.hi)*0x1p64 + float64(a.lo) }

func (a Wide) big() *big.Int {
	v := new(big.Int).Lsh(big.NewInt(a.hi), 64)
	return v.Add(v, new(big.Int).SetUint64(a.lo))
}
