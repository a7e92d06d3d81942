package mechanism

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckFiles compares hashes, sizes, rows and columns with the report. An
// input that is another file, as that of another night, is an error: nothing
// that is compared with it would say anything of the release.
func CheckFiles(ctx context.Context, v *document.View, f *document.Files) error {
	for _, k := range []struct {
		name string
		file *document.Opened
	}{{"input", f.In}, {"output", f.Out}} {
		hash := v.Report.Text(k.name + ".sha256")
		if k.file == nil {
			v.Skip(k.name+" hash", "no input")
			v.Leave(k.name+" file", "no input", k.name)
			continue
		}
		if how := v.Report.Option("hash"); hash == "" && how != "" && how != "none" {
			v.Seen(k.name + ".sha256")
			v.Add(k.name+" hash", false, "the report holds no hash, and its options say that there is one")
		} else if err := CheckHash(ctx, v, k.name, k.file); err != nil {
			return err
		} else if k.file == f.In && hash != "" && v.Checks[len(v.Checks)-1].Outcome == document.Failed {
			return another(f.In)
		}
		var w document.Faults
		ExpectFile(v, &w, k.name, k.file)
		if k.file == f.In && len(w) > 0 && hash == "" {
			return another(f.In)
		}
		v.Settle(k.name+" file", w, "%d rows, %d bytes, %s", k.file.Rows(), k.file.Size, k.file.Format())
	}
	checkColumns(v, f)
	return nil
}

// CheckHash compares the hash of a file, where the report has one.
func CheckHash(ctx context.Context, v *document.View, name string, file *document.Opened) error {
	if v.Report.Text(name+".sha256") == "" {
		var w document.Faults
		if v.Expect(&w, Figures{name + ".sha256": ""}); len(w) == 0 {
			v.Skip(name+" hash", "the report holds no hash")
			return nil
		}
	}
	sum, err := file.Sum(ctx)
	if err != nil {
		return err
	}
	var w document.Faults
	if v.Expect(&w, Figures{name + ".sha256": sum}); len(w) > 0 {
		w = document.Faults{"the file is another than the one that the report is about"}
	}
	v.Settle(name+" hash", w, "the file is, byte for byte, the one that the report is about")
	return nil
}

// ExpectFile compares size and format of a file.
func ExpectFile(v *document.View, w *document.Faults, name string, file *document.Opened) {
	v.Expect(w, Figures{name + ".rows": file.Rows(), name + ".bytes": file.Size, name + ".format": file.Format()})
}

// another says that the input is not the one that was privatized.
func another(in *document.Opened) error {
	return document.Errorf("name the file that was privatized, as it was then",
		"%s is another file than the input that the report is about", in.Path)
}

// checkColumns compares the columns of output, report and input.
func checkColumns(v *document.View, f *document.Files) {
	var w document.Faults
	private, kept, dropped := v.Report.Fate("privatized"), v.Report.Fate("published in clear"), v.Report.Fate("dropped")
	columns := v.Report.List("columns")
	var listed, left []string
	for _, c := range columns {
		if listed = append(listed, c.Text("name")); c.Text("fate") != "dropped" {
			left = append(left, c.Text("name"))
		}
	}
	redrawn := []string{v.Plan.Column}
	if of := v.Report.List("joint.columns"); len(of) > 0 {
		redrawn = nil
		for _, c := range of {
			redrawn = append(redrawn, c.Text("column"))
		}
		w.Match(slices.Contains(redrawn, v.Plan.Column), "the private columns")
	}
	together := slices.Sorted(slices.Values(private))
	slices.Sort(redrawn)
	w.Match(slices.Equal(together, redrawn) && len(private)+len(kept)+len(dropped) == len(listed),
		"the fate of the columns")
	v.Expect(&w, Figures{"columns": slices.Repeat([]Figures{{"name": some, "type": Text, "fate": some}}, len(columns))})
	if !slices.Equal(f.Out.Columns(), left) {
		w.Addf("the output has other columns than the report says")
	}
	if f.In != nil && !slices.Equal(f.In.Columns(), listed) {
		w.Addf("the input has other columns than the report says")
	}
	v.Settle("columns", w, "%d privatized, %d published in clear, %d dropped", len(private), len(kept), len(dropped))
	const name = "copied columns"
	if f.In == nil {
		v.Skip(name, "no input")
		return
	}
	differ, err := f.Out.Same(f.In.File, redrawn)
	switch {
	case err != nil:
		v.Add(name, false, "the output %v", err)
	default:
		v.Add(name, len(differ) == 0, "%s", document.Either(len(differ) == 0,
			"every column published in clear is that of the input", "columns published in clear are not those of the input"))
	}
}

