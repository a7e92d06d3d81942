package mechtest

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// counting is the paper's counting query: u'(x,y) for |x-y|, answers that are
// too small costing one more.
func counting(t *testing.T) mechanism.Order {
	value := make([][]float64, 7)
	for x := range value {
		for y := range 7 {
			d := float64((x - y) * (x - y))
			if y < x {
				d++
			}
			value[x] = append(value[x], -d)
		}
	}
	return Matrix(t, value)
}

// thresholds holds a design between what the utility-safe mechanism reaches
// at a floor and what is proven to be the least there.
func thresholds(t *testing.T, d Design) {
	flat := Prior(t, 1, 1, 1, 1, 1, 1, 1)
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
		g := Goal{Epsilon: mechanism.LogOf(f[0]), Floor: &floor}
		if Check(t, d, flat, counting(t), g) == nil {
			t.Errorf("rank >= %d is not reached at the factor %v of M*", h, f[0])
		}
		if below := new(big.Rat).Mul(f[1], nudge); below.Cmp(one) >= 0 {
			g.Epsilon = mechanism.LogOf(below)
			if m := Check(t, d, flat, counting(t), g); m != nil {
				t.Errorf("rank >= %d is reached below its least factor %v", h, f[1])
			}
		}
		g = Goal{Epsilon: mechanism.LogOf(f[0])}
		if m := Check(t, d, flat, counting(t), g); m == nil {
			t.Errorf("no floor at the factor %v", f[0])
		} else if rank, _ := m.Floor(counting(t)); rank < h {
			t.Errorf("rank %d at the factor %v, M* has %d", rank, f[0], h)
		}
	}
	// Not monotone: at 1 nat only rank 3 of M* fits, and it must be found.
	o := Matrix(t, [][]float64{{3, 2, 1}, {2, 3, 1}, {3, 1, 2}})
	m := Check(t, d, Prior(t, 50, 49, 1), o, Goal{Epsilon: Epsilon(t, "1")})
	if rank, _ := m.Floor(o); rank != 3 {
		t.Errorf("rank %d at 1 nat, want 3", rank)
	}
}

// degenerate priors leak nothing whatever the mechanism.
func degenerate(t *testing.T, d Design) {
	for _, count := range [][]int64{{0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 5, 0, 0, 0},
		{math.MaxInt64 / 2, 0, 0, 0, 0, 0, 0}} {
		m := Check(t, d, Prior(t, count...), counting(t), Goal{})
		if m == nil {
			t.Fatalf("counts %v: epsilon 0 is not reached", count)
		}
		if rank, _ := m.Floor(counting(t)); rank != 7 {
			t.Errorf("counts %v: rank %d, want 7", count, rank)
		}
	}
	Check(t, d, Prior(t, 3), Matrix(t, [][]float64{{1}}), Goal{})
	Check(t, d, Prior(t, 3, 4), Matrix(t, [][]float64{{1}, {2}}), Goal{ByValue: true})
	var none *mechanism.NoOutputError
	o := Matrix(t, [][]float64{{1, 2}, {math.Inf(-1), math.Inf(-1)}})
	if _, err := d(Prior(t, 1, 1), o, Goal{}); !errors.As(err, &none) || none.Letter != 1 {
		t.Errorf("a row that forbids everything: error %v", err)
	}
}

// random goals over random orders: ties, letters without records, forbidden
// outputs, floors given and searched, by rank and by value.
func random(t *testing.T, d Design, goals int) {
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
		g := Goal{Epsilon: nats(t, rng, 3), ByValue: rng.IntN(2) == 0}
		switch rng.IntN(4) {
		case 0:
			f := mechanism.RankFloor(1 + rng.IntN(m))
			g.Floor = &f
		case 1:
			f := mechanism.ValueFloor(float64(rng.IntN(6)))
			g.Floor = &f
		}
		if Check(t, d, Prior(t, count...), Matrix(t, value), g) != nil {
			made++
		}
	}
	if made < goals {
		t.Errorf("only %d of 200 goals were reached", made)
	}
}
