package mechtest

import (
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A mechanism with one weight moved is caught.
func TestLeakageCatches(t *testing.T) {
	m, err := mechanism.New(2, []mechanism.Row{
		mechanism.WeightedRow([]uint16{0, 1}, []int64{3, 1}),
		mechanism.WeightedRow([]uint16{0, 1}, []int64{1, 3}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := leakage(fractions(m), Prior(t, 1, 1)); f[0].RatString() != "3/2" || f[1].RatString() != "3/2" {
		t.Errorf("leakage %v", f)
	}
}
