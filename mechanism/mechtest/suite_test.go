package mechtest

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Goal is what a design is asked for.
type Goal struct {
	Epsilon mechanism.Epsilon
	Floor   *mechanism.Floor // nil for the best floor within Epsilon
	ByValue bool             // whether that floor is one of value, or of rank
}

// A Design is what is tested: it keeps the goal, or fails with *Unreachable or
// *mechanism.NoOutputError.
type Design func(p mechanism.Prior, o mechanism.Order, g Goal) (*mechanism.Mechanism, error)

// Unreachable says that a design cannot keep a goal.
type Unreachable struct {
	Least   *big.Rat        // the least factor that it could; nil where there is none
	AtFloor mechanism.Floor // the floor at which Least fits
}

func (e *Unreachable) Error() string { return "mechtest: the goal is out of reach" }

// Run runs the suite as the subtest name. Of random goals at least so many of 200 must be
// reached; a design that is not held against the thresholds of the paper reaches few.
func Run(t *testing.T, name string, d Design, goals int) {
	t.Run(name, func(t *testing.T) {
		if goals >= general {
			t.Run("thresholds", func(t *testing.T) { thresholds(t, d) })
		}
		t.Run("degenerate", func(t *testing.T) { degenerate(t, d) })
		t.Run("random", func(t *testing.T) { random(t, d, goals) })
	})
}

// general is how many of the random goals a design reaches that is for every order.
const general = 50

// Check designs for one goal and checks the answer; it returns nil where the
// goal is out of reach, after checking that the factor named instead is
// within reach.
func Check(t *testing.T, d Design, p mechanism.Prior, o mechanism.Order, g Goal) *mechanism.Mechanism {
	t.Helper()
	m, err := d(p, o, g)
	var short *Unreachable
	if errors.As(err, &short) {
		if short.Least == nil {
			return nil
		}
		if g.Epsilon.Admits(short.Least) {
			t.Fatalf("%v: refused, and yet the factor %v is within epsilon", g.Epsilon, short.Least)
		}
		g.Epsilon, g.Floor = mechanism.LogOf(short.Least), &short.AtFloor
		if m, err = d(p, o, g); err != nil {
			t.Fatalf("the factor %v that is said to fit does not: %v", short.Least, err)
		}
		Verify(t, m, p, o, g)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	Verify(t, m, p, o, g)
	return m
}

// Verify holds m against the definitions: rows that sum to 1 over outputs
// that the floor allows, the leakage of every output, and that processing the
// output can only lower the largest.
func Verify(t *testing.T, m *mechanism.Mechanism, p mechanism.Prior, o mechanism.Order, g Goal) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	if m.Inputs() != o.Inputs() || m.Outputs() != o.Outputs() {
		t.Fatalf("%d inputs and %d outputs", m.Inputs(), m.Outputs())
	}
	table := fractions(m)
	rank, value := make([]uint16, o.Outputs()), make([]float64, o.Outputs())
	for x, row := range table {
		o.Row(x, rank, value)
		sum := new(big.Rat)
		for y, v := range row {
			sum.Add(sum, v)
			if v.Sign() < 0 || v.Sign() > 0 && math.IsInf(value[y], -1) {
				t.Fatalf("p(%d|%d) = %v is negative or forbidden", y, x, v)
			}
			if f := g.Floor; f != nil && v.Sign() > 0 && (f.ByValue && value[y] < f.Value ||
				!f.ByValue && int(rank[y]) < f.Rank) {
				t.Fatalf("p(%d|%d) = %v is below the floor", y, x, v)
			}
		}
		if sum.Cmp(one) != 0 {
			t.Fatalf("row %d sums to %v", x, sum)
		}
	}
	slow := leakage(table, p)
	fast := m.Leakage(p)
	largest := new(big.Rat).Set(one)
	for y, f := range slow {
		if (f == nil) != (fast.Output[y] == nil) || f != nil && f.Cmp(fast.Output[y]) != 0 {
			t.Fatalf("output %d: leakage %v, by definition %v", y, fast.Output[y], f)
		}
		if f != nil && f.Cmp(largest) > 0 {
			largest = f
		}
	}
	if _, f := fast.Max(); f.Cmp(largest) != 0 || !g.Epsilon.Admits(largest) {
		t.Fatalf("largest factor %v, by definition %v, epsilon %v", f, largest, g.Epsilon)
	}
	rng := rand.New(rand.NewPCG(uint64(m.Inputs()), uint64(m.Outputs())))
	for range 2 {
		for y, f := range leakage(process(rng, table), p) {
			if f != nil && f.Cmp(largest) > 0 {
				t.Fatalf("after processing output %d leaks %v, before at most %v", y, f, largest)
			}
		}
	}
}

// fractions is m as a full table.
func fractions(m *mechanism.Mechanism) [][]*big.Rat {
	table := make([][]*big.Rat, m.Inputs())
	for x := range table {
		table[x] = make([]*big.Rat, m.Outputs())
		for y := range table[x] {
			table[x][y] = new(big.Rat)
		}
		r := m.Row(x)
		for i, y := range r.Output {
			w := int64(1)
			if r.Weight != nil {
				w = r.Weight[i]
			}
			table[x][y].SetFrac64(w, r.Total)
		}
	}
	return table
}

// leakage is max_x p_xy / sum_x P_x p_xy over letters with records, from the
// definition; nil for an output of probability 0.
func leakage(table [][]*big.Rat, p mechanism.Prior) []*big.Rat {
	factor := make([]*big.Rat, len(table[0]))
	for y := range factor {
		q, most := new(big.Rat), new(big.Rat)
		for x, row := range table {
			if p.Count(x) == 0 {
				continue
			}
			if row[y].Cmp(most) > 0 {
				most = row[y]
			}
			q.Add(q, new(big.Rat).Mul(big.NewRat(p.Count(x), p.Total()), row[y]))
		}
		if q.Sign() > 0 {
			factor[y] = new(big.Rat).Quo(most, q)
		}
	}
	return factor
}

// process multiplies by a random channel from the outputs to three letters.
func process(rng *rand.Rand, table [][]*big.Rat) [][]*big.Rat {
	const letters = 3
	channel := make([][letters]*big.Rat, len(table[0]))
	for y := range channel {
		a, b := rng.Int64N(8), rng.Int64N(8)
		lo, hi := min(a, b), max(a, b)
		channel[y] = [letters]*big.Rat{big.NewRat(lo, 7), big.NewRat(hi-lo, 7), big.NewRat(7-hi, 7)}
	}
	out := make([][]*big.Rat, len(table))
	for x, row := range table {
		for z := range letters {
			sum := new(big.Rat)
			for y, v := range row {
				sum.Add(sum, new(big.Rat).Mul(v, channel[y][z]))
			}
			out[x] = append(out[x], sum)
		}
	}
	return out
}

// nats is an epsilon between 0 and most, with two digits.
func nats(t *testing.T, rng *rand.Rand, most float64) mechanism.Epsilon {
	t.Helper()
	return Epsilon(t, fmt.Sprintf("%.2f", most*rng.Float64()))
}

var one = big.NewRat(1, 1)
