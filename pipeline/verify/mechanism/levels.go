package mechanism

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// levelOf is the level that the worst of all rows keeps, counted from the lowest
// utility of the order; nil where floors are no levels.
func levelOf(v *document.View) Figures {
	if !v.Plan.ByLevel() {
		return nil
	}
	lowest := 0.0
	for x := range v.Plan.Inputs {
		for _, u := range v.Order.Row(x) {
			if !math.IsInf(u, -1) {
				lowest = math.Min(lowest, u)
			}
		}
	}
	if lowest == 0 {
		return nil
	}
	return Figures{"at": int(v.Worst.Value - lowest), "of": int(-lowest)}
}

// CheckLevel holds every row of a level design to the counts: the outputs that the
// floor allows and that are called like an input with records, in proportion to
// these; all that it allows alike where there are none. The counts are those of the
// prior, or of the records where their shares were limited beside another prior.
func CheckLevel(v *document.View) {
	const name = "proportions"
	switch {
	case v.Plan.Method.Kind != "level":
		return
	case v.Rows == nil || v.Order == nil || v.Allow == nil:
		v.Skip(name, "the order or the rows are not known")
		return
	case v.Plan.Other != nil:
		v.Skip(name, "values are treated alike: their row follows from counts of merged values")
		return
	}
	w := disproportions(v, v.Count)
	if len(w) > 0 && v.Plan.Shares != nil {
		if records := disproportions(v, v.Sample()); len(records) == 0 {
			w = records
		}
	}
	v.Settle(name, w, "every row gives what the floor allows as often as it is counted")
}

// disproportions are the rows that are not in proportion to counts of the inputs.
func disproportions(v *document.View, count []int64) document.Faults {
	input := placesOf(v.Plan.Inputs)
	var w document.Faults
	for x, r := range v.Rows {
		var output []int32
		var weight []int64
		var all []int32
		v.Allow.Each(x, func(y int) {
			all = append(all, int32(y))
			if k, stands := input[v.Plan.Outputs[y]]; stands && count[k] > 0 {
				output, weight = append(output, int32(y)), append(weight, count[k])
			}
		})
		if output == nil {
			output, weight = all, slices.Repeat([]int64{1}, len(all))
		}
		same := slices.Equal(output, r.Output)
		for i := 0; same && i < len(weight); i++ { // weight / exact.Sum(weight) = r.Weight / r.Total
			a := new(big.Int).Mul(big.NewInt(weight[i]), big.NewInt(r.Total))
			same = a.Cmp(new(big.Int).Mul(big.NewInt(r.Weight[i]), big.NewInt(exact.Sum(weight)))) == 0
		}
		if !same {
			w.Addf("row %d of a level design is not in proportion to the counts", x+1)
		}
	}
	return w
}
