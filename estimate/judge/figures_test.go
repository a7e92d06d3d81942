package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// circulant lets letter x become one of the next k of n letters.
func circulant(t *testing.T, n, k int) *mechanism.Mechanism {
	t.Helper()
	row := make([]mechanism.Row, n)
	for x := range row {
		var out []uint16
		for y := range n {
			if (y-x+n)%n < k {
				out = append(out, uint16(y))
			}
		}
		row[x] = mechanism.UniformRow(out)
	}
	m, err := mechanism.New(n, row)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fill makes a table of these counts, by stratum and letter.
func fill(count [][]int64) *Table {
	t := NewTable(len(count), len(count[0]), 1)
	for w, row := range count {
		for x, n := range row {
			for range n {
				t.AddPairs([]int32{int32(w)}, nil, 0, []int32{int32(x)}, nil)
			}
		}
	}
	return t
}

// brute computes the figures from the joint law of stratum, letter and output.
func brute(m *mechanism.Mechanism, count [][]int64) (f Figures) {
	letters := m.Inputs()
	n, by := 0.0, make([]float64, letters)
	for _, row := range count {
		for x, c := range row {
			n += float64(c)
			by[x] += float64(c)
		}
	}
	p := func(x, y int) float64 {
		r := m.Row(x)
		for i, o := range r.Output {
			if int(o) == y {
				return float64(r.At(i)) / float64(r.Total)
			}
		}
		return 0
	}
	lift := func(like func(x int) float64, prior func(x int) float64) (factor, guess, mass float64, sure bool) {
		most, ways := 0.0, 0
		for x := range letters {
			if prior(x) == 0 {
				continue
			}
			l := like(x)
			mass += prior(x) * l
			most = max(most, l)
			guess = max(guess, prior(x)*l)
			if prior(x)*l > 0 {
				ways++
			}
		}
		return most / mass, guess, mass, ways == 1
	}
	overall := func(x int) float64 { return by[x] / n }
	for x := range letters {
		f.GuessNone = max(f.GuessNone, overall(x))
		if by[x] > 0 {
			f.Entropy -= overall(x) * math.Log(overall(x))
		}
	}
	for y := range m.Outputs() {
		_, guess, mass, sure := lift(func(x int) float64 { return p(x, y) }, overall)
		f.GuessDrawn += guess
		if sure {
			f.CertainDrawn += mass
		}
	}
	shared, cells, strata, seen := 0.0, 0, 0, 0
	for x := range letters {
		if by[x] > 0 {
			seen++
		}
	}
	for w := range count {
		in := func(x int) float64 {
			if by[x] == 0 {
				return 0
			}
			return float64(count[w][x]) / by[x]
		}
		factor, guess, mass, sure := lift(in, overall)
		if !(mass > 0) {
			continue
		}
		strata++
		f.Alone, f.GuessAlone = max(f.Alone, math.Log(factor)), f.GuessAlone+guess
		if sure {
			f.CertainAlone += mass
		}
		for x := range letters {
			if c := float64(count[w][x]); c > 0 {
				cells++
				shared += c / n * math.Log(c/n/(mass*overall(x)))
			}
		}
		for y := range m.Outputs() {
			factor, guess, both, sure := lift(func(x int) float64 { return in(x) * p(x, y) }, overall)
			if !(both > 0) {
				continue
			}
			f.Total, f.GuessBoth = max(f.Total, math.Log(factor)), f.GuessBoth+guess
			if sure {
				f.CertainBoth += both
			}
			given, _, _, _ := lift(func(x int) float64 { return p(x, y) },
				func(x int) float64 { return float64(count[w][x]) / (mass * n) })
			f.Given = max(f.Given, math.Log(given))
		}
	}
	f.Removed = min(1, max(0, (shared-float64(cells-seen-strata+1)/(2*n))/f.Entropy))
	return f
}

// TestFigures compares all figures with the joint law on random tables.
func TestFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for i := range 1000 {
		letters, strata := 2+rng.IntN(5), 1+rng.IntN(6)
		m := circulant(t, letters, 1+rng.IntN(letters))
		count := make([][]int64, strata)
		for w := range count {
			count[w] = make([]int64, letters)
			count[w][rng.IntN(letters)] = Small
			for x := range count[w] {
				if rng.IntN(3) > 0 {
					count[w][x] += 2 * rng.Int64N(30)
				}
			}
		}
		got, want := fill(count).Measure(m), brute(m, count)
		if got.Entropy == 0 {
			want.Removed = 0
		}
		for name, v := range map[string][2]float64{
			"alone": {got.Alone, want.Alone}, "given": {got.Given, want.Given}, "total": {got.Total, want.Total},
			"guess": {got.GuessNone, want.GuessNone}, "guess by w": {got.GuessAlone, want.GuessAlone},
			"guess by y":    {got.GuessDrawn, want.GuessDrawn},
			"guess by both": {got.GuessBoth, want.GuessBoth}, "certain by w": {got.CertainAlone, want.CertainAlone},
			"certain by both": {got.CertainBoth, want.CertainBoth},
			"certain by y":    {got.CertainDrawn, want.CertainDrawn},
			"entropy":         {got.Entropy, want.Entropy}, "removed": {got.Removed, want.Removed},
		} {
			if !(math.Abs(v[0]-v[1]) <= 1e-9) {
				t.Fatalf("table %d, %s: %v, want %v (%v)", i, name, v[0], v[1], count)
			}
		}
		for name, w := range map[string]Worst{"given": got.Worst, "total": got.Joint} {
			nats := map[string]float64{"given": got.Given, "total": got.Total}[name]
			if !(math.Abs(math.Log(w.Factor)-nats) <= 1e-9 && math.Abs(w.After/w.Prior-w.Factor) <= 1e-9 &&
				w.After <= 1+1e-9) || w.Stratum < 0 || w.Letter < 0 || w.Output < 0 {
				t.Fatalf("table %d, worst of %s: %+v at %v nats", i, name, w, nats)
			}
		}
	}
}

// Small strata are told apart, and what remains does not depend on the order
// of the records or on how they were counted.
func TestSmallStrata(t *testing.T) {
	m := circulant(t, 3, 2)
	count := [][]int64{{30, 0, 2}, {5, 6, 7}, {10, 10, 0}, {0, 0, 0}, {0, 19, 0}}
	rare := circulant(t, 9, 2)
	if f := fill([][]int64{{20, 1, 1, 0, 0, 0, 0, 0, 0}, {20, 1, 1, 1, 0, 0, 0, 0, 0}}).Measure(rare); f.Strata != 1 ||
		f.SmallRecords != 23 {
		t.Errorf("letters that come up once: %+v", f)
	}
	f := fill(count).Measure(m)
	if f.Records != 52 || f.Strata != 2 || f.SmallStrata != 2 || f.SmallRecords != 37 {
		t.Errorf("%+v", f)
	}
	for _, strata := range []int{5, denseCells} {
		a := NewTable(strata, 3, 1)
		for w, row := range count {
			for x, n := range row {
				for i := range n {
					a.AddPairs([]int32{int32(w), int32(w)}, nil, 0, []int32{int32(x), -1}, nil)
					if i%3 == 0 {
						a.fold()
					}
				}
			}
		}
		if a.Measure(m) != f {
			t.Errorf("%d strata: figures depend on how records were counted", strata)
		}
		if a.Work(m) != 8 {
			t.Errorf("%d steps", a.Work(m))
		}
	}
	if f := NewTable(1, 3, 1).Measure(m); f.Records != 0 || f.Worst != none || f.Total != 0 {
		t.Errorf("no records: %+v", f)
	}
}
