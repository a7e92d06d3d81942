package mechanism

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckHashes compares the documents with the hashes that tie them together.
func CheckHashes(v *document.View, planData, orderData []byte) {
	sum, last := files.Plan(planData, v.Plan.Plan)
	v.Add("plan hash", last && sum == v.Plan.Plan, "%s", document.Either(last && sum == v.Plan.Plan,
		"plan.json is as it was written, and the report names it", "plan.json was changed after it was written"))
	var w document.Faults
	w.Match(files.Hex(orderData) == v.Plan.Order.SHA256 || v.Empty() && v.Plan.Order.SHA256 == "" && len(orderData) == 0,
		"order.csv, which the plan has otherwise,")
	v.Expect(&w, Figures{"order.sha256": v.Plan.Order.SHA256, "plan.plan_sha256": v.Plan.Plan, "column": v.Plan.Column,
		"command": document.OneOf("run", "apply")})
	v.Settle("order hash", w, "order.csv is the order that plan and report name")
}

// CheckDesignHash comes after the rows, which may have to be recomputed.
func CheckDesignHash(v *document.View) {
	if v.Groups == nil && !v.Empty() {
		v.Leave("design hash", "the rows are not known", "plan.design_sha256")
		return
	}
	var w document.Faults
	w.Match(v.Design() == v.Plan.Design, "the hash of values and rows, which the plan has otherwise,")
	v.Expect(&w, Figures{"plan.design_sha256": v.Plan.Design})
	v.Settle("design hash", w, "values and rows are those that plan and report name")
}

// CheckLetters holds inputs and outputs to the rules of letters: distinct,
// null last, and in the order of their values where the order does not give
// another.
func CheckLetters(v *document.View) bool {
	var w document.Faults
	for _, list := range []struct {
		name   string
		labels []files.Label
		sorted bool
	}{
		{"inputs", v.Plan.Inputs, v.Report.Command != "apply" && v.Report.Text("prior.of") == "this file"},
		{"outputs", v.Plan.Outputs, !slices.Contains([]string{"matrix", "ordered", "circular"}, v.Plan.Order.Form)},
	} {
		seen := map[files.Label]bool{}
		for i, l := range list.labels {
			if seen[l] {
				w.Addf("%s: value %d stands twice", list.name, i+1)
			}
			if seen[l] = true; l.Null && i < len(list.labels)-1 {
				w.Addf("%s: null is not last", list.name)
			}
		}
		if list.sorted && !ascending(list.labels, v.Plan.Order.Kind, list.name == "inputs") && !inBins(v, list.labels) {
			w.Addf("%s: the values are not in order", list.name)
		}
	}
	if v.Empty() != (len(v.Plan.Outputs) == 0) {
		w.Addf("there are inputs or outputs, and not both")
	}
	if !v.Report.Empty() {
		v.Expect(&w, Figures{"letters": len(v.Plan.Inputs)})
	}
	if n := len(v.Plan.Inputs); n > 0 && v.Plan.Inputs[n-1].Null && v.Plan.Null != "letter" {
		w.Addf("null is an input value, and the null rule is another")
	}
	if !slices.Contains([]string{"", "refuse", "letter", "public"}, v.Plan.Null) {
		w.Addf("the null rule is not known")
	}
	return v.Settle("values", w, "%d inputs and %d outputs, distinct and in order, null last", len(v.Plan.Inputs),
		len(v.Plan.Outputs))
}

// inBins reports whether labels are in the order of the bins that they name.
func inBins(v *document.View, labels []files.Label) bool {
	if n := len(labels); n > 0 && labels[n-1].Null {
		labels = labels[:n-1]
	}
	b := binsOf(v)
	return b != nil && slices.IsSortedFunc(labels, func(x, y files.Label) int { return b.Compare(x.Text, y.Text) })
}

