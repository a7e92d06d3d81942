package mechanism

import (
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckWritten judges the records that were counted.
func CheckWritten(v *document.View, f *document.Files) {
	if v.Pairs == nil {
		for _, name := range []string{"counts", "alphabet", "forbidden cells", "fit"} {
			v.Skip(name, "the records could not be counted")
		}
		return
	}
	checkInputCounts(v, f)
	checkAlphabet(v, f)
	checkForbidden(v, f)
	checkFit(v, f)
}

// checkInputCounts compares the input with the counts that the leakage is
// relative to: the plan's, or those that the report states. A part of the
// plan's data has no more records of any letter.
func checkInputCounts(v *document.View, f *document.Files) {
	const name = "counts"
	t := v.Pairs
	if f.In == nil {
		v.Skip(name, "no input")
		return
	}
	var w document.Faults
	v.Expect(&w, Figures{"prior.of": document.OneOf("this file", "the plan", "declared prior", "this file, smoothed")})
	if t.Strange[0] > 0 {
		w.Addf("%d records of the input hold a value that is no input value", t.Strange[0])
	}
	if t.InNulls > 0 && v.Plan.Null != "public" {
		w.Addf("the input holds %d nulls, and the null rule is %s", t.InNulls, v.Plan.Null)
	}
	same := slices.Equal(t.In, v.Count)
	if v.Plan.Prior != nil {
		same = slices.Equal(t.In, v.Sample())
	}
	switch part := v.Report.Has("prior.part"); {
	case same || !part && v.Report.Command == "apply" && exact.Sum(t.In) == 0:
	case !part:
		for x, n := range t.In {
			if n != v.Sample()[x] {
				w.Addf("input value %d has %d records, the plan says %d", x+1, n, v.Sample()[x])
			}
		}
	default:
		for x, n := range t.In {
			if n > v.Sample()[x] {
				w.Addf("input value %d has more records than the plan counts: the file is no part of its data", x+1)
			}
		}
	}
	v.Settle(name, w, "%s", document.Either(!v.Report.Has("prior.part"),
		"the input has the records of every value that the report and the plan have",
		"the input may be a part of the data that the plan was made from, as the report says"))
}

// checkAlphabet holds every written cell to the outputs of the plan.
func checkAlphabet(v *document.View, f *document.Files) {
	t := v.Pairs
	var w document.Faults
	if t.Strange[1] > 0 {
		w.Addf("%d records of the output hold a value that is no output value", t.Strange[1])
	}
	hidden := v.Hidden()
	if t.Torn != 0 && t.Torn != hidden+v.Report.Absent() {
		w.Addf("%d records are null in one file and not in the other", t.Torn)
	}
	if t.OutNulls != hidden && v.Plan.Null != "public" {
		w.Addf("the output holds %d nulls, and null is no output", t.OutNulls)
	}
	v.Settle("alphabet", w, "every written value is one of %d outputs", t.Outputs)
}

// checkForbidden holds every record to the rows of the plan and to the floor,
// input and output side by side.
func checkForbidden(v *document.View, f *document.Files) {
	const name = "forbidden cells"
	t := v.Pairs
	switch {
	case f.In == nil:
		v.Skip(name, "no input")
		return
	case v.Rows == nil && !v.Empty():
		v.Skip(name, "the rows are not known")
		return
	}
	if v.Back != nil && v.Back.Unknown > 0 {
		v.Skip(name, "the rows were shuffled, and too many are equal in all other columns")
		return
	}
	byRows, byFloor, records := int64(0), int64(0), int64(0)
	t.Each(func(x, y int, n int64) {
		records += n
		if v.Rows[x].Of(int32(y)) == 0 {
			byRows += n
		}
		if v.Allow != nil && !v.Allow.Has(x, y) {
			byFloor += n
		}
	})
	var w document.Faults
	if v.Again != nil && v.Again.Held > 0 {
		v.Add(name, v.Again.Forbidden == 0,
			"%d of %d records that are not held stand where plan or floor forbid them; %d are held", v.Again.Forbidden, records,
			v.Again.Held)
		return
	}
	if held := v.Report.Earlier(); held > 0 {
		v.Add(name, max(byFloor, byRows) <= held,
			"%d of %d records stand where plan or floor forbid them; by the report, %d show an earlier draw and are outside "+
				"the floor", max(byFloor, byRows), records, held)
		return
	}
	if byFloor > 0 {
		w.Addf("%d of %d records were replaced by something below the floor", byFloor, records)
	}
	if byRows > 0 {
		w.Addf("%d of %d records were replaced by something that their row does not have", byRows, records)
	}
	v.Settle(name, w, "0 of %d records were replaced by something that plan or floor forbids", records)
}

// checkFit compares the draws with the plan.
func checkFit(v *document.View, f *document.Files) {
	const name = "fit"
	switch {
	case v.Rows == nil && !v.Empty():
		v.Skip(name, "the rows are not known")
		return
	case exact.Sum(v.Pairs.Out) == 0:
		v.Skip(name, "there are no records")
		return
	case v.Again != nil:
		one := document.View{Plan: v.Plan, Rows: v.Rows, Pairs: v.Again.Drawn}
		k := FitPairs(&one)
		v.Add(name, k.Accepted(), "%d draws that count %s the plan: G = %.1f over %d rows, %d degrees of freedom (false "+
			"alarm rate %g)",
			exact.Sum(v.Again.Drawn.In), document.Either(k.Accepted(), "fit", "do not fit"), 2*k.Sum, k.rows, k.freedom, Alarm)
		return
	case v.Report.Earlier() > 0:
		v.Skip(name, "records are held that only record history and key tell from the others")
		return
	case v.Report.Text("randomness.unit") == "person":
		v.Skip(name, "rows of one person share draws, and only the key tells them from the others")
		return
	case f.In == nil && v.Report.Text("prior.of") != "this file":
		v.Skip(name, "no input, and the plan's counts are not this file's")
		return
	case f.In == nil || v.Back != nil && v.Back.Loose > 0 && v.Report.Text("prior.of") == "this file":
		k := fitOutputs(v)
		v.Add(name, k.Accepted(), "the outputs alone %s the plan: G = %.1f, %d degrees of freedom (false alarm rate %g)",
			document.Either(k.Accepted(), "fit", "do not fit"), 2*k.Sum, k.freedom, Alarm)
		return
	}
	if why, ok := v.Paired(f); !ok {
		v.Skip(name, why)
		return
	}
	k := FitPairs(v)
	v.Add(name, k.Accepted(), "the draws %s the plan: G = %.1f over %d rows, %d degrees of freedom (false alarm rate %g)",
		document.Either(k.Accepted(), "fit", "do not fit"), 2*k.Sum, k.rows, k.freedom, Alarm)
}

// CheckRecords compares the numbers of records.
func CheckRecords(v *document.View, f *document.Files) {
	const name = "records"
	var w document.Faults
	if v.Expect(&w, Figures{"forbidden": 0}); v.Pairs == nil {
		v.Leave(name, "the records could not be counted", name)
		return
	}
	records := exact.Sum(v.Pairs.Out) + v.Hidden() - v.Report.Absent()
	if v.NullOutput() && v.Plan.Null == "public" && f.In == nil {
		v.Leave(name, "no input, and null is an output and public: the records under the promise cannot be told from the "+
			"others", name)
		return
	}
	if f.In != nil {
		records = exact.Sum(v.Pairs.In)
	}
	v.Expect(&w, Figures{name: records})
	v.Settle(name, w, "the report counts the records under the promise")
}

// CheckShares recomputes how often each output was written, and holds the list to its
// order: each output next to a near one.
func CheckShares(v *document.View) {
	const name = "output shares"
	if v.Pairs == nil || v.Factor == nil || v.Plan.Null == "public" && v.NullOutput() {
		v.Skip(name, "the records could not be counted by output")
		return
	}
	var w document.Faults
	hidden, earlier := v.Hidden(), v.Report.Earlier() > 0
	of := exact.Sum(v.Pairs.Out)
	if v.Plan.Null != "public" {
		of += hidden
	}
	n := float64(max(of, 1))
	share := map[files.Label]float64{}
	if earlier && !v.NullOutput() {
		share[files.Label{Null: true}] = float64(hidden) / n
	}
	for y, l := range v.Plan.Outputs {
		share[l] = float64(v.Pairs.Out[y]) / n
	}
	sum := 0.0
	list, listed := v.Report.List("outputs"), map[files.Label]bool{}
	for i, o := range list {
		l, _ := o.Label("label")
		listed[l] = true
		sum += o.Float("share")
		document.Some(&w, fmt.Sprintf("outputs[%d]", i), o, Figures{"share": rounded(share[l], 0)})
	}
	w.Match(!earlier || exact.Near(sum, 1, 1), "the sum of the shares")
	if len(listed) < len(list) {
		w.Addf("an output is listed twice")
	}
	if !earlier {
		w.Match(inPlace(v, list), "the order of the outputs")
	}
	v.Settle(name, w, "the share of every output")
}

// walkCells is the number of utilities up to which a list of outputs goes from each to the
// nearest that is left.
const walkCells = 1 << 22

// inPlace reports whether a list of outputs goes along the order: it begins at the earlier
// in the plan of two that are farthest from each other, as seen from the first and back,
// and goes on to the nearest that is left, the earlier in the plan of several. Outputs that
// are no values, and more than walkCells, are in the order of the plan. Without a table of
// utilities all lists are.
func inPlace(v *document.View, list []Node) bool {
	place, input := placesOf(v.Plan.Outputs), placesOf(v.Plan.Inputs)
	var at []int
	values := len(list)*len(v.Plan.Outputs) <= walkCells && len(list) > 2
	for _, o := range list {
		l, _ := o.Label("label")
		y, ok := place[l]
		_, stands := input[l]
		at, values = append(at, int(y)), values && stands
		if !ok {
			return false
		}
	}
	switch {
	case !values:
		return slices.IsSorted(at)
	case v.Order == nil:
		return true
	}
	row := func(y int) []float64 { return v.Order.Row(int(input[v.Plan.Outputs[y]])) }
	best := func(of []int, near func(y int) float64) int { // the earliest in the plan of several
		to := of[0]
		for _, y := range of[1:] {
			if near(y) > near(to) || near(y) == near(to) && y < to {
				to = y
			}
		}
		return to
	}
	farthest := func(y int) int { r := row(y); return best(at, func(z int) float64 { return -r[z] }) }
	far := farthest(slices.Min(at))
	if at[0] != min(far, farthest(far)) {
		return false
	}
	for i := range at[1:] {
		r := row(at[i])
		if at[i+1] != best(at[i+1:], func(z int) float64 { return r[z] }) {
			return false
		}
	}
	return true
}
