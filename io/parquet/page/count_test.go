package page

import (
	"slices"
	"testing"
)

// What is counted is what Next hands out, of few codes and of many.
func TestCount(t *testing.T) {
	for _, entries := range []int{3, few - 1, few, 3000} {
		count, want := make([]int64, entries+1), make([]int64, entries+1)
		var code []int32
		for i := range 10_007 {
			c := int32(i*i%(entries+1)) - 1
			code = append(code, c)
			want[c+1]++
		}
		if countCodes(count, code); !slices.Equal(count, want) {
			t.Errorf("%d entries: %v, want %v", entries, count, want)
		}
	}
}
