// Package written checks the files themselves, input and output side by side, and
// how well the draws fit the rows.
package written

import (
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// scan looks for what the output says of the column beyond its letters.
func scan(v *subject.View, f *pair.Files, to *cells.Letters) {
	var keep []string
	if keys := v.Report.Option("keep-metadata"); keys != "" {
		keep = strings.Split(keys, ",")
	}
	for _, k := range f.Out.Scan(to, keep) {
		v.Add(k.Name, k.Passed, "%s", k.Detail)
	}
}

// CheckWritten judges the records that were counted.
func CheckWritten(v *subject.View, f *pair.Files) {
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

// checkInputCounts compares the input with the plan's prior. A plan that was
// made from other counts is no fault if the report says what it leaks
// relative to this file's own.
func checkInputCounts(v *subject.View, f *pair.Files) {
	const name = "counts"
	t := v.Pairs
	if f.In == nil {
		v.Skip(name, "no input")
		return
	}
	var w verdict.Faults
	if t.Strange[0] > 0 {
		w.Addf("%d records of the input hold a value that is no input letter", t.Strange[0])
	}
	if t.InNulls > 0 && v.Plan.Null != "public" {
		w.Addf("the input holds %d nulls, and the null rule is %s", t.InNulls, v.Plan.Null)
	}
	same := slices.Equal(t.In, v.Count)
	if v.Plan.Prior != nil {
		same = slices.Equal(t.In, v.Sample())
	}
	switch of := v.Report.Prior.Of; {
	case !slices.Contains([]string{"this file", "the plan", "declared prior", "this file, smoothed"}, of):
		w.Addf("the report does not say whose prior it is")
	case same:
	case of != "the plan":
		for x, n := range t.In {
			if n != v.Sample()[x] {
				w.Addf("input letter %d has %d records, the plan says %d", x+1, n, v.Sample()[x])
			}
		}
	case v.Rows != nil && exact.Sum(t.In) > 0:
		own := big.NewRat(1, 1)
		for _, k := range exact.Factors(v.Rows, t.In, exact.Sum(t.In), t.Outputs) {
			if k != nil && k.Cmp(own) > 0 {
				own = k
			}
		}
		said := "(factor " + own.RatString() + ")"
		if !slices.ContainsFunc(v.Report.Warnings, func(s string) bool { return strings.Contains(s, said) }) {
			w.Addf("the plan was made from other counts, and the report does not warn of the factor relative to this file's own")
		}
	}
	v.Settle(name, w, "%s", verdict.Either(same, "the input has the records of every letter that the plan has",
		"the plan was made from other counts than this file's, and the report says so"))
}

// checkAlphabet holds every written cell to the outputs of the plan.
func checkAlphabet(v *subject.View, f *pair.Files) {
	t := v.Pairs
	var w verdict.Faults
	if t.Strange[1] > 0 {
		w.Addf("%d records of the output hold a value that is no output letter", t.Strange[1])
	}
	hidden := v.Report.Suppressed()
	if t.Torn != 0 && t.Torn != hidden {
		w.Addf("%d records are null in one file and not in the other", t.Torn)
	}
	if t.OutNulls != hidden && v.Plan.Null != "public" {
		w.Addf("the output holds %d nulls, and null is no output", t.OutNulls)
	}
	v.Settle("alphabet", w, "every written value is one of %d outputs", t.Outputs)
}

// checkForbidden holds every record to the rows of the plan and to the floor,
// input and output side by side.
func checkForbidden(v *subject.View, f *pair.Files) {
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
	byRows, byFloor, records := int64(0), int64(0), int64(0)
	t.Each(func(x, y int, n int64) {
		records += n
		if _, ok := slices.BinarySearch(v.Rows[x].Output, int32(y)); !ok {
			byRows += n
		}
		if v.Allow != nil && !v.Allow.Has(x, y) {
			byFloor += n
		}
	})
	var w verdict.Faults
	if v.Again != nil && v.Again.Held > 0 {
		v.Add(name, v.Again.Forbidden == 0, "%d of %d records that are not held stand where plan or floor forbid them; %d are held", v.Again.Forbidden, records, v.Again.Held)
		return
	}
	if held := v.Report.Held(); held > 0 {
		v.Add(name, max(byFloor, byRows) <= held, "%d of %d records stand where plan or floor forbid them; by the report, %d repeat or hide something and are outside the floor", max(byFloor, byRows), records, held)
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
func checkFit(v *subject.View, f *pair.Files) {
	const name = "fit"
	switch {
	case v.Rows == nil && !v.Empty():
		v.Skip(name, "the rows are not known")
		return
	case exact.Sum(v.Pairs.Out) == 0:
		v.Skip(name, "there are no records")
		return
	case v.Again != nil:
		one := subject.View{Plan: v.Plan, Rows: v.Rows, Pairs: v.Again.Drawn}
		k := FitPairs(&one)
		v.Add(name, k.Accepted(), "%d draws that count %s the plan: G = %.1f over %d rows, %d degrees of freedom (false alarm rate %g)",
			exact.Sum(v.Again.Drawn.In), verdict.Either(k.Accepted(), "fit", "do not fit"), 2*k.Sum, k.rows, k.freedom, Alarm)
		return
	case v.Report.Held() > 0:
		v.Skip(name, "records are held that only record history and key tell from the others")
		return
	case v.Report.Randomness.Unit == "person":
		v.Skip(name, "rows of one person share draws, and only the key tells them from the others")
		return
	case f.In == nil && v.Report.Prior.Of != "this file":
		v.Skip(name, "no input, and the plan's counts are not this file's")
		return
	case f.In == nil:
		k := fitOutputs(v)
		v.Add(name, k.Accepted(), "the outputs alone %s the plan: G = %.1f, %d degrees of freedom (false alarm rate %g)",
			verdict.Either(k.Accepted(), "fit", "do not fit"), 2*k.Sum, k.freedom, Alarm)
		return
	}
	k := FitPairs(v)
	v.Add(name, k.Accepted(), "the draws %s the plan: G = %.1f over %d rows, %d degrees of freedom (false alarm rate %g)",
		verdict.Either(k.Accepted(), "fit", "do not fit"), 2*k.Sum, k.rows, k.freedom, Alarm)
}
