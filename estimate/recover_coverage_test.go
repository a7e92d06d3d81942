package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

func torture() bool { return os.Getenv("TACET_TORTURE") == "1" }

// A trial is what coverage is counted of: a mechanism, and the letters of a file or of a
// population in cells that are published beside them.
type trial struct {
	name  string
	law   *mechanism.Mechanism
	cells [][]int64 // letters of the file by cell
	sets  [][]int
}

func trials(t *testing.T) []trial {
	r := rand.New(rand.NewPCG(15, 16))
	alone, few := each(5), [][]int{{0}, {1}, {2}, {0, 2}, {1, 3}}
	return []trial{
		{"uniform", cyclic(t, 5, 2), [][]int64{{900, 500, 300, 200, 100}}, alone},
		{"uniform groups", cyclic(t, 6, 2), [][]int64{{600, 500, 300, 200, 250, 150}},
			[][]int{{0, 1}, {1, 2}, {0, 1, 2, 3}, {2, 5}}},
		{"weighted", keeping(t, 5, 5, r), [][]int64{{900, 500, 300, 200, 100}}, alone},
		{"weighted groups", keeping(t, 6, 6, r), [][]int64{{600, 500, 300, 200, 250, 150}},
			[][]int{{0, 1}, {1, 2, 3}, {4, 5}, {0, 2, 4}}},
		{"more outputs than letters", keeping(t, 4, 7, r), [][]int64{{700, 600, 400, 300}}, few[:4]},
		{"a table of two columns", keeping(t, 4, 4, r), [][]int64{{700, 300, 100, 200}, {100, 300, 500, 500}}, few},
	}
}

// TestCoverage counts how often an interval of 95 % holds what it is about: the file's
// own share where its letters stay and only draws are repeated, the population's where
// the letters are drawn anew as well. In the long form, of 20,000 releases, that must be
// 94.5 to 95.5 % for every share; in the short form it may be off by six standard
// deviations, which happens by chance once in 10^8 shares.
func TestCoverage(t *testing.T) {
	releases, tol := 1500, 6*math.Sqrt(.95*.05/1500)
	if torture() {
		releases, tol = 20000, .005
	}
	for _, trial := range trials(t) {
		for _, w := range []Whose{OfFile, OfPopulation} {
			t.Run(fmt.Sprint(trial.name, w), func(t *testing.T) {
				t.Parallel()
				c, r := NewChannel(trial.law), rand.New(rand.NewPCG(17, uint64(w)))
				hits := make([][]int, len(trial.cells))
				for i := range hits {
					hits[i] = make([]int, len(trial.sets))
				}
				for range releases {
					for i, cell := range trial.cells {
						s := released(t, trial.law, cell, w, r)
						l, err := c.Linear(s)
						if err != nil {
							t.Fatal(err)
						}
						got, err := l.Sums(trial.sets)
						if err != nil {
							t.Fatal(err)
						}
						for j, set := range trial.sets {
							if in := got[j].Within(w, .95); in.Low <= shareOf(cell, set) && shareOf(cell, set) <= in.High {
								hits[i][j]++
							}
						}
					}
				}
				for i := range hits {
					for j, n := range hits[i] {
						if rate := float64(n) / float64(releases); !(math.Abs(rate-.95) <= tol) {
							t.Errorf("cell %d, letters %v: %v of the intervals cover", i, trial.sets[j], rate)
						}
					}
				}
			})
		}
	}
}

