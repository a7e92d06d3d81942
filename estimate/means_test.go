package estimate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/test/torture"
)

// TestTable draws releases of a table of letters in three cells with a number in every row. Means by
// letter are within 1.96 standard errors of the file's own as often as they say, and of two
// mechanisms together; the test of independence finds nothing in a table without association as
// often as it says, and all where there is one.
func TestTable(t *testing.T) {
	releases, tol := 1500, 6*math.Sqrt(.95*.05/1500)
	if torture.Long() {
		releases, tol = 20000, .006
	}
	r := rand.New(rand.NewPCG(41, 42))
	m := keeping(t, 4, 5, r)
	c, sets := NewChannel(m), [][]int{{0}, {1}, {2}, {0, 3}}
	cell := []int64{700, 600, 400, 300}
	var numbers [4][]float64
	truth := make([]float64, len(sets))
	for x, n := range cell {
		for range n {
			numbers[x] = append(numbers[x], 10*float64(x)+r.ExpFloat64())
		}
	}
	for j, set := range sets {
		sum, rows := 0.0, 0
		for _, x := range set {
			for _, v := range numbers[x] {
				sum, rows = sum+v, rows+1
			}
		}
		truth[j] = sum / float64(rows)
	}
	hits, false05, found := make([]int, len(sets)), 0, 0
	for range releases {
		var linear []*Linear
		var of [][]Numbers
		var table, linked [5][]int64
		for y := range table {
			table[y], linked[y] = make([]int64, 3), make([]int64, 3)
		}
		for part := range 2 { // of the rows, as if each had a mechanism of its own
			count, own := make([]int64, 5), make([]Numbers, 5)
			for x := range numbers {
				for i := part; i < len(numbers[x]); i += 2 {
					y := 0
					for u := r.Int64N(m.Row(x).Total) - m.Row(x).At(0); u >= 0; u -= m.Row(x).At(y) {
						y++
					}
					to := m.Row(x).Output[y]
					count[to]++
					own[to].Add(numbers[x][i])
					table[to][r.IntN(3)]++
					linked[to][(x+r.IntN(2))%3]++
				}
			}
			l, err := c.Linear(sampled(t, count))
			if err != nil {
				t.Fatal(err)
			}
			linear, of = append(linear, l), append(of, own)
		}
		got, err := Means(OfFile, linear, of, sets)
		if err != nil {
			t.Fatal(err)
		}
		for j, e := range got {
			if math.Abs(e.Mean-truth[j]) <= width(.95)*e.Error {
				hits[j]++
			}
		}
		if Independence(table[:], 2000).P < .05 {
			false05++
		}
		if Independence(linked[:], 2000).P < 1e-3 {
			found++
		}
	}
	for j, n := range hits {
		if rate := float64(n) / float64(releases); !(math.Abs(rate-.95) <= tol) {
			t.Errorf("letters %v: %v of the means cover", sets[j], rate)
		}
	}
	if rate := float64(false05) / float64(releases); !(math.Abs(rate-.05) <= tol) {
		t.Errorf("%v of the tests find what is not there", rate)
	}
	if !(float64(found) >= .9*float64(releases)) {
		t.Errorf("%d of %d tests find what is there", found, releases)
	}
	if shared := Independence([][]int64{{30, 10}, {10, 30}}, 40); !(math.Abs(shared.Statistic-10) < 1e-9) {
		t.Errorf("80 rows worth 40 draws: chi-square %v, want half of 20", shared.Statistic)
	}
	if Independence([][]int64{{3, 0}, {0, 0}}, 3) != nil {
		t.Error("a table of one cell has a test")
	}
}

// tables are counts of real columns by another, in its rows: delays of flights by the part of the day,
// phases of flight of bird strikes by the size of the bird, and incomes of households by region.
var tables = map[string][][]int64{
	"delays": {{4815, 11069, 13749, 12430, 6468}, {4326, 10261, 11822, 11608, 9250}, {6430, 16106, 18165, 11961, 3128},
		{4959, 12343, 14671, 11720, 4719}},
	"phases": {{343, 185, 80, 84}, {2029, 892, 483, 721}, {2247, 879, 842, 787}},
	"incomes": {{1940, 1421, 2900, 2800, 3739, 4914, 3226, 3143, 1027, 929}, {1467, 1075, 2061, 1902, 2538, 3586, 2580, 3040,
		1304, 1400}, {3605, 2576, 5051, 4753, 6083, 7665, 4818, 4945, 1788, 1780}, {1675, 1322, 2619, 2513, 3406, 4603, 3146,
		3535, 1419, 1431}},
}

// TestCoverageOfTables draws releases of these by mechanisms that are made to be undone. In the long form, of
// 2,000, 94.5 to 95.5 % of the intervals of 95 % cover, in the mean over a table; so they do for the population.
func TestCoverageOfTables(t *testing.T) {
	releases, tol := 150, .02
	if torture.Long() {
		releases, tol = 2000, .005
	}
	for name, cells := range tables {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := len(cells[0])
			all, order := make([]int64, n), make([][]uint16, n)
			for x := range all {
				for _, cell := range cells {
					all[x] += cell[x]
				}
				for y := range n {
					order[x] = append(order[x], uint16(n-(x-y+n)%n))
				}
			}
			prior, err := mechanism.NewPrior(all)
			if err != nil {
				t.Fatal(err)
			}
			o, err := mechanism.NewRanks(order)
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := design.Make(t.Context(), prior, o, design.Goal{Epsilon: mechanism.LogOf(big.NewRat(3, 1)),
				Floor: &mechanism.Floor{Rank: 1}, Recover: true})
			if err != nil {
				t.Fatal(err)
			}
			c, src := NewChannel(m), rand.NewPCG(43, uint64(n))
			for _, w := range []Whose{OfFile, OfPopulation} {
				hits, of := 0, 0
				for range releases {
					for _, cell := range cells {
						truth, drawn := cell, cell
						if w == OfPopulation {
							drawn = divided(total(cell), cell, src)
						}
						count := make([]int64, n)
						for x, rows := range drawn {
							r := m.Row(x)
							for i, k := range divided(rows, r.Weight, src) {
								count[r.Output[i]] += k
							}
						}
						l, err := c.Linear(sampled(t, count))
						if err != nil {
							t.Fatal(err)
						}
						got, err := l.Sums(each(n))
						if err != nil {
							t.Fatal(err)
						}
						for x, e := range got {
							if e.Errors[w] < 1e-9 {
								continue // its rows have an output of their own
							}
							of++
							if in := e.Within(w, .95); in.Low <= shareOf(truth, []int{x}) && shareOf(truth, []int{x}) <= in.High {
								hits++
							}
						}
					}
				}
				if rate := float64(hits) / float64(of); !(math.Abs(rate-.95) <= tol) {
					t.Errorf("%v: %v of the intervals cover", w, rate)
				}
			}
		})
	}
}

// divided draws how many of n rows get each of some outcomes.
func divided(n int64, weight []int64, src rand.Source) []int64 {
	out, left := make([]int64, len(weight)), float64(total(weight))
	for i, w := range weight {
		if n > 0 && w > 0 {
			out[i] = int64(distuv.Binomial{N: float64(n), P: min(1, float64(w)/left), Src: src}.Rand())
		}
		n, left = n-out[i], left-float64(w)
	}
	return out
}

func total(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}
