package mechanism

import (
	"math/big"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// TestMixedFactorsOfOne: one mechanism for all groups has the factors that the mean of equal
// mechanisms has.
func TestMixedFactorsOfOne(t *testing.T) {
	rows := []exact.Row{{Output: []int32{0, 1}, Weight: []int64{1, 2}, Total: 3}, {Output: []int32{1, 2},
		Weight: []int64{5, 2}, Total: 7}, {Output: []int32{0}, Weight: []int64{1}, Total: 1}}
	one, other := []int64{4, 0, 9}, []int64{1, 6, 0}
	got := mixedFactors([]crowd{{rows, one}, {rows, other}}, 4)
	want := mixedFactors([]crowd{{rows, one}, {slices.Clone(rows), other}}, 4)
	same := func(a, b *big.Rat) bool { return (a == nil) == (b == nil) && (a == nil || a.Cmp(b) == 0) }
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("factors are %v, not %v", got, want)
	}
	if want[3] != nil || want[0] == nil {
		t.Errorf("factors are %v", want)
	}
}