// Compare reads input and output side by side, unit by unit.
func Compare(ctx context.Context, v *document.View, f *document.Files) error {
	to, err := files.NewLetters(f.Out.Type(), v.Plan.Outputs)
	if err != nil {
		v.Add("alphabet", false, "the outputs of the plan are no letters of the written column: %v", err)
		return nil
	}
	scan(v, f, to)
	var from *files.Letters
	units := f.Out.Units()
	if f.In != nil {
		if from, err = files.NewLetters(f.In.Type(), v.Plan.Inputs); err != nil {
			v.Add("counts", false, "the inputs of the plan are no letters of the column: %v", err)
			return nil
		}
		if !slices.Equal(f.In.Units(), units) {
			v.Add("row groups", false, "the output has row groups or record batches of other sizes than the input: records "+
				"cannot be compared")
			return nil
		}
		v.Add("row groups", true, "%d row groups or record batches, of as many rows in both files", len(units))
	}
	total := document.NewTally(len(v.Plan.Inputs), len(v.Plan.Outputs))
	workers := 1 + document.DenseCells/max(1, len(total.Dense))
	err = eachUnit(workers, len(units),
		func() *document.Tally { return document.NewTally(len(v.Plan.Inputs), len(v.Plan.Outputs)) },
		func(own *document.Tally, u int) error { return own.Unit(ctx, f, u, from, to) }, total.Merge)
	if err != nil {
		return err
	}
	v.Pairs = total
	return nil
}

// eachUnit reads units by some workers at once, each into a tally that it begins,
// and merges the tallies one after another.
func eachUnit[T any](workers, units int, begin func() T, read func(own T, unit int) error, merge func(T)) error {
	var next atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	for range min(runtime.GOMAXPROCS(0), workers, units) {
		group.Go(func() {
			own := begin()
			var err error
			for u := int(next.Add(1)) - 1; u < units && err == nil; u = int(next.Add(1)) - 1 {
				err = read(own, u)
			}
			mu.Lock()
			defer mu.Unlock()
			merge(own)
			failed = errors.Join(failed, err)
		})
	}
	group.Wait()
	if failed == nil {
		return nil
	}
	return document.FirstError(failed)
}

// scan looks for what the output says of the column beyond its letters.
func scan(v *document.View, f *document.Files, to *files.Letters) {
	var keep []string
	if keys := v.Report.Option("keep-metadata"); keys != "" {
		keep = document.Names(keys)
	}
	for _, k := range f.Out.Scan(to, keep) {
		v.Add(k.Name, k.Passed, "%s", k.Detail)
	}
}

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
	v.Expect(&w, Figures{"prior.of": oneOf("this file", "the plan", "declared prior", "this file, smoothed")})
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
	switch part := v.Report.Has("prior.part"); {
	case same || !part && v.Report.Command == "apply" && exact.Sum(t.In) == 0:
	case !part:
		for x, n := range t.In {
			if n != v.Sample()[x] {
				w.Addf("input letter %d has %d records, the plan says %d", x+1, n, v.Sample()[x])
			}
		}
	default:
		for x, n := range t.In {
			if n > v.Sample()[x] {
				w.Addf("input letter %d has more records than the plan counts: the file is no part of its data", x+1)
			}
		}
	}
	v.Settle(name, w, "%s", document.Either(!v.Report.Has("prior.part"),
		"the input has the records of every letter that the report and the plan have",
		"the input may be a part of the data that the plan was made from, as the report says"))
}

