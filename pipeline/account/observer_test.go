package account

import (
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestCommonest: of the outputs that tell most, that which most rows show; never one
// that tells less, however common.
func TestCommonest(t *testing.T) {
	label := func(s string) report.Label { return report.Label{Text: s} }
	labels := []report.Label{label("never"), label("a"), label("b"), label("c"), label("d")}
	l := mechanism.Leakage{Output: []*big.Rat{nil, big.NewRat(3, 1), big.NewRat(2, 1), big.NewRat(6, 2), big.NewRat(3, 1)}}
	written := []report.Output{{Label: labels[1], Share: .1}, {Label: labels[2], Share: .5}, {Label: labels[3], Share: .3},
		{Label: labels[4], Share: .1}}
	if y, f := commonest(l, labels, written).Max(); y != 3 || f.Cmp(big.NewRat(3, 1)) != 0 {
		t.Errorf("output %d, factor %v", y, f)
	}
	if y, _ := commonest(l, labels, nil).Max(); y != 1 {
		t.Errorf("of outputs that are equally common: %d", y)
	}
	none := mechanism.Leakage{Output: []*big.Rat{nil, nil}}
	if y, _ := commonest(none, labels, written).Max(); y != -1 {
		t.Errorf("of no output: %d", y)
	}
}
