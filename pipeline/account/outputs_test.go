package account

import (
	"math"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestWalk: outputs on a line are listed along it, and a group of a hierarchy is listed to
// its end; what is no letter of the data leaves the list as it was.
func TestWalk(t *testing.T) {
	orderOf := func(at []float64, near func(a, b float64) float64) mechanism.Order {
		value := make([][]float64, len(at))
		for x := range at {
			for y := range at {
				value[x] = append(value[x], near(at[x], at[y]))
			}
		}
		o, err := mechanism.NewMatrix(value)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	line := func(a, b float64) float64 { return -math.Abs(a - b) }
	groups := func(a, b float64) float64 { // by thousands, and by hundreds in them
		switch {
		case a == b:
			return 0
		case math.Floor(a/100) == math.Floor(b/100):
			return -1
		case math.Floor(a/1000) == math.Floor(b/1000):
			return -2
		}
		return -3
	}
	for _, c := range []struct {
		name         string
		at           []float64
		near         func(a, b float64) float64
		used, stands []int
		want         []int
	}{
		{"a line", []float64{3, 9, 1, 7, 5}, line, []int{0, 1, 2, 3, 4}, nil, []int{1, 3, 4, 0, 2}},
		{"not all are in use", []float64{3, 9, 1, 7, 5}, line, []int{0, 2, 3}, nil, []int{2, 0, 3}},
		{"levels", []float64{1101, 2101, 1201, 1102, 2201, 1202}, groups, []int{0, 1, 2, 3, 4, 5}, nil,
			[]int{0, 3, 2, 5, 1, 4}}, {"no letter", []float64{3, 9, 1}, line, []int{0, 1, 2}, []int{0, 1, -1}, []int{0, 1, 2}},
		{"two", []float64{3, 9}, line, []int{1}, nil, []int{1}},
	} {
		stands := c.stands
		if stands == nil {
			for i := range c.at {
				stands = append(stands, i)
			}
		}
		if got := walk(orderOf(c.at, c.near), stands, c.used); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