// TestCoverageOfStrata: where each of three strata has a mechanism of its own, intervals
// about the sums of their estimates cover as often as they say. Without what the sizes of
// the strata add, those for the population cover too seldom.
func TestCoverageOfStrata(t *testing.T) {
	releases, tol := 1500, 6*math.Sqrt(.95*.05/1500)
	if torture() {
		releases, tol = 20000, .005
	}
	r := rand.New(rand.NewPCG(28, 29))
	laws := []*mechanism.Mechanism{cyclic(t, 4, 3), keeping(t, 4, 5, r), weighted(t, []int64{9, 1, 0, 0},
		[]int64{0, 9, 1, 0}, []int64{0, 0, 9, 1}, []int64{1, 0, 0, 9})}
	cells := [][]int64{{900, 50, 30, 20}, {50, 700, 150, 200}, {10, 30, 100, 600}}
	sets := [][]int{{0}, {1}, {2}, {0, 3}}
	whole := make([]int64, 4)
	for _, cell := range cells {
		for x, n := range cell {
			whole[x] += n
		}
	}
	for _, w := range []Whose{OfFile, OfPopulation} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			r := rand.New(rand.NewPCG(30, uint64(w)))
			hits, naive := make([]int, len(sets)), 0
			for range releases {
				drawn := cells
				if w == OfPopulation {
					drawn = resampled(cells, r)
				}
				var samples []*Sample
				for i, m := range laws {
					samples = append(samples, released(t, m, drawn[i], OfFile, r))
				}
				s := NewStrata(samples)
				parts := make([][]Unbiased, len(sets))
				for i, m := range laws {
					l, err := NewChannel(m).Linear(samples[i])
					if err != nil {
						t.Fatal(err)
					}
					got, err := l.Sums(sets)
					if err != nil {
						t.Fatal(err)
					}
					for j, e := range got {
						parts[j] = append(parts[j], e)
					}
				}
				for j, set := range sets {
					share, e := shareOf(whole, set), s.Estimate(parts[j])
					if in := e.Within(w, .95); in.Low <= share && share <= in.High {
						hits[j]++
					}
					if e.Errors[w] = s.spread(func(i int) float64 { return parts[j][i].Errors[w] }); j == 0 {
						if in := e.Within(w, .95); in.Low <= share && share <= in.High {
							naive++
						}
					}
				}
			}
			for j, n := range hits {
				if rate := float64(n) / float64(releases); !(math.Abs(rate-.95) <= tol) {
					t.Errorf("letters %v: %v of the intervals cover", sets[j], rate)
				}
			}
			if rate := float64(naive) / float64(releases); w == OfPopulation && !(rate < .9) {
				t.Errorf("control: %v of the intervals cover although the sizes of strata are left out", rate)
			}
		})
	}
}

// resampled are as many rows as cells have, drawn with their cells from a population like
// them.
func resampled(cells [][]int64, r *rand.Rand) (out [][]int64) {
	var all [][2]int
	for i, cell := range cells {
		out = append(out, make([]int64, len(cell)))
		for x, n := range cell {
			for range n {
				all = append(all, [2]int{i, x})
			}
		}
	}
	for range all {
		at := all[r.IntN(len(all))]
		out[at[0]][at[1]]++
	}
	return out
}

// TestBoundsOfStrata: the range of a sum is that of its parts together, and holds the
// truth where the outputs are exactly those that the mechanisms give.
func TestBoundsOfStrata(t *testing.T) {
	laws := []*mechanism.Mechanism{cyclic(t, 4, 2), weighted(t, []int64{1, 0, 0, 0}, []int64{0, 1, 0, 0},
		[]int64{0, 1, 0, 0}, []int64{0, 0, 0, 1})}
	cells := [][]int64{{400, 200, 100, 300}, {100, 250, 150, 500}}
	sets := [][]int{{0}, {1}, {0, 1}, {1, 2}}
	var samples []*Sample
	parts := make([][]Bounds, len(sets))
	for i, m := range laws {
		count := make([]int64, 4)
		for x, n := range cells[i] {
			row := m.Row(x)
			for k, y := range row.Output {
				count[y] += n * row.At(k) / row.Total
			}
		}
		s := sampled(t, count)
		c := NewChannel(m)
		l, err := c.Linear(s)
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.Fit(t.Context(), s, 1e-12, 100000)
		if err != nil {
			t.Fatal(err)
		}
		got := f.Bounds(l, sets)
		for j, b := range got {
			parts[j] = append(parts[j], b)
		}
		samples = append(samples, s)
	}
	all := NewStrata(samples)
	if !(math.Abs(all.Draws()-2000) < 1e-6) {
		t.Errorf("%v draws", all.Draws())
	}
	// A circle of four letters with two outputs each leaves the shares .4+s, .2-s, .1+s and .3-s, s from
	// -.1 to .2; the other mechanism does not tell the letters 1 and 2 apart.
	for j, want := range [][2]float64{{.2, .35}, {0, .35}, {.35, .55}, {.35, .35}} {
		b := all.Bounds(parts[j])
		truth := (shareOf(cells[0], sets[j]) + shareOf(cells[1], sets[j])) / 2
		if !(b.Low <= truth+1e-9 && truth <= b.High+1e-9) {
			t.Errorf("%v: %v to %v does not hold %v", sets[j], b.Low, b.High, truth)
		}
		if !(math.Abs(b.Low-want[0]) < 1e-6 && math.Abs(b.High-want[1]) < 1e-6) || b.Determined != (want[0] == want[1]) {
			t.Errorf("%v: %v to %v, want %v", sets[j], b.Low, b.High, want)
		}
	}
}

