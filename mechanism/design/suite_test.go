package design

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// The suite that every design must pass. It recomputes what a mechanism claims from the definitions,
// in fractions and without the code under test, and holds designs against the thresholds of Song and
// Oechtering's examples.
func TestDesigns(t *testing.T) {
	for _, kind := range append(Kinds(), "auto") {
		t.Run(kind, func(t *testing.T) {
			goals := 50         // of 200 at random that are reached
			if kind == Blocks { // for outputs that stand for letters
				goals = 20
			} else {
				thresholds(t, kind)
			}
			degenerate(t, kind)
			random(t, kind, goals)
		})
	}
}

// thresholds holds a design between what the utility-safe mechanism reaches
// at a floor and what is proven to be the least there.
func thresholds(t *testing.T, kind string) {
	flat, o := mechtest.Counting()
	nudge := big.NewRat(999999, 1000000)
	for h, f := range map[int][2]*big.Rat{ // safe, least
		1: {big.NewRat(1, 1), big.NewRat(1, 1)},
		2: {big.NewRat(7, 3), big.NewRat(1, 1)},
		3: {big.NewRat(7, 3), big.NewRat(1, 1)},
		4: {big.NewRat(7, 2), big.NewRat(1, 1)},
		5: {big.NewRat(7, 2), big.NewRat(2, 1)},
		6: {big.NewRat(7, 1), big.NewRat(7, 2)},
		7: {big.NewRat(7, 1), big.NewRat(7, 1)},
	} {
		floor := mechanism.RankFloor(h)
		g := Goal{Epsilon: mechanism.LogOf(f[0]), Floor: &floor, Kind: kind}
		if check(t, flat, o, g) == nil {
			t.Errorf("rank >= %d is not reached at the factor %v of M*", h, f[0])
		}
		if below := new(big.Rat).Mul(f[1], nudge); below.Cmp(oneOf) >= 0 {
			g.Epsilon = mechanism.LogOf(below)
			if m := check(t, flat, o, g); m != nil {
				t.Errorf("rank >= %d is reached below its least factor %v", h, f[1])
			}
		}
		g = Goal{Epsilon: mechanism.LogOf(f[0]), Kind: kind}
		if m := check(t, flat, o, g); m == nil {
			t.Errorf("no floor at the factor %v", f[0])
		} else if rank, _ := m.Floor(o); rank < h {
			t.Errorf("rank %d at the factor %v, M* has %d", rank, f[0], h)
		}
	}
	// Not monotone: at 1 nat only rank 3 of M* fits, and it must be found.
	o = mechtest.Matrix([][]float64{{3, 2, 1}, {2, 3, 1}, {3, 1, 2}})
	m := check(t, mechtest.Prior(50, 49, 1), o, Goal{Epsilon: mechtest.Epsilon("1"), Kind: kind})
	if rank, _ := m.Floor(o); rank != 3 {
		t.Errorf("rank %d at 1 nat, want 3", rank)
	}
}

// degenerate priors leak nothing whatever the mechanism.
func degenerate(t *testing.T, kind string) {
	_, o := mechtest.Counting()
	for _, count := range [][]int64{{0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 5, 0, 0, 0},
		{math.MaxInt64 / 2, 0, 0, 0, 0, 0, 0}} {
		m := check(t, mechtest.Prior(count...), o, Goal{Kind: kind})
		if m == nil {
			t.Fatalf("counts %v: epsilon 0 is not reached", count)
		}
		if rank, _ := m.Floor(o); rank != 7 {
			t.Errorf("counts %v: rank %d, want 7", count, rank)
		}
	}
	check(t, mechtest.Prior(3), mechtest.Matrix([][]float64{{1}}), Goal{Kind: kind})
	check(t, mechtest.Prior(3, 4), mechtest.Matrix([][]float64{{1}, {2}}), Goal{ByValue: true, Kind: kind})
	var none *mechanism.NoOutputError
	o = mechtest.Matrix([][]float64{{1, 2}, {math.Inf(-1), math.Inf(-1)}})
	_, _, err := Make(t.Context(), mechtest.Prior(1, 1), o, Goal{Kind: kind})
	if !errors.As(err, &none) || none.Letter != 1 {
		t.Errorf("a row that forbids everything: error %v", err)
	}
}

