package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFitSums: rows that are each a little off are found together, one that is far off
// alone, and a record that the law excludes always.
func TestFitSums(t *testing.T) {
	slight, far, exact := []int64{5_150, 4_850}, []int64{5_500, 4_500}, []int64{5_000, 5_000}
	for _, c := range []struct {
		name  string
		rows  int // negative: all others are exact
		seen  []int64
		other int64
		want  bool
	}{
		{"exact", 300, exact, 0, true}, {"one slightly off", 1, slight, 0, true}, {"all slightly off", 300, slight, 0, false},
		{"one far off", 1, far, 0, false}, {"one far off among many", -300, far, 0, false},
		{"one excluded", 1, exact, 1, false},
	} {
		f := &Fit{}
		add := func(seen []int64, other int64) {
			r := fitRow{n: 10_000, other: other}
			for _, s := range seen {
				r.at(5_000, s)
			}
			f.row(r, 2)
		}
		for range max(0, -c.rows-1) {
			add(exact, 0)
		}
		for range max(1, c.rows) {
			add(c.seen, c.other)
		}
		if f.Accepted() != c.want {
			t.Errorf("%s: accepted %v, T = %v, row bound %v", c.name, f.Accepted(), f.Sum, f.rowTail)
		}
	}
	f, r := &Fit{}, fitRow{n: 10}
	r.at(9.9, 10)
	r.at(.1, 0)
	if f.row(r, 2); !f.Accepted() {
		t.Errorf("an output that no record got: T = %v, row bound %v", f.Sum, f.rowTail)
	}
}

// TestTally: pairs are the same in a table and beside one.
func TestTally(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	table, list := NewTally(2, 5, 7), NewTally(2, 5, 7)
	list.table, list.pairs = nil, map[uint64]int64{}
	isNull := func(int32) bool { return false }
	for range 5000 {
		g, x, y := rng.IntN(3), int32(rng.IntN(7))-2, int32(rng.IntN(9))-2
		for _, to := range []*Tally{table, list} {
			to.Written(y)
			to.Add(g, x, y, isNull)
		}
	}
	twice := NewTally(2, 5, 7)
	twice.merge(table)
	twice.merge(table)
	var a, b, c [][4]int64
	to := func(all *[][4]int64, of int64) func(g, x, y int, n int64) {
		return func(g, x, y int, n int64) { *all = append(*all, [4]int64{int64(g), int64(x), int64(y), n / of}) }
	}
	table.Each(to(&a, 1))
	list.Each(to(&b, 1))
	twice.Each(to(&c, 2))
	if !slices.Equal(a, b) || !slices.Equal(a, c) || len(a) != 70 {
		t.Errorf("%v, %v", a, b)
	}
	if table.Strange != list.Strange || table.Strange[2] == 0 || twice.Rows != 10_000 {
		t.Errorf("%v, %v", table.Strange, list.Strange)
	}
}
