package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

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
			must(t, err)
			linear, of = append(linear, l), append(of, own)
		}
		got, err := Means(OfFile, linear, of, sets)
		must(t, err)
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