// random goals over random orders: ties, letters without records, forbidden
// outputs, floors given and searched, by rank and by value.
func random(t *testing.T, kind string, goals int) {
	rng := rand.New(rand.NewPCG(11, 12))
	made := 0
	for trial := range 200 {
		n, m := 1+rng.IntN(7), 1+rng.IntN(7)
		count, value := make([]int64, n), make([][]float64, n)
		for x := range value {
			count[x] = rng.Int64N(4) * rng.Int64N(1000)
			for range m {
				v := float64(rng.IntN(9))
				if trial%4 == 1 && v < 3 {
					v = math.Inf(-1)
				}
				value[x] = append(value[x], v)
			}
			value[x][rng.IntN(m)] = 5
		}
		g := Goal{Epsilon: mechtest.Epsilon(fmt.Sprintf("%.2f", 3*rng.Float64())), ByValue: rng.IntN(2) == 0, Kind: kind}
		switch rng.IntN(4) {
		case 0:
			f := mechanism.RankFloor(1 + rng.IntN(m))
			g.Floor = &f
		case 1:
			f := mechanism.ValueFloor(float64(rng.IntN(6)))
			g.Floor = &f
		}
		if check(t, mechtest.Prior(count...), mechtest.Matrix(value), g) != nil {
			made++
		}
	}
	if made < goals {
		t.Errorf("only %d of 200 goals were reached", made)
	}
}

// check designs for one goal and checks the answer; it returns nil where the
// goal is out of reach, after checking that the factor named instead is
// within reach.
func check(t *testing.T, p mechanism.Prior, o mechanism.Order, g Goal) *mechanism.Mechanism {
	t.Helper()
	m, _, err := Make(t.Context(), p, o, g)
	var short *UnreachableError
	if !errors.As(err, &short) {
		must(t, err)
		verify(t, m, p, o, g)
		return m
	}
	if short.Least == nil {
		return nil
	}
	if g.Epsilon.Admits(short.Least) {
		t.Fatalf("%v: refused, and yet the factor %v is within epsilon", g.Epsilon, short.Least)
	}
	g.Epsilon, g.Floor = mechanism.LogOf(short.Least), &short.AtFloor
	if m, _, err = Make(t.Context(), p, o, g); err != nil {
		t.Fatalf("the factor %v that is said to fit does not: %v", short.Least, err)
	}
	verify(t, m, p, o, g)
	return nil
}

// verify holds m against the definitions: rows that sum to 1 over outputs
// that the floor allows, the leakage of every output, and that processing the
// output can only lower the largest.
func verify(t *testing.T, m *mechanism.Mechanism, p mechanism.Prior, o mechanism.Order, g Goal) {
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
		if sum.Cmp(oneOf) != 0 {
			t.Fatalf("row %d sums to %v", x, sum)
		}
	}
	slow := leakage(table, p)
	fast := m.Leakage(p)
	largest := new(big.Rat).Set(oneOf)
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

// To come nearest is to be as useful as what a limit of that shift allows, at its floor:
// no closed form of the same shift stands in the way.
func TestNearestIsUseful(t *testing.T) {
	const letters, instances = 12, 40
	for _, allowed := range []int{2, 4} { // a half, a quarter
		reached := 0
		for seed := range uint64(instances) {
			rng := rand.New(rand.NewPCG(seed, 41))
			count, value := make([]int64, letters), make([][]float64, letters)
			for x := range value {
				count[x] = 1 + int64(1e8*rng.ExpFloat64())
				for range letters {
					v := -float64(1 + rng.IntN(3))
					if rng.IntN(allowed) > 0 {
						v = -9
					}
					value[x] = append(value[x], v)
				}
				value[x][x] = 0
			}
			p, stands := mechtest.Prior(count...), identity(letters)
			o := mechtest.Matrix(value)
			goal := Goal{Epsilon: mechtest.Epsilon("log(6)"), ByValue: true, Nearest: true, Stands: stands}
			_, near, err := Make(t.Context(), p, o, goal)
			if err != nil {
				continue
			}
			reached++
			goal.Nearest, goal.MaxShift, goal.Floor = false, near.Shares.Shift, &near.Floor
			m, e, err := Make(t.Context(), p, o, goal)
			if err != nil {
				t.Fatalf("%d, seed %d: within the shift of the nearest: %v", allowed, seed, err)
			}
			if e.ExpectedUtility > near.ExpectedUtility+1e-5 { // a millionth of the range
				t.Errorf("%d, seed %d: the nearest, %s, is worth %v, and %s within its shift %v", allowed, seed, near.Kind,
					near.ExpectedUtility, e.Kind, e.ExpectedUtility)
			}
			if f := m.Factor(p); !goal.Epsilon.Admits(f) || mechanism.Nats(f) == 0 {
				t.Errorf("%d, seed %d: factor %v", allowed, seed, f)
			}
		}
		if reached < instances/2 {
			t.Errorf("one of %d: %d of %d instances have a mechanism", allowed, reached, instances)
		}
	}
}
