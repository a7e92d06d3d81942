package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/test/torture"
)

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
	if torture.Long() {
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
						must(t, err)
						got, err := l.Sums(trial.sets)
						must(t, err)
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
	if torture.Long() {
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
					must(t, err)
					got, err := l.Sums(sets)
					must(t, err)
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
