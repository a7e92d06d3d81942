package account

import (
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestConfirmableIsNoMoreThanItIs: the share is the largest float that is not
// above 1 / e^epsilon.
func TestConfirmableIsNoMoreThanItIs(t *testing.T) {
	for _, most := range []float64{1, 3, 4, 7, 10, 49, 60.340287597362, 1e300} {
		v, ok := confirmable(&report.Report{Most: most})
		if !ok {
			t.Fatalf("%v: no figure", most)
		}
		product := new(big.Rat).Mul(new(big.Rat).SetFloat64(v.Figure.Share), new(big.Rat).SetFloat64(most))
		if f, _ := product.Float64(); product.Cmp(big.NewRat(1, 1)) > 0 || !(f >= 1-1e-15) {
			t.Errorf("%v: the share is %v", most, v.Figure.Share)
		}
	}
	if _, ok := confirmable(&report.Report{}); ok {
		t.Error("without an epsilon there is a share")
	}
}

// TestSaysWithoutFigures: a claim whose figures were taken out is none of any row.
func TestSaysWithoutFigures(t *testing.T) {
	for i, row := range Rows {
		c := claim.Claim{Key: row.Key, Section: row.Section, Head: row.Head, Public: row.Public}
		c.Words = "the words of another"
		if Rows[i].Says(c) {
			t.Errorf("%s says what has no figures", row.Key)
		}
	}
}
