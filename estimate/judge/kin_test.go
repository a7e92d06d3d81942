package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Rows of one value that hold one letter are seen as such, by one row of each
// value; where they are of one person, or of values that tell nothing, nothing
// is.
func TestKin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	law := &Law{Prior: []float64{.3, .25, .25, .2}, Factor: 10, Level: 1e-6}
	for _, c := range []struct {
		name            string
		same, person    bool
		least, most     float64
		outcome         Outcome
		values, perRows int
	}{
		{"one letter a value", true, false, .5, 1, Refuse, 2000, 3},
		{"one letter a person", true, true, 0, .1, Clear, 2000, 3},
		{"any letter", false, false, 0, .05, Clear, 2000, 3},
	} {
		var rows []Row
		for v := range c.values {
			x := rng.Int32N(4)
			for range c.perRows {
				if !c.same {
					x = rng.Int32N(4)
				}
				r := Row{Value: uint64(v), Chance: rng.Uint32(), Letter: x}
				if c.person {
					r.Person = uint64(v) + 1
				}
				rows = append(rows, r)
			}
		}
		v, ok := Kin(rows, law)
		if c.person {
			if ok { // no value has a row of another person
				t.Errorf("%s: %+v", c.name, v)
			}
			continue
		}
		if !ok || v.Outcome != c.outcome || !(v.Gain >= c.least && v.GainMost <= c.most) || v.Held != c.values {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	if v, ok := Kin(make([]Row, 900), law); ok {
		t.Errorf("one value is judged: %+v", v)
	}
}

// The bounds hold: by exact enumeration of all outcomes of 40 rows, the lower
// one is above the truth with at most the chance it may, four times over.
func TestBoundsCover(t *testing.T) {
	const n, each = 40, .01
	lf := func(k int) float64 { v, _ := math.Lgamma(float64(k) + 1); return v }
	for _, p := range [][2]float64{{.3, .1}, {.05, .05}, {.5, .4}, {.9, .02}, {.02, .3}} {
		above, below := 0.0, 0.0
		for plus := range n + 1 {
			for minus := 0; plus+minus <= n; minus++ {
				rest := n - plus - minus
				chance := math.Exp(lf(n) - lf(plus) - lf(minus) - lf(rest) + float64(plus)*math.Log(p[0]) + float64(
					minus)*math.Log(p[1]) + float64(rest)*math.Log1p(-p[0]-p[1]))
				g := bounds(int64(plus), int64(minus), n, each)
				if g.least > p[0]-p[1] {
					above += chance
				}
				if g.most < p[0]-p[1] {
					below += chance
				}
			}
		}
		if !(above <= 4*each) || !(below <= 4*possible) {
			t.Errorf("right alone %v, wrong alone %v: above the truth %v, below %v", p[0], p[1], above, below)
		}
	}
}
