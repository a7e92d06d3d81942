package shares

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A Problem is what mechanisms are looked for in.
type Problem struct {
	Prior   mechanism.Prior
	Support *mechanism.Support
	// Stands is the letter that each output stands for, -1 for none.
	Stands []int
}

// Options bound a search. The zero value is usual.
type Options struct {
	Near  *mechanism.Mechanism // one that may do, to begin with; nil for none
	Bytes int64                // the most memory of the float solver; 0 means 4 GiB
}

// A LimitError says that no mechanism was found within a shift.
type LimitError struct {
	Limit *big.Rat // what was asked for
	Lower *big.Rat // no mechanism has less: above Limit, there is none
	Proof *Proof   // of Lower; nil where that is 0
}

func (e *LimitError) Error() string {
	word := "was found"
	if e.Lower.Cmp(e.Limit) > 0 {
		word = "exists"
	}
	return fmt.Sprintf("mechanism: none within shift %s %s: the least is at least %s", e.Limit.FloatString(9), word,
		e.Lower.FloatString(9))
}

// A task is a problem, and the weights of its cells, by columns.
type task struct {
	*optimum.Pattern
	stands []int
	share  []int64     // n pi_y
	cell   [][]float64 // w_xy, like Column; nil where there are none
	top    float64     // the largest |w|
	span   float64     // the largest w less the smallest
	fill   mechanism.Weights
	inner  *mechanism.Mechanism // one within the factor; nil where none is known
}

func newTask(g Problem, w mechanism.Weights) (*task, error) {
	if x := g.Support.Empty(); x >= 0 {
		return nil, &mechanism.NoOutputError{Letter: x}
	}
	if _, err := mechanism.StandsFor(g.Prior.Letters(), g.Support.Outputs(), g.Stands); err != nil {
		return nil, err
	}
	k := &task{Pattern: optimum.NewPattern(g.Prior, g.Support), stands: g.Stands, fill: w}
	k.share = make([]int64, len(g.Stands))
	for y, x := range g.Stands {
		if x >= 0 {
			k.share[y] = g.Prior.Count(x)
		}
	}
	if w == nil {
		return k, nil
	}
	k.cell = make([][]float64, len(k.Column))
	value := make([]float64, len(k.Column))
	low, high := math.Inf(1), math.Inf(-1)
	var output []uint16
	for _, x := range k.Letter {
		w(x, value)
		output = k.Support.AppendRow(output[:0], x)
		for _, y := range output {
			v := value[y]
			if math.IsNaN(v) || math.Abs(v) > 1e150 || v != 0 && math.Abs(v) < 1e-150 {
				return nil, fmt.Errorf("mechanism: weight %v of letter %d and output %d is no number of moderate size",
					v, x, y)
			}
			k.cell[y] = append(k.cell[y], v)
			low, high, k.top = math.Min(low, v), math.Max(high, v), math.Max(k.top, math.Abs(v))
		}
	}
	if len(k.Letter) > 0 {
		k.span = high - low
	}
	return k, nil
}

// live reports whether output y can be used within factor t: t P(S_y) >= 1.
func (k *task) live(y int, t *big.Rat) bool {
	if len(k.Column[y]) == 0 {
		return false
	}
	mass := new(big.Int).Mul(t.Num(), big.NewInt(k.Mass[y]))
	return mass.Cmp(new(big.Int).Mul(t.Denom(), big.NewInt(k.Prior.Total()))) >= 0
}

// weight is w_xy of the f-th letter of column y; 0 where there are none.
func (k *task) weight(y, f int) float64 {
	if k.cell == nil {
		return 0
	}
	return k.cell[y][f]
}

// preferred is the output of most weight for a letter without records among those
// that occur, or among all where none of them does; the first of equals. Without
// weights it is the one that occurs most.
func (k *task) preferred(x int, output []uint16, law []float64) uint16 {
	value := make([]float64, len(law))
	if k.fill != nil {
		k.fill(x, value)
	} else {
		copy(value, law)
	}
	best := output[0]
	for _, y := range output[1:] {
		if a, b := law[y] > 0, law[best] > 0; a != b && a || a == b && value[y] > value[best] {
			best = y
		}
	}
	return best
}

// factorOf is the exact factor of m; nil where m is no mechanism of the support.
func (k *task) factorOf(m *mechanism.Mechanism) *big.Rat {
	if m == nil || m.Inputs() != k.Support.Inputs() || m.Outputs() != k.Support.Outputs() {
		return nil
	}
	if _, _, ok := m.Within(k.Support); !ok {
		return nil
	}
	return m.Factor(k.Prior)
}

// valueOf is the expected weight of m, weights rounded down to 2^-scale of them.
func (k *task) valueOf(m *mechanism.Mechanism) *big.Rat {
	s := scaleOf(k.top)
	total := new(big.Rat)
	by := make(map[int64]*big.Int) // sums by row total
	value := make([]float64, len(k.Column))
	var w, v big.Int
	for i, x := range k.Letter {
		r := m.Row(x)
		k.fill(x, value)
		sum := new(big.Int)
		for f, y := range r.Output {
			w.SetInt64(int64(math.Floor(math.Ldexp(value[y], s))))
			sum.Add(sum, v.Mul(&w, big.NewInt(r.At(f))))
		}
		if by[r.Total] == nil {
			by[r.Total] = new(big.Int)
		}
		by[r.Total].Add(by[r.Total], sum.Mul(sum, big.NewInt(k.Count[i])))
	}
	for d, v := range by {
		total.Add(total, new(big.Rat).SetFrac(v, big.NewInt(d)))
	}
	if n := k.Prior.Total(); n > 0 {
		total.Quo(total, new(big.Rat).SetInt64(n))
	}
	return total.Mul(total, power(-s))
}

// scaleOf is the largest s with v 2^s below 2^59 for |v| <= top.
func scaleOf(top float64) int {
	if top == 0 {
		return 58
	}
	_, e := math.Frexp(top)
	return 59 - e
}

// power is 2^s.
func power(s int) *big.Rat {
	v := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(s, -s))))
	if s < 0 {
		v.Inv(v)
	}
	return v
}

func rounded(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

var one = big.NewRat(1, 1)
