package optimum

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Weighing holds the weights of the allowed cells of a pattern.
type Weighing struct {
	*Pattern
	Weights mechanism.Weights
	Cell    [][]float64 // by output, like Column
	Top     float64     // largest |w|
	Span    float64     // largest less smallest w
}

// Weigh fails on weights of allowed cells that are not finite, or so large or small
// that products of them might not be.
func Weigh(t *Pattern, w mechanism.Weights) (*Weighing, error) {
	l := &Weighing{Pattern: t, Weights: w, Cell: make([][]float64, len(t.Column))}
	for y, rows := range t.Column {
		l.Cell[y] = make([]float64, 0, len(rows))
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
				return nil, fmt.Errorf("mechanism: weight %v of letter %d and output %d is no number of moderate size",
					v, x, y)
			}
			l.Cell[y] = append(l.Cell[y], v)
			l.Top = math.Max(l.Top, math.Abs(v))
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	if len(t.Letter) > 0 {
		l.Span = high - low
	}
	return l, nil
}

// Preferred is the Fill that gives the best output to a letter without records among those that
// occur, or among all when none of them does.
func (l *Weighing) Preferred(x int, output []uint16, law []float64) uint16 {
	value := make([]float64, l.Support.Outputs())
	l.Weights(x, value)
	return slices.MaxFunc(output, func(a, b uint16) int {
		if oa, ob := law[a] > 0, law[b] > 0; oa != ob {
			return cmp.Compare(law[a], law[b]) // one of them is 0
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

// Ceiling is sum P_x max_y w_xy, weights rounded up, which no mechanism exceeds.
func (l *Weighing) Ceiling() *big.Rat {
	best := slices.Repeat([]float64{math.Inf(-1)}, len(l.Letter))
	for y, rows := range l.Column {
		for k, i := range rows {
			best[i] = math.Max(best[i], l.Cell[y][k])
		}
	}
	s := Scale(l.Top)
	var sum Wide
	for i, v := range best {
		sum.Add(l.Count[i], up(v, s))
	}
	return l.unit(sum.big(), s)
}

// share is v in shares of the range; what is below 1e-12 of the largest weight is rounding.
func (l *Weighing) share(v float64) float64 {
	if v <= 1e-12*l.Top {
		return 0
	}
	return v / math.Max(l.Span, math.SmallestNonzeroFloat64)
}

// unit is v 2^-s / n.
func (l *Weighing) unit(v *big.Int, s int) *big.Rat {
	if l.Prior.Total() == 0 {
		return new(big.Rat)
	}
	den := big.NewInt(l.Prior.Total())
	if s >= 0 {
		den.Lsh(den, uint(s))
	} else {
		v = new(big.Int).Lsh(v, uint(-s))
	}
	return new(big.Rat).SetFrac(v, den)
}

func up(v float64, s int) int64   { return int64(math.Ceil(math.Ldexp(v, s))) }
func down(v float64, s int) int64 { return int64(math.Floor(math.Ldexp(v, s))) }

// Value is the expected utility of m, weights rounded down to 2^-Scale.
func (l *Weighing) Value(m *mechanism.Mechanism) *big.Rat {
	s := Scale(l.Top)
	by := make(map[int64]*big.Int) // sums by row total
	row := make([]float64, l.Support.Outputs())
	term := new(big.Int)
	for i, x := range l.Letter {
		r := m.Row(x)
		l.Weights(x, row)
		var sum Wide
		for k, y := range r.Output {
			sum.Add(r.At(k), down(row[y], s))
		}
		if by[r.Total] == nil {
			by[r.Total] = new(big.Int)
		}
		by[r.Total].Add(by[r.Total], term.Mul(sum.big(), big.NewInt(l.Count[i])))
	}
	total := new(big.Rat)
	for d, v := range by {
		total.Add(total, new(big.Rat).SetFrac(v, big.NewInt(d)))
	}
	if l.Prior.Total() == 0 {
		return new(big.Rat)
	}
	scale := l.unit(big.NewInt(1), s)
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
