package baseline

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/pattern"
	"github.com/tacet-privacy/tacet/mechanism/round"
)

// A Cover brackets the fractional cover number of a support,
//
//	min sum_y z_y  s.t.  sum_{y in B_x} z_y >= 1,  z >= 0,
//
// which is a lower bound on the factor under every prior with the same letters
// possible: z_y = e^eps q_y is such a cover, as p_xy <= e^eps q_y [cf. Liao,
// Sankar, Kosut and Calmon, maximal leakage under a hard distortion]. By
// duality no packing of the letters exceeds it: for any W >= 0,
//
//	sum_x W_x / max_y sum_{x in S_y} W_x <= cover number.
type Cover struct {
	Weight []int64  // W by letter, 0 where it has no records; nil proves 1
	Lower  *big.Rat // what Weight proves
	Upper  *big.Rat // the size of a cover that was found
}

// coverCells is how many cells CoverBound solves for.
const coverCells = 1 << 20

// CoverBound is the cover number of s over the letters with records, whatever
// their probabilities. The float solver proposes, integers decide. Beyond 2^20
// cells only W_x = 1 / max |S_y| over B_x is tried. It fails with
// *NoOutputError.
func CoverBound(p mechanism.Prior, s *mechanism.Support) (Cover, error) {
	if x := s.Empty(); x >= 0 {
		return Cover{}, &mechanism.NoOutputError{Letter: x}
	}
	v := &covering{Pattern: pattern.New(p, s)}
	v.Lower, v.Upper = big.NewRat(1, 1), big.NewRat(1, 1)
	for y, rows := range v.Column {
		if len(rows) == len(v.Letter) {
			return v.Cover, nil // output y, or no letters, for everyone
		}
		if len(rows) > 0 {
			v.output = append(v.output, y)
		}
	}
	v.Upper.SetInt64(int64(len(v.output)))
	v.pack(v.even(), 0x1p40)
	if len(v.Letter)*len(v.output) <= coverCells {
		v.core()
		v.search()
	}
	return v.Cover, nil
}

// Verify recomputes in integers what Weight proves and fails when that is
// below Lower. Upper is not looked at.
func (c Cover) Verify(p mechanism.Prior, s *mechanism.Support) error {
	if c.Lower == nil {
		return fmt.Errorf("cover: no lower bound")
	}
	proven := big.NewRat(1, 1)
	if c.Weight != nil {
		if len(c.Weight) != p.Letters() || p.Letters() != s.Inputs() {
			return fmt.Errorf("cover: %d weights for %d letters", len(c.Weight), s.Inputs())
		}
		sum := int64(0)
		for x, w := range c.Weight {
			if w < 0 || w > math.MaxInt64/2+1-sum || w > 0 && p.Count(x) == 0 {
				return fmt.Errorf("cover: weight of letter %d is negative, too large, or on no records", x)
			}
			sum += w
		}
		if f := packing(pattern.New(p, s), c.Weight); f != nil {
			proven = f
		}
	}
	if c.Lower.Cmp(proven) > 0 {
		return fmt.Errorf("cover: lower bound %s is not proven: the weights prove %s", c.Lower.RatString(), proven.RatString())
	}
	return nil
}

// packing is sum W / max_y W(S_y); nil where all weights are 0.
func packing(t *pattern.Pattern, weight []int64) *big.Rat {
	sum, most := int64(0), int64(0)
	for _, x := range t.Letter {
		sum += weight[x]
	}
	for _, rows := range t.Column {
		load := int64(0)
		for _, i := range rows {
			load += weight[t.Letter[i]]
		}
		most = max(most, load)
	}
	if most == 0 {
		return nil
	}
	return big.NewRat(sum, most)
}

// A covering is a support, its live outputs, and the best cover known.
type covering struct {
	*pattern.Pattern
	output []int
	row    []int     // places in Letter that are solved for
	column [][]int32 // by place in output: those of them that may give it, by place in row
	Cover
}

// even is the packing a_x = 1 / max |S_y| over B_x.
func (v *covering) even() []float64 {
	largest := make([]int, len(v.Letter))
	for _, rows := range v.Column {
		for _, i := range rows {
			largest[i] = max(largest[i], len(rows))
		}
	}
	a := make([]float64, len(largest))
	for i, k := range largest {
		a[i] = 1 / float64(k)
	}
	return a
}

// search solves in floating point and rounds, last to fractions with the
// denominator that the bracket suggests.
func (v *covering) search() {
	some, z := v.solve()
	a := make([]float64, len(v.Letter))
	for k, i := range v.row {
		a[i] = some[k]
	}
	v.pack(a, 0x1p40)
	v.cover(z, 0x1p40)
	if g, _ := new(big.Rat).Quo(v.Upper, v.Lower).Float64(); !(g-1 < 1e-7) {
		return
	}
	at := round.Between(v.Lower, v.Upper)
	d, _ := new(big.Rat).SetInt(at.Denom()).Float64()
	for k := 1.; k <= 12 && d <= 1e6 && v.Lower.Cmp(v.Upper) < 0; k++ {
		v.pack(a, k*d)
		v.cover(z, k*d)
	}
}

// pack takes a packing, rounded to multiples of 1/scale, where it proves more.
func (v *covering) pack(a []float64, scale float64) {
	weight := make([]int64, v.Prior.Letters())
	for i, x := range v.Letter {
		weight[x] = int64(math.Round(a[i] * scale))
	}
	if f := packing(v.Pattern, weight); f != nil && f.Cmp(v.Lower) > 0 {
		v.Lower, v.Weight = f, weight
	}
}

// cover takes a cover, rounded to multiples of 1/scale, where it is smaller.
func (v *covering) cover(z []float64, scale float64) {
	sum := int64(0)
	row := make([]int64, len(v.Letter))
	for j, y := range v.output {
		k := int64(math.Round(z[j] * scale))
		sum += k
		for _, i := range v.Column[y] {
			row[i] += k
		}
	}
	least := row[0]
	for _, k := range row {
		least = min(least, k)
	}
	if least > 0 && v.Upper.Cmp(big.NewRat(sum, least)) > 0 {
		v.Upper = big.NewRat(sum, least)
	}
}
