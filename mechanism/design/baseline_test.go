package design

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

func mustBaselines(t *testing.T, p mechanism.Prior, o mechanism.Order, eps string) []Baseline {
	t.Helper()
	e, err := mechanism.ParseEpsilon(eps)
	if err != nil {
		t.Fatal(err)
	}
	all, err := All(p, o, e)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// leakageOf is the definition, on probabilities.
func leakageOf(p mechanism.Prior, law [][]float64) float64 {
	eps := 0.0
	for y := range law[0] {
		q, most := 0.0, 0.0
		for x, row := range law {
			if c := p.Count(x); c > 0 {
				q += float64(c) / float64(p.Total()) * row[y]
				most = math.Max(most, row[y])
			}
		}
		if q > 0 {
			eps = math.Max(eps, math.Log(most/q))
		}
	}
	return eps
}

func randomOrder(t *testing.T, rng *rand.Rand) (mechanism.Prior, mechanism.Order) {
	n := 2 + rng.IntN(6)
	m := 2 + rng.IntN(6)
	count, value := make([]int64, n), make([][]float64, n)
	for x := range count {
		count[x] = 1 + rng.Int64N(1+1<<rng.IntN(12))
		for range m {
			value[x] = append(value[x], -10*rng.Float64())
		}
	}
	if rng.IntN(3) == 0 {
		count[0] = 0
	}
	return mechtest.Prior(t, count...), mechtest.Matrix(t, value)
}

// Both at the level that guarantees epsilon and tuned to it: rows sum to 1,
// the level holds as local differential privacy, the leakage is what the
// definition says and never above epsilon.
func TestBaselinesKeepEpsilon(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	tuned := 0
	for range 300 {
		p, o := randomOrder(t, rng)
		x, c := p.Least()
		if c == p.Total() {
			continue
		}
		eps := rng.Float64() * -math.Log(float64(c)/float64(p.Total())) * .999
		e := mechtest.Epsilon(t, strconv.FormatFloat(eps, 'f', -1, 64))
		all, err := All(p, o, e)
		if err != nil || len(all) != 4 {
			t.Fatalf("%d baselines, %v; least letter %d", len(all), err, x)
		}
		for i, b := range all {
			if b.Tuned != (i%2 == 1) {
				t.Fatalf("place %d: tuned %v", i, b.Tuned)
			}
			level, worst, mean := 0.0, math.Inf(1), 0.0
			value := make([]float64, o.Outputs())
			for x, row := range b.Law {
				sum := 0.0
				o.Row(x, nil, value)
				for y, v := range row {
					sum += v
					worst = math.Min(worst, value[y])
					mean += float64(p.Count(x)) / float64(p.Total()) * v * value[y]
					for _, other := range b.Law {
						if v > 0 && other[y] > 0 { // else it underflows
							level = math.Max(level, math.Log(v/other[y]))
						}
					}
				}
				if !(math.Abs(sum-1) <= 1e-12) {
					t.Fatalf("%s: row %d sums to %v", b.Kind, x, sum)
				}
			}
			if !(math.Abs(leakageOf(p, b.Law)-b.PML) <= 1e-9) || !(b.PML <= eps*(1+1e-12)) {
				t.Errorf("%s: leakage %v, by definition %v, epsilon %v", b.Kind, b.PML, leakageOf(p, b.Law), eps)
			}
			if !math.IsInf(b.Level, 1) && (!(level <= b.Level*(1+1e-9)+1e-12) || b.Worst != worst) {
				t.Errorf("%s: level %v, by definition %v; worst %v, want %v", b.Kind, b.Level, level, b.Worst, worst)
			}
			if !(math.Abs(mean-b.Expected) <= 1e-10) {
				t.Errorf("%s: expected %v, by definition %v", b.Kind, b.Expected, mean)
			}
			if b.Tuned && !math.IsInf(b.Level, 1) {
				tuned++
				if !(b.PML >= eps-1e-9) {
					t.Errorf("%s: tuned leakage %v, epsilon %v", b.Kind, b.PML, eps)
				}
			}
			if b.Tuned && !(b.Level >= all[i-1].Level*(1-1e-9)) {
				t.Errorf("%s: tuned level %v is below the guaranteed %v", b.Kind, b.Level, all[i-1].Level)
			}
		}
	}
	if tuned < 300 {
		t.Errorf("only %d were tuned", tuned)
	}
}

// The counting query of the paper: every output can occur, so the worst value
// is -37 whatever epsilon, until from log 7 on no noise is needed. Under the
// even prior randomised response has the leakage of its level exactly.
func TestBaselinesCountingQuery(t *testing.T) {
	d := mechtest.Paper(t)
	p, o := mechtest.Prior(t, d.Counting.Counts...), mechtest.Matrix(t, d.Counting.Value)
	for _, eps := range []string{"0", "1e-9", "0.5", "1.3", "1.945"} {
		e, _ := mechanism.ParseEpsilon(eps)
		for _, b := range mustBaselines(t, p, o, eps) {
			if b.Worst != -37 {
				t.Errorf("epsilon %s: %s has worst %v", eps, b.Kind, b.Worst)
			}
			if (b.Tuned || b.Kind != "exponential") && !(math.Abs(b.PML-e.Nats()) <= 1e-9) {
				t.Errorf("epsilon %s: %s leaks %v", eps, b.Kind, b.PML)
			}
		}
	}
	for _, b := range mustBaselines(t, p, o, "log(7)") {
		if b.Worst != 0 || !math.IsInf(b.Level, 1) || !(math.Abs(b.PML-math.Log(7)) <= 1e-12) {
			t.Errorf("epsilon log 7: %s at level %v has worst %v, leaks %v", b.Kind, b.Level, b.Worst, b.PML)
		}
	}
}

func TestBaselinesForbidden(t *testing.T) {
	inf := math.Inf(-1)
	all := mustBaselines(t, mechtest.Prior(t, 3, 4), mechtest.Matrix(t, [][]float64{{0, inf}, {-1, 0}}), "0.2")
	if len(all) != 2 || all[0].Kind != "randomised response" || all[0].Worst != inf || all[0].Expected != inf {
		t.Errorf("%+v", all)
	}
	// What the letter does not change costs nothing.
	for _, b := range mustBaselines(t, mechtest.Prior(t, 3, 4), mechtest.Matrix(t, [][]float64{{0, 1}, {0, 1}}), "0") {
		if b.Kind == "exponential" && (b.PML != 0 || b.Worst != 1 || b.Expected != 1) {
			t.Errorf("%+v", b)
		}
	}
	for _, b := range mustBaselines(t, mechtest.Prior(t, 0, 0), mechtest.Matrix(t, [][]float64{{0, 1}, {1, 0}}), "0") {
		if b.PML != 0 || b.Expected != 0 {
			t.Errorf("no records: %+v", b)
		}
	}
}

func TestLocalLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 2))
	for range 200 {
		least := 1 + rng.Int64N(50)
		p := mechtest.Prior(t, least, 50+rng.Int64N(50), 0)
		e := mechanism.LogOf(big.NewRat(1000+rng.Int64N(200), 1000))
		m := float64(least) / float64(p.Total())
		if l := LocalLevel(p, e); !(math.Abs(math.Log(m+(1-m)*math.Exp(-l))+e.Nats()) <= 1e-12) && !math.IsInf(l, 1) {
			t.Errorf("P_min %v, epsilon %v: level %v", m, e, l)
		}
		if l, i := LocalLevel(p, e), ImpliedLocalLevel(p, e); !(l <= i*(1+1e-12)) {
			t.Errorf("P_min %v, epsilon %v: level %v guarantees it, %v is implied", m, e, l, i)
		}
	}
	p := mechtest.Prior(t, 1, 6)
	if l := LocalLevel(p, mechanism.LogOf(big.NewRat(7, 1))); !math.IsInf(l, 1) {
		t.Errorf("at -log P_min: level %v", l)
	}
	if l := ImpliedLocalLevel(p, mechanism.LogOf(big.NewRat(7, 6))); !math.IsInf(l, 1) {
		t.Errorf("at -log(1 - P_min): implied level %v", l)
	}
}
