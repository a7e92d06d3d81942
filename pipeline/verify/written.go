package verify

import (
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// scan looks for what the output says of the column beyond its letters.
func (v *verifier) scan(f *files, to *cells.Letters) {
	var keep []string
	if keys := v.report.option("keep-metadata"); keys != "" {
		keep = strings.Split(keys, ",")
	}
	for _, k := range f.out.Scan(to, keep) {
		v.add(k.Name, k.Passed, "%s", k.Detail)
	}
}

// checkWritten judges the records that were counted.
func (v *verifier) checkWritten(f *files) {
	if v.pairs == nil {
		for _, name := range []string{"counts", "alphabet", "forbidden cells", "fit"} {
			v.skip(name, "the records could not be counted")
		}
		return
	}
	v.checkInputCounts(f)
	v.checkAlphabet(f)
	v.checkForbidden(f)
	v.checkFit(f)
}

// checkInputCounts compares the input with the plan's prior. A plan that was
// made from other counts is no fault if the report says what it leaks
// relative to this file's own.
func (v *verifier) checkInputCounts(f *files) {
	const name = "counts"
	t := v.pairs
	if f.in == nil {
		v.skip(name, "no input")
		return
	}
	var w wrong
	if t.strange[0] > 0 {
		w.addf("%d records of the input hold a value that is no input letter", t.strange[0])
	}
	if t.inNulls > 0 && v.plan.Null != "public" {
		w.addf("the input holds %d nulls, and the null rule is %s", t.inNulls, v.plan.Null)
	}
	same := slices.Equal(t.in, v.count)
	if v.plan.Prior != nil {
		same = slices.Equal(t.in, v.sample())
	}
	switch of := v.report.Prior.Of; {
	case !slices.Contains([]string{"this file", "the plan", "declared prior", "this file, smoothed"}, of):
		w.addf("the report does not say whose prior it is")
	case same:
	case of != "the plan":
		for x, n := range t.in {
			if n != v.sample()[x] {
				w.addf("input letter %d has %d records, the plan says %d", x+1, n, v.sample()[x])
			}
		}
	case v.rows != nil && sum(t.in) > 0:
		own := big.NewRat(1, 1)
		for _, k := range factors(v.rows, t.in, sum(t.in), t.outputs) {
			if k != nil && k.Cmp(own) > 0 {
				own = k
			}
		}
		said := "(factor " + own.RatString() + ")"
		if !slices.ContainsFunc(v.report.Warnings, func(s string) bool { return strings.Contains(s, said) }) {
			w.addf("the plan was made from other counts, and the report does not warn of the factor relative to this file's own")
		}
	}
	v.settle(name, w, "%s", either(same, "the input has the records of every letter that the plan has",
		"the plan was made from other counts than this file's, and the report says so"))
}

func sum(n []int64) int64 {
	total := int64(0)
	for _, k := range n {
		total += k
	}
	return total
}

// checkAlphabet holds every written cell to the outputs of the plan.
func (v *verifier) checkAlphabet(f *files) {
	t := v.pairs
	var w wrong
	if t.strange[1] > 0 {
		w.addf("%d records of the output hold a value that is no output letter", t.strange[1])
	}
	hidden := v.report.suppressed()
	if t.torn != 0 && t.torn != hidden {
		w.addf("%d records are null in one file and not in the other", t.torn)
	}
	if t.outNulls != hidden && v.plan.Null != "public" {
		w.addf("the output holds %d nulls, and null is no output", t.outNulls)
	}
	v.settle("alphabet", w, "every written value is one of %d outputs", t.outputs)
}

// checkForbidden holds every record to the rows of the plan and to the floor,
// input and output side by side.
func (v *verifier) checkForbidden(f *files) {
	const name = "forbidden cells"
	t := v.pairs
	switch {
	case f.in == nil:
		v.skip(name, "no input")
		return
	case v.rows == nil && !v.empty():
		v.skip(name, "the rows are not known")
		return
	}
	byRows, byFloor, records := int64(0), int64(0), int64(0)
	t.each(func(x, y int, n int64) {
		records += n
		if _, ok := slices.BinarySearch(v.rows[x].output, int32(y)); !ok {
			byRows += n
		}
		if v.allow != nil && !v.allow.has(x, y) {
			byFloor += n
		}
	})
	var w wrong
	if v.again != nil && v.again.held > 0 {
		v.add(name, v.again.forbidden == 0, "%d of %d records that are not held stand where plan or floor forbid them; %d are held", v.again.forbidden, records, v.again.held)
		return
	}
	if held := v.report.held(); held > 0 {
		v.add(name, max(byFloor, byRows) <= held, "%d of %d records stand where plan or floor forbid them; by the report, %d repeat or hide something and are outside the floor", max(byFloor, byRows), records, held)
		return
	}
	if byFloor > 0 {
		w.addf("%d of %d records were replaced by something below the floor", byFloor, records)
	}
	if byRows > 0 {
		w.addf("%d of %d records were replaced by something that their row does not have", byRows, records)
	}
	v.settle(name, w, "0 of %d records were replaced by something that plan or floor forbids", records)
}

// checkFit compares the draws with the plan.
func (v *verifier) checkFit(f *files) {
	const name = "fit"
	switch {
	case v.rows == nil && !v.empty():
		v.skip(name, "the rows are not known")
		return
	case sum(v.pairs.out) == 0:
		v.skip(name, "there are no records")
		return
	case v.again != nil:
		one := verifier{plan: v.plan, rows: v.rows, pairs: v.again.drawn}
		k := one.fitPairs()
		v.add(name, k.accepted(), "%d draws that count %s the plan: G = %.1f over %d rows, %d degrees of freedom (false alarm rate %g)",
			sum(v.again.drawn.in), either(k.accepted(), "fit", "do not fit"), 2*k.sum, k.rows, k.freedom, alarm)
		return
	case v.report.held() > 0:
		v.skip(name, "records are held that only record history and key tell from the others")
		return
	case v.report.Randomness.Unit == "person":
		v.skip(name, "rows of one person share draws, and only the key tells them from the others")
		return
	case f.in == nil && v.report.Prior.Of != "this file":
		v.skip(name, "no input, and the plan's counts are not this file's")
		return
	case f.in == nil:
		k := v.fitOutputs()
		v.add(name, k.accepted(), "the outputs alone %s the plan: G = %.1f, %d degrees of freedom (false alarm rate %g)",
			either(k.accepted(), "fit", "do not fit"), 2*k.sum, k.freedom, alarm)
		return
	}
	k := v.fitPairs()
	v.add(name, k.accepted(), "the draws %s the plan: G = %.1f over %d rows, %d degrees of freedom (false alarm rate %g)",
		either(k.accepted(), "fit", "do not fit"), 2*k.sum, k.rows, k.freedom, alarm)
}
