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

// A Worth brackets the largest expected utility of a support within a factor.
// Upper is proven by Price alone: rows sum to 1, so with p_xy = q_y v_xy,
// P.v = 1, 0 <= v <= t,
//
//	sum P_x p_xy w_xy = sum P_x A_x + sum_y q_y sum_x P_x (w_xy - A_x) v_xy
//	                 <= sum P_x A_x + max_y max_v sum_x P_x (w_xy - A_x) v_x
//
// over the outputs with t P(S_y) >= 1, for any A. Weights that are not
// multiples of 2^-Shift are rounded up for Upper and down for Value.
type Worth struct {
	Value  *big.Rat // expected utility of the mechanism
	Upper  *big.Rat // no mechanism within the factor has more
	Factor *big.Rat // e^eps of the mechanism
	Price  []int64  // A_x 2^Shift by letter; nil when Upper is sum P_x max_y w_xy
	Shift  int
}

// Verify recomputes Upper in exact arithmetic and fails when Price proves
// less.
func (v Worth) Verify(p mechanism.Prior, s *mechanism.Support, t *big.Rat, w mechanism.Weights) error {
	if v.Value == nil || v.Upper == nil {
		return fmt.Errorf("worth: no bracket")
	}
	at := NewPattern(p, s)
	l, err := Weigh(at, w)
	if err != nil {
		return err
	}
	proven := l.Ceiling()
	if v.Price != nil {
		if len(v.Price) != p.Letters() {
			return fmt.Errorf("worth: %d prices for %d letters", len(v.Price), p.Letters())
		}
		for x, a := range v.Price {
			if a < -priceLimit || a > priceLimit {
				return fmt.Errorf("worth: price of letter %d is beyond 2^60", x)
			}
		}
		if !l.fits(v.Shift) {
			return fmt.Errorf("worth: shift %d does not suit the weights", v.Shift)
		}
		if b := l.bound(t, v.Price, v.Shift); b.Cmp(proven) < 0 {
			proven = b
		}
	}
	if v.Upper.Cmp(proven) < 0 {
		return fmt.Errorf("worth: upper bound %s is not proven: the prices prove %s", v.Upper.FloatString(12),
			proven.FloatString(12))
	}
	return nil
}

// priceLimit bounds prices and weights in units of 2^-Shift, so that sums of
// count times difference stay below 2^124.
const priceLimit = int64(1) << 60

// A Weighing holds the weights of the allowed cells of a pattern.
type Weighing struct {
	*Pattern
	Weights mechanism.Weights
	Cell    [][]float64 // by output, like Column
	High    float64     // largest w
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
		l.High, l.Span = high, high-low
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

// fits reports whether weights times 2^s stay within bounds.
func (l *Weighing) fits(s int) bool { return s >= -600 && s <= Scale(l.Top) || l.Top == 0 && s == 0 }

// Ceiling is sum P_x max_y w_xy, weights rounded up, which no mechanism exceeds.
func (l *Weighing) Ceiling() *big.Rat {
	best := slices.Repeat([]float64{math.Inf(-1)}, len(l.Letter))
	for y, rows := range l.Column {
		for k, i := range rows {
			best[i] = math.Max(best[i], l.Cell[y][k])
		}
	}
	s := Scale(l.Top)
	var sum signed
	for i, v := range best {
		sum.add(l.Count[i], up(v, s))
	}
	return l.unit(sum.big(), s)
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
		var sum signed
		for k, y := range r.Output {
			sum.add(r.At(k), down(row[y], s))
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

// signed is a 128-bit two's complement sum of products.
type signed struct {
	hi int64
	lo uint64
}

// add adds a b, a >= 0.
func (v *signed) add(a, b int64) {
	neg := b < 0
	if neg {
		b = -b
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	var carry uint64
	if neg {
		v.lo, carry = bits.Sub64(v.lo, lo, 0)
		v.hi -= int64(hi) + int64(carry)
		return
	}
	v.lo, carry = bits.Add64(v.lo, lo, 0)
	v.hi += int64(hi) + int64(carry)
}

// float is v with a relative error below 2^-52, whatever its sign.
func (v signed) float() float64 {
	if v.hi >= 0 {
		return wide{uint64(v.hi), v.lo}.float()
	}
	lo, carry := bits.Add64(^v.lo, 1, 0)
	return -wide{uint64(^v.hi) + carry, lo}.float()
}

func (v signed) big() *big.Int {
	b := new(big.Int).Lsh(big.NewInt(v.hi), 64)
	return b.Add(b, new(big.Int).SetUint64(v.lo))
}

// gap is Upper - Value in shares of the range of the weights that s allows to
// letters with records. What is below 1e-12 of the largest weight is rounding.
func (v *Worth) Gap(p mechanism.Prior, s *mechanism.Support, w mechanism.Weights) float64 {
	open, _ := new(big.Rat).Sub(v.Upper, v.Value).Float64()
	low, high := math.Inf(1), math.Inf(-1)
	row := make([]float64, s.Outputs())
	for x := range s.Inputs() {
		if p.Count(x) == 0 {
			continue
		}
		w(x, row)
		for y, k := range row {
			if s.Allowed(x, y) {
				low, high = min(low, k), max(high, k)
			}
		}
	}
	if open <= 1e-12*max(math.Abs(low), math.Abs(high)) || !(low < high) {
		return 0
	}
	return open / (high - low)
}
