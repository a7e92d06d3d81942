package mechanism

import (
	"testing"
)

// TestFitSums: rows that are each a little off are found together, one that
// is far off alone, and a record that the law excludes always.
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
		f := &fit{}
		if c.rows < 0 {
			for range -c.rows - 1 {
				f.row([]float64{5_000, 5_000}, exact, 0)
			}
			c.rows = 1
		}
		for range c.rows {
			f.row([]float64{5_000, 5_000}, c.seen, c.other)
		}
		if f.Accepted() != c.want {
			t.Errorf("%s: accepted %v, T = %v, row bound %v", c.name, f.Accepted(), f.Sum, f.rowTail)
		}
	}
}
