package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/draw"
)

// TestTailBound compares the bound with the exact law of the statistic: one
// row of two and of three outputs, and the sum of two unlike binomials that
// FitOutputs compares with their average.
func TestTailBound(t *testing.T) {
	type point struct{ t, p float64 }
	check := func(name string, law []point, freedom int) {
		slices.SortFunc(law, func(a, b point) int {
			if a.t > b.t {
				return -1
			}
			return 1
		})
		tail := 0.0
		for _, q := range law {
			// Below 1e-250 the sum itself is not exact.
			if tail += q.p; tail < 1e-250 {
				continue
			}
			if !(math.Log(tail) <= logTail(q.t, freedom)+1e-9) {
				t.Fatalf("%s: Pr(T >= %v) = %v is above the bound %v", name, q.t, tail, math.Exp(logTail(q.t, freedom)))
			}
		}
		if !(math.Abs(tail-1) <= 1e-9) {
			t.Errorf("%s: probabilities add up to %v", name, tail)
		}
	}
	for _, n := range []int{1, 2, 5, 40, 300} {
		for _, p := range []float64{.5, .3, .01, 1e-4} {
			var two []point
			for k := range n + 1 {
				two = append(two, point{divergence(float64(k), float64(n)*p) + divergence(float64(n-k),
					float64(n)*(1-p)), binomial(n, k, p)})
			}
			check("two outputs", two, 1)
			if n > 40 {
				continue
			}
			var three, sum []point
			for k := range n + 1 {
				for l := range n - k + 1 {
					m, e := n-k-l, float64(n)
					three = append(three,
						point{divergence(float64(k), e*p/2) + divergence(float64(l), e*p/2) + divergence(float64(m),
							e*(1-p)),
							binomial(n, k+l, p) * binomial(k+l, k, .5)})
				}
			}
			check("three outputs", three, 2)
			for k := range n + 1 {
				for l := range n + 1 {
					q := (p + .9) / 2
					sum = append(sum, point{divergence(float64(k+l), float64(2*n)*q) + divergence(float64(2*n-k-l),
						float64(2*n)*(1-q)),
						binomial(n, k, p) * binomial(n, l, .9)})
				}
			}
			check("unlike records", sum, 1)
		}
	}
}

func binomial(n, k int, p float64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	v := a - b - c
	if k > 0 {
		v += float64(k) * math.Log(p)
	}
	if k < n {
		v += float64(n-k) * math.Log1p(-p)
	}
	return math.Exp(v)
}

func rows(t *testing.T, outputs int, r ...mechanism.Row) *mechanism.Mechanism {
	t.Helper()
	m, err := mechanism.New(outputs, r)
	must(t, err)
	return m
}

// laws are mechanisms that draw is tested on; the second of each pair is
// slightly wrong and must be told apart.
func laws(t *testing.T) map[string][2]*mechanism.Mechanism {
	uniform, weighted := mechanism.UniformRow, mechanism.WeightedRow
	span := func(n int) []uint16 {
		y := make([]uint16, n)
		for i := range y {
			y[i] = uint16(i)
		}
		return y
	}
	// What a word modulo 46,000 would give: the low outputs twice as often.
	biased := make([]int64, 46000)
	for i := range biased {
		biased[i] = 1
		if i < 65536-46000 {
			biased[i] = 2
		}
	}
	return map[string][2]*mechanism.Mechanism{
		"equal": {
			rows(t, 7, uniform([]uint16{1, 3, 6}), uniform([]uint16{0, 1, 2, 3, 4}), uniform([]uint16{5})),
			rows(t, 7, weighted([]uint16{1, 3, 6}, []int64{50, 53, 50}), uniform([]uint16{0, 1, 2, 3, 4}),
				uniform([]uint16{5})),
		},
		"unequal": {
			rows(t, 7, weighted([]uint16{1, 3, 6}, []int64{1, 1 << 40, 1 << 41}),
				weighted([]uint16{0, 2, 5, 6}, []int64{5, 1, 7, 1}), uniform([]uint16{5})),
			rows(t, 7, weighted([]uint16{1, 3, 6}, []int64{1, 100, 198}),
				weighted([]uint16{0, 2, 5, 6}, []int64{5, 1, 7, 1}), uniform([]uint16{5})),
		},
		"long": {rows(t, 46000, uniform(span(46000))), rows(t, 46000, weighted(span(46000), biased))},
	}
}

// TestDrawsFitTheirLaw draws a million records on a fixed seed. A correct
// sampler fails with probability 1e-9 for each of the six tests; a law that is
// wrong by a few hundredths must be refused.
func TestDrawsFitTheirLaw(t *testing.T) {
	const n = 1 << 20
	for name, pair := range laws(t) {
		m, wrong := pair[0], pair[1]
		rng := rand.New(rand.NewPCG(1, 2))
		x := make([]int32, n)
		private, published := make([]int64, m.Inputs()), make([]int64, m.Outputs())
		for i := range x {
			x[i] = int32(rng.IntN(m.Inputs()+1)) - 1
		}
		y := slices.Clone(x)
		draw.NewTable(m).Draw(draw.TestStreams(1).Unit(0, 0), y)
		p, q := NewPairs(m.Inputs(), m.Outputs()), NewPairs(m.Inputs(), m.Outputs())
		p.Add(x[:n/3], y[:n/3])
		q.Add(x[n/3:], y[n/3:])
		p.Merge(q)
		nulls := int64(0)
		for i := range x {
			if x[i] < 0 {
				nulls++
				continue
			}
			private[x[i]]++
			published[y[i]]++
		}
		if f := p.Fit(m); !f.Accepts(Alarm) || f.Records+p.Null() != n || f.Rows != m.Inputs() {
			t.Errorf("%s: draws refused: %+v", name, f)
		}
		if f := p.Fit(wrong); f.Accepts(Alarm) || f.Forbidden != 0 {
			t.Errorf("%s: a wrong law is accepted: %+v", name, f)
		}
		if f := FitOutputs(m, private, published); !f.Accepts(Alarm) ||
			f.Records+nulls != n {
			t.Errorf("%s: outputs refused: %+v", name, f)
		}
		if f := FitOutputs(wrong, private, published); f.Accepts(Alarm) {
			t.Errorf("%s: outputs of a wrong law are accepted: %+v", name, f)
		}
	}
}