// TestCoverageOfBounds: an interval about a range holds the truth at least as often as it
// says, wherever the truth lies in it, at its ends too.
func TestCoverageOfBounds(t *testing.T) {
	releases := 400
	if torture() {
		releases = 5000
	}
	tol := 6 * math.Sqrt(.95*.05/float64(releases))
	m := cyclic(t, 6, 3)
	c := NewChannel(m)
	sets := append(each(6), []int{0, 3}, []int{0, 1, 2})
	for _, cell := range [][]int64{{600, 500, 300, 200, 250, 150}, {900, 600, 500, 0, 0, 0}, {500, 0, 500, 0, 1000, 0}} {
		r := rand.New(rand.NewPCG(18, 19))
		hits := make([]int, len(sets))
		for range releases {
			s := released(t, m, cell, OfPopulation, r)
			l, err := c.Linear(s)
			if err != nil {
				t.Fatal(err)
			}
			f, err := c.Fit(t.Context(), s, 1e-9, 20000)
			if err != nil {
				t.Fatal(err)
			}
			got := f.Bounds(l, sets)
			for j, set := range sets {
				if in := got[j].Within(.95); in.Low <= shareOf(cell, set) && shareOf(cell, set) <= in.High {
					hits[j]++
				}
			}
		}
		for j, n := range hits {
			if rate := float64(n) / float64(releases); !(rate >= .95-tol) {
				t.Errorf("%v: %v of the intervals of %v cover", cell, rate, sets[j])
			}
		}
	}
}

// shareOf is the share of some letters in a file.
func shareOf(cell []int64, set []int) float64 {
	rows, in := int64(0), int64(0)
	for _, n := range cell {
		rows += n
	}
	for _, x := range set {
		in += cell[x]
	}
	return float64(in) / float64(rows)
}

// released draws a release of a file, or of as many rows from a population like it.
func released(t testing.TB, m *mechanism.Mechanism, cell []int64, w Whose, r *rand.Rand) *Sample {
	if w == OfPopulation {
		share, rows := make([]float64, len(cell)), 0
		for x, n := range cell {
			share[x] = float64(n)
			rows += int(n)
		}
		return simulated(t, m, share, rows, r)
	}
	count := make([]int64, m.Outputs())
	for x, n := range cell {
		row := m.Row(x)
		for range n {
			i, u := 0, r.Int64N(row.Total)
			for u -= row.At(0); u >= 0; u -= row.At(i) {
				i++
			}
			count[row.Output[i]]++
		}
	}
	return sampled(t, count)
}

// TestCoverageOfClusters: rows that share a draw in clusters are worth fewer draws.
func TestCoverageOfClusters(t *testing.T) {
	releases, tol := 3000, 6*math.Sqrt(.95*.05/3000)
	if torture() {
		releases, tol = 20000, .0055
	}
	m := cyclic(t, 5, 2)
	c, r := NewChannel(m), rand.New(rand.NewPCG(20, 21))
	cell := []int64{300, 200, 150, 250, 100} // clusters by letter, of 1, 2 or 3 rows
	var sizes []int64
	rows, in := int64(0), int64(0)
	for x, n := range cell {
		for i := range n {
			sizes = append(sizes, 1+i%3)
			rows += 1 + i%3
			if x == 1 {
				in += 1 + i%3
			}
		}
	}
	draws := Draws(func(yield func(int64) bool) {
		for _, n := range sizes {
			yield(n)
		}
	})
	hits, naive := 0, 0
	for range releases {
		count := make([]int64, 5)
		at := 0
		for x, n := range cell {
			for range n {
				count[(x+r.IntN(2))%5] += sizes[at]
				at++
			}
		}
		for _, d := range []float64{draws, 0} {
			s, err := NewSample(count, d)
			if err != nil {
				t.Fatal(err)
			}
			l, err := c.Linear(s)
			if err != nil {
				t.Fatal(err)
			}
			got, err := l.Sums([][]int{{1}})
			if err != nil {
				t.Fatal(err)
			}
			share := float64(in) / float64(rows)
			if w := got[0].Within(OfFile, .95); w.Low <= share && share <= w.High {
				if d > 0 {
					hits++
				} else {
					naive++
				}
			}
		}
	}
	if rate := float64(hits) / float64(releases); !(math.Abs(rate-.95) <= tol) {
		t.Errorf("%v of the intervals cover", rate)
	}
	if rate := float64(naive) / float64(releases); !(rate < .93) {
		t.Errorf("control: %v of the intervals cover although clusters are left out", rate)
	}
}