// checkAlphabet holds every written cell to the outputs of the plan.
func checkAlphabet(v *document.View, f *document.Files) {
	t := v.Pairs
	var w document.Faults
	if t.Strange[1] > 0 {
		w.Addf("%d records of the output hold a value that is no output letter", t.Strange[1])
	}
	kept := v.Report.Kept()
	hidden := kept.Suppressed
	if t.Torn != 0 && t.Torn != hidden+kept.Shown {
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
	var w document.Faults
	if v.Again != nil && v.Again.Held > 0 {
		v.Add(name, v.Again.Forbidden == 0,
			"%d of %d records that are not held stand where plan or floor forbid them; %d are held", v.Again.Forbidden, records,
			v.Again.Held)
		return
	}
	if held := v.Report.Kept().Held; held > 0 {
		v.Add(name, max(byFloor, byRows) <= held,
			"%d of %d records stand where plan or floor forbid them; by the report, %d repeat or hide something and are "+
				"outside the floor", max(byFloor, byRows), records, held)
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
	case v.Report.Kept().Held > 0:
		v.Skip(name, "records are held that only record history and key tell from the others")
		return
	case v.Report.Text("randomness.unit") == "person":
		v.Skip(name, "rows of one person share draws, and only the key tells them from the others")
		return
	case f.In == nil && v.Report.Text("prior.of") != "this file":
		v.Skip(name, "no input, and the plan's counts are not this file's")
		return
	case f.In == nil:
		k := fitOutputs(v)
		v.Add(name, k.Accepted(), "the outputs alone %s the plan: G = %.1f, %d degrees of freedom (false alarm rate %g)",
			document.Either(k.Accepted(), "fit", "do not fit"), 2*k.Sum, k.freedom, Alarm)
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
	kept := v.Report.Kept()
	records := exact.Sum(v.Pairs.Out) + kept.Suppressed - kept.Shown
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

// CheckShares recomputes how often each output was written, and holds the
// list to its order, most leakage first.
func CheckShares(v *document.View) {
	const name = "output shares"
	if v.Pairs == nil || v.Factor == nil || v.Plan.Null == "public" && v.NullOutput() {
		v.Skip(name, "the records could not be counted by output")
		return
	}
	var w document.Faults
	kept, earlier := v.Report.Kept(), v.Report.Earlier() > 0
	of := exact.Sum(v.Pairs.Out)
	if v.Plan.Null != "public" {
		of += kept.Suppressed
	}
	n := float64(max(of, 1))
	share := map[files.Label]float64{}
	if earlier && !v.NullOutput() {
		share[files.Label{Null: true}] = float64(kept.Suppressed) / n
	}
	for y, l := range v.Plan.Outputs {
		share[l] = float64(v.Pairs.Out[y]) / n
	}
	sum := 0.0
	list := v.Report.List("outputs")
	for i, o := range list {
		l, _ := o.Label("label")
		sum += o.Float("share")
		document.Some(&w, fmt.Sprintf("outputs[%d]", i), o, Figures{"share": rounded(share[l], 0)})
	}
	w.Match(!earlier || exact.Near(sum, 1, 1), "the sum of the shares")
	falling := slices.IsSortedFunc(list, func(a, b Node) int {
		p, ok := a.Factor("factor")
		q, ok2 := b.Factor("factor")
		if !ok || !ok2 {
			return 0
		}
		return q.Cmp(p)
	})
	if !falling {
		w.Addf("the outputs are not listed by leakage")
	}
	v.Settle(name, w, "the share of every output, most leakage first")
}

// Alarm is how often a file that was drawn from its plan is refused.
const Alarm = 1e-9

// A fit compares counts with the law they should have. T is the sum over rows
// of n_x D(observed || law) in nats, half of G. For n records of k possible
// outputs E exp(t n D) <= (1-t)^-(k-1), 0 <= t < 1, at every n [Agrawal 2020,
// "Finite-sample concentration of the multinomial in relative entropy"]; rows
// are independent, so with K = sum (k_x - 1), by Chernoff,
//
//	Pr(T >= s) <= exp(-s) (e s/K)^K  for s > K.
type fit struct {
	rows     int
	Sum      float64 // T
	freedom  int     // K
	rowTail  float64 // the least log-bound of one row
	excluded int64   // records that the law excludes
}

// A compensated sum keeps what rounding loses [Knuth, TwoSum].
type compensated struct{ sum, lost, size float64 }

// row adds the records of one row: what was seen of each possible output, and
// what of everything else.
func (f *fit) row(expected []float64, seen []int64, other int64) {
	t := 0.0
	for i, e := range expected {
		k := float64(seen[i])
		// k log(k/e) - k + e, which is not negative and sums to n D.
		if t += e - k; k > 0 {
			t += k * math.Log(k/e)
		}
	}
	t = max(t, 0)
	tail := logTail(t, len(expected)-1)
	if f.rows == 0 || tail < f.rowTail {
		f.rowTail = tail
	}
	f.rows++
	f.Sum += t
	f.freedom += len(expected) - 1
	f.excluded += other
}

// Accepted spends half of the alarm on the sum and half on the rows, divided
// among them.
func (f *fit) Accepted() bool {
	return f.excluded == 0 && logTail(f.Sum, f.freedom) >= math.Log(Alarm/2) &&
		(f.rows == 0 || f.rowTail >= math.Log(Alarm/2/float64(f.rows)))
}

// logTail is the logarithm of the bound on Pr(T >= s), 0 where it says nothing.
func logTail(s float64, freedom int) float64 {
	k := float64(freedom)
	if freedom == 0 || s <= k {
		return 0
	}
	return k - s + k*math.Log(s/k)
}

// FitPairs compares the pairs with the rows of the mechanism.
func FitPairs(v *document.View) *fit {
	f := &fit{}
	for x, r := range v.Rows {
		n := v.Pairs.In[x]
		if n == 0 {
			continue
		}
		expected, seen := make([]float64, len(r.Output)), make([]int64, len(r.Output))
		rest := n
		for i, y := range r.Output {
			expected[i] = float64(n) * (float64(r.Weight[i]) / float64(r.Total))
			seen[i] = v.Pairs.Pair(x, int(y))
			rest -= seen[i]
		}
		f.row(expected, seen, rest)
	}
	return f
}

// fitOutputs compares the outputs alone with the law that rows and counts
// give their sum. The records are independent and not alike; the bound for
// alike ones holds for them, too.
func fitOutputs(v *document.View) *fit {
	law := make([]float64, len(v.Plan.Outputs))
	for x, r := range v.Rows {
		for i, y := range r.Output {
			law[y] += float64(v.Count[x]) * (float64(r.Weight[i]) / float64(r.Total))
		}
	}
	var expected []float64
	var seen []int64
	other := int64(0)
	for y, e := range law {
		if e > 0 {
			expected, seen = append(expected, e), append(seen, v.Pairs.Out[y])
		} else {
			other += v.Pairs.Out[y]
		}
	}
	f := &fit{}
	f.row(expected, seen, other)
	return f
}

func (k *compensated) add(v float64) {
	t := k.sum + v
	b := t - k.sum
	k.lost += (k.sum - (t - b)) + (v - b)
	k.sum = t
	k.size += math.Abs(v)
}

func (k *compensated) value() float64 { return k.sum + k.lost }