// TestOneForbiddenRecordIsRefused puts one record on each kind of forbidden
// cell, beside a million fitting ones.
func TestOneForbiddenRecordIsRefused(t *testing.T) {
	m := rows(t, 3, mechanism.UniformRow([]uint16{0, 1}), mechanism.UniformRow([]uint16{1}))
	base := func() *Pairs {
		p := NewPairs(2, 3)
		p.AddCounted(0, 0, 500_000)
		p.AddCounted(0, 1, 500_000)
		p.AddCounted(1, 1, 1)
		return p
	}
	if f := base().Fit(m); !f.Accepts(Alarm) {
		t.Fatalf("fitting records are refused: %+v", f)
	}
	for _, c := range [][2]int32{{0, 2}, {1, 0}, {1, 2}, {-1, 0}, {0, -1}, {2, 0}, {0, 3}} {
		p := base()
		p.Add([]int32{c[0], -1}, []int32{c[1], -1})
		if f := p.Fit(m); f.Accepts(Alarm) || f.Accepts(0) || f.Forbidden != 1 || p.Null() != 1 {
			t.Errorf("record %d published as %d: %+v", c[0], c[1], f)
		}
	}
	for _, published := range [][]int64{{50, 49, 1}, {50, 49, 0}, {50, 51, 0}} {
		if f := FitOutputs(m, []int64{100, 0}, published); f.Accepts(Alarm) || f.Forbidden != 1 {
			t.Errorf("outputs %v: %+v", published, f)
		}
	}
}

// TestPairsKeptInAnyWay compares the ways in which pairs are kept, nulls and
// strays among them: a table, one whose counts pass 2^32, and those that occur.
func TestPairsKeptInAnyWay(t *testing.T) {
	const many = 1<<32 - 2
	for _, n := range [][2]int{{50, 60}, {256, 256}, {257, 30}, {700, 600}, {1, 1}} {
		rng := rand.New(rand.NewPCG(3, 4))
		table, full, cells := NewPairs(n[0], n[1]), NewPairs(n[0], n[1]), newPairs(n[0], n[1], 0)
		for x := range n[0] {
			full.AddCounted(x, x%n[1], many)
		}
		for range 5 {
			x, y := make([]int32, 403), make([]int32, 403)
			for i := range x {
				x[i], y[i] = int32(rng.IntN(n[0])), int32(rng.IntN(n[1]))
				if strange := []int32{-1, int32(n[0]), int32(n[1]), 1 << 30, -1 << 31}; rng.IntN(20) == 0 {
					x[i] = strange[rng.IntN(5)]
					if rng.IntN(2) == 0 {
						y[i] = strange[rng.IntN(5)]
					}
				}
				if rng.IntN(3) == 0 && x[i] >= 0 {
					y[i] = x[i] % int32(n[1])
				}
			}
			table.Add(x, y)
			full.Add(x, y)
			part := newPairs(n[0], n[1], 0)
			part.Add(x, y)
			cells.Merge(part)
		}
		twice := NewPairs(n[0], n[1])
		twice.Merge(table)
		twice.Merge(full)
		for x := range n[0] {
			for y := range n[1] {
				before := int64(0)
				if y == x%n[1] {
					before = many
				}
				k := cells.Count(x, y)
				if table.Count(x, y) != k || full.Count(x, y) != before+k || twice.Count(x, y) != before+2*k {
					t.Fatalf("%d letters, cell %d,%d: %d, kept in other ways %d and %d, twice %d", n, x, y, k,
						table.Count(x, y), full.Count(x, y), twice.Count(x, y))
				}
			}
		}
		if !slices.Equal(table.Records(), cells.Records()) || table.null != cells.null || table.stray != cells.stray {
			t.Errorf("%d letters: records by letter, nulls or strays differ", n)
		}
		if twice.null != 2*cells.null || twice.stray != 2*cells.stray || cells.stray == 0 || cells.null == 0 {
			t.Errorf("%d letters: %d nulls and %d strays, twice %d and %d", n, cells.null, cells.stray, twice.null,
				twice.stray)
		}
	}
	if NewPairs(3000, 3000).cell.count != nil {
		t.Error("a large table is kept")
	}
}

// TestEmptyFits: nothing was compared, so nothing is wrong.
func TestEmptyFits(t *testing.T) {
	m := rows(t, 2, mechanism.UniformRow([]uint16{0, 1}))
	for _, f := range []Goodness{NewPairs(1, 2).Fit(m), FitOutputs(m, []int64{0}, []int64{0, 0})} {
		if !f.Accepts(Alarm) || f.Records != 0 || f.Row != -1 {
			t.Errorf("%+v", f)
		}
	}
}
