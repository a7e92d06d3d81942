package account

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// lowered is to what the epsilon of a column was lowered so that all columns
// together keep theirs. That depends on the data, and is for nobody but insiders.
func lowered(r *report.Report) (claim.Value, bool) {
	return claim.Value{Facts: claim.Facts{Asked: r.Epsilon.Asked, Note: r.Epsilon.Target}},
		r.Epsilon.Asked != "" && !r.Epsilon.Least
}

// leastDesigned is the least epsilon that a column was designed for, below the one
// that is promised. It depends on the data, too.
func leastDesigned(r *report.Report) (claim.Value, bool) {
	return claim.Value{Facts: claim.Facts{Asked: r.Epsilon.Asked, Note: r.Epsilon.Target}}, r.Epsilon.Least
}

func leastWords(v claim.Value) string {
	return fmt.Sprintf("Epsilon %s is promised. The mechanism was designed for %s, the least that was found at this "+
		"floor, rounded up to thousandths of a nat.", v.Asked, v.Note)
}

func lowerWords(v claim.Value) string {
	return fmt.Sprintf("Epsilon %s was promised for this column. It was lowered to %s, so that all columns together keep "+
		"the epsilon that was asked for them.", v.Asked, v.Note)
}

// changed are the records whose value is another than it was.
func changed(r *report.Report) (claim.Value, bool) {
	allowed := fmt.Sprint(r.Floor.Least)
	if r.Floor.Least < r.Floor.Most {
		allowed += fmt.Sprintf(" to %d", r.Floor.Most)
	}
	return claim.Value{Figure: &claim.Figure{Count: r.Records - r.Utility.Unchanged, Exact: true},
		Facts: claim.Facts{Note: fmt.Sprintf("of %d records; %s, %s per record", r.Records,
			report.Several(len(r.Outputs), "output", "outputs"), allowed)}}, true
}

func changedWords(v claim.Value) string { return fmt.Sprintf("%d %s", v.Figure.Count, v.Note) }

// confirmable is the share of records from which on epsilon lets an output confirm
// a value: 1 / e^epsilon, rounded down.
func confirmable(r *report.Report) (claim.Value, bool) {
	if !(r.Most >= 1) {
		return claim.Value{}, false
	}
	share := 1 / r.Most
	if exact := new(big.Rat).Inv(new(big.Rat).SetFloat64(r.Most)); new(big.Rat).SetFloat64(share).Cmp(exact) > 0 {
		share = math.Nextafter(share, 0)
	}
	return claim.Value{Figure: &claim.Figure{Share: share}, Facts: claim.Facts{Note: r.Whose()}}, true
}

func confirmableWords(v claim.Value) string {
	return fmt.Sprintf("a value that %s %s hold, or more", claim.FromHundred(v.Figure.Share), v.Note)
}