// ascending reports whether labels are in order by value; outputs that are no
// values of the kind, and text, in the order of their bytes.
func ascending(labels []files.Label, kind string, inputs bool) bool {
	if n := len(labels); n > 0 && labels[n-1].Null {
		labels = labels[:n-1]
	}
	types := []files.Type{{Kind: files.Text}}
	switch kind {
	case "integer":
		types = []files.Type{{Kind: files.Integer, Bits: 64}, {Kind: files.Integer, Bits: 64, Unsigned: true}}
	case "date":
		types = []files.Type{{Kind: files.Date}}
	case "boolean":
		types = []files.Type{{Kind: files.Boolean}}
	}
	readable := false
	for _, t := range types {
		keys := make([]files.Key, len(labels))
		all := true
		for i, l := range labels {
			var ok bool
			keys[i], ok = t.Key(l.Text)
			all = all && ok
		}
		if all && slices.IsSortedFunc(keys, t.Compare) {
			return true
		}
		readable = readable || all
	}
	byBytes := func(a, b files.Label) int { return strings.Compare(a.Text, b.Text) }
	return (!inputs && (!readable || kind == "text")) && slices.IsSortedFunc(labels, byBytes)
}

// CheckCounts reads the plan's counts.
func CheckCounts(v *document.View) bool {
	if len(v.Plan.Counts) != len(v.Plan.Inputs) {
		return v.Add("prior", false, "the plan has %d counts for %d inputs", len(v.Plan.Counts), len(v.Plan.Inputs))
	}
	for x, s := range v.Plan.Counts {
		c, ok := exact.Whole(s)
		if !ok || c > exact.MaxTotal-v.Total {
			return v.Add("prior", false, "the count of input %d is no number of records", x+1)
		}
		v.Count = append(v.Count, c)
		v.Total += c
	}
	return true
}

// CheckRows reads the mechanisms and the groups that they draw.
func CheckRows(v *document.View) {
	const name = "row sums"
	if v.Empty() {
		v.Add(name, len(v.Plan.Groups)+len(v.Plan.Laws) == 0, "there are no values, and so no rows")
		return
	}
	cells := 0
	for i, m := range v.Plan.Laws {
		rows, why := readLaw(v, m)
		if rows == nil && why == "" {
			v.Skip(name, "the plan leaves the rows of this safe design out, and order.csv is no table to make them from")
			return
		}
		if why != "" {
			v.Add(name, false, "mechanism %d: %s", i+1, why)
			return
		}
		v.Laws = append(v.Laws, rows)
		v.Plan.Laws[i].Rows, v.Plan.Laws[i].Blocks = nil, nil // millions of texts, whose numbers are there now
		for _, r := range rows {
			cells += len(r.Output)
		}
	}
	why, beside := readGroups(v), ""
	if v.Plan.Weights() != "" {
		beside = ", in " + files.WeightsFile
	}
	v.Add(name, why == "", "%s", document.Either(why == "",
		fmt.Sprintf("%d rows of %d positive weights%s, each total their sum", len(v.Laws)*len(v.Plan.Inputs), cells, beside),
		why))
}

// readLaw reads the rows of a mechanism, or makes those of a safe design that were left
// out because they follow from order and floor; nil without a reason where they cannot
// be made.
func readLaw(v *document.View, m document.PlanLaw) (rows []exact.Row, why string) {
	switch {
	case m.Weights != "":
		return readWeights(v, m)
	case len(m.Blocks) > 0:
		return readBlocks(v, m)
	case len(m.Rows) > 0 || v.Plan.Method.Kind != "safe":
		return ReadRows(v, m.Rows)
	case v.Allow == nil:
		return nil, ""
	}
	rows = v.Allow.Uniform()
	if x := slices.IndexFunc(rows, func(r exact.Row) bool { return r.Total == 0 }); x >= 0 {
		return nil, fmt.Sprintf("the floor leaves input %d no output", x+1)
	}
	return rows, ""
}

// readWeights reads the rows that the plan leaves out; why says what is wrong.
func readWeights(v *document.View, m document.PlanLaw) (rows []exact.Row, why string) {
	if len(m.Rows) > 0 || len(m.Blocks) > 0 || v.Weights == nil {
		return nil, "the plan has rows beside those of " + files.WeightsFile + ", or that is not there"
	}
	rows, sum, why := files.ReadWeights(v.Weights, len(v.Plan.Inputs), len(v.Plan.Outputs))
	if why == "" && sum != m.Weights {
		why = files.WeightsFile + " is not that of the plan"
	}
	return rows, why
}

