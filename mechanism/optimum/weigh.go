package optimum

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// weigh takes weights. It fails on those of allowed cells that are not finite, or so large or small
// that products of them might not be.
func (t *Pattern) weigh(w mechanism.Weights) error {
	t.weights, t.cell = w, make([][]float64, len(t.Column))
	for y, rows := range t.Column {
		t.cell[y] = make([]float64, 0, len(rows))
	}
	value := make([]float64, len(t.Column))
	low, high := math.Inf(1), math.Inf(-1)
	var output []uint16
	for _, x := range t.Letter {
		w(x, value)
		output = t.Support.AppendRow(output[:0], x)
		for _, y := range output {
			v := value[y]
			if math.IsNaN(v) || math.Abs(v) > 1e150 || v != 0 && math.Abs(v) < 1e-150 {
				return fmt.Errorf("mechanism: weight %v of letter %d and output %d is no number of moderate size",
					v, x, y)
			}
			t.cell[y] = append(t.cell[y], v)
			t.top = math.Max(t.top, math.Abs(v))
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	if len(t.Letter) > 0 {
		t.span = high - low
	}
	return nil
}

// pick gives a letter without records an output: where there are weights the best of those that
// occur, or of all when none of them does, else the one that occurs most. Outputs occur by law.
func (t *Pattern) pick(x int, law []float64) uint16 {
	value := make([]float64, t.Support.Outputs())
	if t.weights != nil {
		t.weights(x, value)
	}
	return slices.MaxFunc(t.Support.AppendRow(nil, x), func(a, b uint16) int {
		if oa, ob := law[a] > 0, law[b] > 0; oa != ob || t.weights == nil && law[a] != law[b] {
			return cmp.Compare(law[a], law[b])
		}
		return cmp.Or(cmp.Compare(value[a], value[b]), cmp.Compare(b, a))
	})
}

// Scale is the largest s with v 2^s below 2^60 for |v| <= top.
func Scale(top float64) int {
	if top == 0 {
		return 0
	}
	_, e := math.Frexp(top)
	return 59 - e
}

// ceiling is sum P_x max_y w_xy, weights rounded up, which no mechanism exceeds.
func (t *Pattern) ceiling() *big.Rat {
	best := slices.Repeat([]float64{math.Inf(-1)}, len(t.Letter))
	for y, rows := range t.Column {
		for k, i := range rows {
			best[i] = math.Max(best[i], t.cell[y][k])
		}
	}
	s := Scale(t.top)
	var sum Wide
	for i, v := range best {
		sum.Add(t.Count[i], up(v, s))
	}
	return t.unit(sum.big(), s)
}

// part is v in shares of the range; what is below 1e-12 of the largest weight is rounding.
func (t *Pattern) part(v float64) float64 {
	if v <= 1e-12*t.top {
		return 0
	}
	return v / math.Max(t.span, math.SmallestNonzeroFloat64)
}

// unit is v 2^-s / n.
func (t *Pattern) unit(v *big.Int, s int) *big.Rat {
	if t.Prior.Total() == 0 {
		return new(big.Rat)
	}
	den := big.NewInt(t.Prior.Total())
	if s >= 0 {
		den.Lsh(den, uint(s))
	} else {
		v = new(big.Int).Lsh(v, uint(-s))
	}
	return new(big.Rat).SetFrac(v, den)
}

func up(v float64, s int) int64   { return int64(math.Ceil(math.Ldexp(v, s))) }
func down(v float64, s int) int64 { return int64(math.Floor(math.Ldexp(v, s))) }

// value is the expected utility of m, weights rounded down to 2^-Scale.
func (t *Pattern) value(m *mechanism.Mechanism) *big.Rat {
	s := Scale(t.top)
	by := make(map[int64]*big.Int) // sums by row total
	row := make([]float64, t.Support.Outputs())
	term := new(big.Int)
	for i, x := range t.Letter {
		r := m.Row(x)
		t.weights(x, row)
		var sum Wide
		for k, y := range r.Output {
			sum.Add(r.At(k), down(row[y], s))
		}
		if by[r.Total] == nil {
			by[r.Total] = new(big.Int)
		}
		by[r.Total].Add(by[r.Total], term.Mul(sum.big(), big.NewInt(t.Count[i])))
	}
	total := new(big.Rat)
	for d, v := range by {
		total.Add(total, new(big.Rat).SetFrac(v, big.NewInt(d)))
	}
	if t.Prior.Total() == 0 {
		return new(big.Rat)
	}
	scale := t.unit(big.NewInt(1), s)
	return total.Mul(total, scale)
}

// Add adds a b, a >= 0.
func (v *Wide) Add(a, b int64) {
	if b < 0 {
		*v = v.minus(product(a, -b))
	} else {
		*v = v.plus(product(a, b))
	}
}
