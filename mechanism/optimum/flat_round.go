package optimum

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// flatBits is the row total 2^flatBits of a flat mechanism whose q is no
// vector of small fractions: what a float64 resolves.
const flatBits = 53

// round turns q into integer weights. Small fractions with a common
// denominator are recognised and make every column exactly constant.
// Otherwise the row total is 2^53, every column is constant but for one cell
// per row, which takes up what rounding left over: a cell of a column with
// more mass than the binding one where the row has any, so that the binding
// columns stay constant and the factor is exactly 1/theta.
func (f *FlatSearch) round(q []float64) (*mechanism.Mechanism, error) {
	used := make([]int64, len(q)) // common weight of each column
	total, exact := f.recognise(q, used)
	if !exact {
		total = 1 << flatBits
		for y, v := range q {
			used[y] = int64(math.Round(math.Ldexp(v, flatBits)))
		}
	}
	theta := int64(math.MaxInt64)
	for y, w := range used {
		if w > 0 {
			theta = min(theta, f.share[y])
		}
	}
	row := make([]mechanism.Row, f.support.Inputs())
	var all []uint16
	for x := range row {
		all = f.support.AppendRow(all[:0], x)
		var output []uint16
		var weight []int64
		sum := int64(0)
		for _, y := range all {
			if used[y] > 0 {
				output, weight = append(output, y), append(weight, used[y])
				sum += used[y]
			}
		}
		if len(output) == 0 { // a letter without records
			row[x] = mechanism.UniformRow(append(output, all...))
			continue
		}
		if sum != total && f.records(x) {
			i := f.roomiest(output, weight, theta)
			if weight[i] <= sum-total { // q solves its equations worse than this cell could bear
				i = slices.Index(weight, slices.Max(weight))
			}
			if weight[i] += total - sum; weight[i] <= 0 {
				return nil, ErrNoFlat
			}
		}
		if row[x] = mechanism.WeightedRow(output, weight); row[x].Total == int64(len(output)) {
			row[x].Weight = nil // all are 1
		}
	}
	return mechanism.New(f.support.Outputs(), row)
}

// records reports whether letter x has any under some prior.
func (f *FlatSearch) records(x int) bool {
	_, ok := slices.BinarySearch(f.seen, x)
	return ok
}

// roomiest is the cell that rounding may change most before its column leaks
// as much as the binding one.
func (f *FlatSearch) roomiest(output []uint16, weight []int64, theta int64) int {
	at, room := 0, -1.0
	for i, y := range output {
		r := float64(weight[i]) * float64(f.share[y]-theta)
		if r > room || r == room && weight[i] > weight[at] {
			at, room = i, r
		}
	}
	return at
}

// recognise fills weight with integers in the proportions of q, and returns
// their common row total, when q is a vector of fractions with a common
// denominator up to 2^40 that solves B q = 1 exactly.
func (f *FlatSearch) recognise(q []float64, weight []int64) (total int64, ok bool) {
	common := big.NewInt(1)
	part := make([]*big.Rat, len(q))
	for y, v := range q {
		if v == 0 {
			continue
		}
		if part[y] = simplest(v, 1e-11); part[y] == nil {
			return 0, false
		}
		d := part[y].Denom()
		g := new(big.Int).GCD(nil, nil, common, d)
		common.Mul(common, new(big.Int).Quo(d, g))
		if common.BitLen() > 40 {
			return 0, false
		}
	}
	total = common.Int64()
	for y, r := range part {
		weight[y] = 0
		if r != nil {
			weight[y] = new(big.Int).Quo(new(big.Int).Mul(r.Num(), common), r.Denom()).Int64()
		}
	}
	for _, x := range f.seen {
		sum := int64(0)
		for y, w := range weight {
			if f.support.Allowed(x, y) {
				sum += w
			}
		}
		if sum != total {
			return 0, false
		}
	}
	return total, true
}

// simplest is the first convergent of the continued fraction of v > 0 that is
// within tolerance of it; nil where its denominator passes 2^40.
func simplest(v, tolerance float64) *big.Rat {
	p0, q0, p1, q1 := 0.0, 1.0, 1.0, 0.0
	for rest := v; ; {
		a := math.Floor(rest)
		p0, q0, p1, q1 = p1, q1, a*p1+p0, a*q1+q0
		if !(q1 <= 1<<40) {
			return nil
		}
		if math.Abs(p1/q1-v) <= tolerance {
			return big.NewRat(int64(p1), int64(q1))
		}
		rest = 1 / (rest - a)
	}
}