// ReadRows reads rows for the letters of the plan; why says what is wrong.
func ReadRows(v *document.View, from []document.PlanRow) (rows []exact.Row, why string) {
	if len(from) != len(v.Plan.Inputs) {
		return nil, fmt.Sprintf("the plan has %d rows for %d inputs", len(from), len(v.Plan.Inputs))
	}
	place := placesOf(v.Plan.Outputs)
	for x, r := range from {
		if r.Input != v.Plan.Inputs[x] {
			return nil, fmt.Sprintf("row %d is not that of input %d", x+1, x+1)
		}
		out, why := readRow(r, place)
		if why != "" {
			return nil, fmt.Sprintf("row %d: %s", x+1, why)
		}
		if x > 0 && slices.Equal(out.Output, rows[x-1].Output) && slices.Equal(out.Weight, rows[x-1].Weight) {
			out = rows[x-1] // one row of both, which checks go through once
		}
		rows = append(rows, out)
	}
	return rows, ""
}

func placesOf(labels []files.Label) map[files.Label]int32 {
	place := make(map[files.Label]int32, len(labels))
	for i, l := range labels {
		place[l] = int32(i)
	}
	return place
}

// readRow reads one row; why says what is wrong.
func readRow(r document.PlanRow, place map[files.Label]int32) (out exact.Row, why string) {
	for i, c := range r.Outputs {
		y, known := place[c.Label]
		w, ok := exact.Whole(c.Weight)
		if !known || !ok || w == 0 || w > exact.MaxTotal-out.Total || i > 0 && y <= out.Output[i-1] {
			return out, fmt.Sprintf("cell %d is no output with a positive weight, in order", i+1)
		}
		out.Output, out.Weight = append(out.Output, y), append(out.Weight, w)
		out.Total += w
	}
	if total, ok := exact.Whole(r.Total); !ok || total != out.Total || total == 0 {
		return out, "its total is not the sum of its weights"
	}
	return out, ""
}

// readBlocks reads the rows that letters share. Every letter is in one block, and
// blocks are in the order of their first letters.
func readBlocks(v *document.View, m document.PlanLaw) (rows []exact.Row, why string) {
	input, output := placesOf(v.Plan.Inputs), placesOf(v.Plan.Outputs)
	seen, first := 0, int32(-1)
	rows = make([]exact.Row, len(v.Plan.Inputs))
	for i, r := range m.Blocks {
		law, why := readRow(r, output)
		if why != "" {
			return nil, fmt.Sprintf("block %d: %s", i+1, why)
		}
		var letters []int
		for _, l := range r.Inputs {
			x, known := input[l]
			if !known || rows[x].Total > 0 || len(letters) > 0 && int(x) <= letters[len(letters)-1] ||
				len(letters) == 0 && x <= first {
				return nil, fmt.Sprintf("block %d: an input is none, stands in two blocks, or is not in order", i+1)
			}
			if len(letters) == 0 {
				first = x
			}
			rows[x], letters = law, append(letters, int(x))
		}
		if len(letters) == 0 {
			return nil, fmt.Sprintf("block %d has no input", i+1)
		}
		seen += len(letters)
		v.Blocks = append(v.Blocks, letters)
	}
	if seen != len(rows) || len(m.Rows) > 0 {
		return nil, "some inputs are in no block, or have rows beside"
	}
	return rows, ""
}

