package utility

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestNullOfLevels: null of a large order with levels is one level above all others, where the rule puts it
// in the table of such an order, too.
func TestNullOfLevels(t *testing.T) {
	var codes []string
	for i := range 400 {
		codes = append(codes, fmt.Sprintf("%03d", i))
	}
	plain := build(t, "prefix", Input{Letters: letters(codes...)})
	got := build(t, "prefix", Input{Letters: withNull(codes...)})
	if _, ok := got.Order.(*mechanism.Tree); !ok {
		t.Fatalf("the order is a %T", got.Order)
	}
	want := &nullRule{base: plain.Order, others: below(min(0, plain.Lowest))}
	one, other := make([]float64, 401), make([]float64, 401)
	for x := range 401 {
		got.Order.Row(x, nil, one)
		if want.Row(x, nil, other); !slices.Equal(one, other) {
			t.Fatalf("row %d is %v, not %v", x, one, other)
		}
	}
}