// CheckNulls recomputes what is said of nulls.
func CheckNulls(v *document.View, f *document.Files) {
	const name = "nulls"
	rule, n, last := v.Plan.Null, int64(0), len(v.Plan.Inputs)-1
	switch {
	case v.Pairs == nil:
		v.Leave(name, "the records could not be counted", name)
		return
	case rule == "public" && f.In != nil:
		n = v.Pairs.InNulls
	case rule == "public" && !v.NullOutput():
		n = v.Pairs.OutNulls - v.Hidden() + v.Report.Absent()
	case rule == "public" || rule == "letter" && f.In == nil && v.Report.Text("prior.of") != "this file":
		v.Leave(name, "no input", name)
		return
	case rule == "letter" && last >= 0 && v.Plan.Inputs[last].Null:
		if n = v.Count[last]; f.In != nil {
			n = v.Pairs.In[last]
		}
	}
	var w document.Faults
	if n == 0 && !v.Report.Has(name) {
		v.Expect(&w, Figures{name: nil})
		v.Settle(name, w, "there are none")
		return
	}
	rows := v.Pairs.Rows
	want := Figures{"rule": rule, "count": n, "share?": rounded(float64(n)/float64(max(rows, 1)), 0)}
	if rule == "public" && n > 0 && n <= rows && v.Hidden()+v.Report.Absent() == 0 { // else presence is no figure
		want["null_factor?"], want["nats?"] = big.NewRat(rows, n), big.NewRat(rows, n)
		if n < rows {
			want["value_factor?"], want["value_nats?"] = big.NewRat(rows, rows-n), big.NewRat(rows, rows-n)
		}
	}
	v.Expect(&w, Figures{name: want})
	v.Settle(name, w, "%d nulls, rule %s", n, rule)
}

// CheckOther holds the letters that are treated alike to one row, and to what
// makes them so: few records, or none when the plan was made.
func CheckOther(v *document.View) {
	const name = "values treated alike"
	p := v.Plan.Other
	var w document.Faults
	switch {
	case p == nil && !v.Report.Has("other"):
		return
	case p == nil:
		v.Expect(&w, Figures{"other": nil})
		v.Settle(name, w, "")
		return
	case v.Groups == nil || len(v.Count) != len(v.Plan.Inputs):
		v.Leave(name, "the rows are not known", "other")
		return
	}
	other := slices.Index(v.Plan.Inputs, files.Label{Text: p.Label})
	if other < 0 {
		v.Add(name, false, "the value whose row they have is no input")
		return
	}
	alike := map[string]bool{}
	records := int64(0)
	for _, l := range slices.Concat(p.Merged, p.Adopted) {
		x := slices.Index(v.Plan.Inputs, files.Label{Text: l})
		if x < 0 || x == other || alike[l] {
			w.Addf("a value that is treated alike is no input, or stands twice")
			continue
		}
		alike[l] = true
		for _, c := range crowds(v) {
			if a, b := c.rows[x], c.rows[other]; !slices.Equal(a.Output, b.Output) || !slices.Equal(a.Weight, b.Weight) {
				w.Addf("row %d is not that of the value it is treated as", x+1)
			}
		}
		n := v.Sample()[x]
		if records += n; n >= p.MinCount || slices.Contains(p.Adopted, l) && n > 0 {
			w.Addf("input %d is treated as another value and is not rare", x+1)
		}
	}
	lent := slices.Concat(p.Lent, p.Adopted)
	for i, l := range lent {
		x := slices.Index(v.Plan.Inputs, files.Label{Text: l})
		if !alike[l] || slices.Contains(lent[:i], l) {
			w.Addf("a value that the order has no row for is not treated alike, or stands twice")
		} else if v.Order != nil && !slices.Equal(v.Order.Row(x), v.Order.Row(other)) {
			w.Addf("the order has a row of its own for input %d, and it is said to have none", x+1)
		}
	}
	for x, l := range v.Plan.Inputs {
		if !l.Null && x != other && !alike[l.Text] && v.Sample()[x] < p.MinCount {
			w.Addf("input %d is rare and keeps a row of its own", x+1)
		}
	}
	v.Expect(&w, Figures{"other": Figures{"label": p.Label, "min_count": p.MinCount, "letters": len(p.Merged),
		"records": records, "adopted?": len(p.Adopted), "lent?": len(lent)}})
	w.Match(p.Extends == "" && len(p.Adopted) == 0 || files.Is(p.Extends) && len(p.Adopted) > 0,
		"the plan that was extended")
	v.Settle(name, w, "%d values of %d records have one row, and %d that came later", len(p.Merged), records,
		len(p.Adopted))
}
