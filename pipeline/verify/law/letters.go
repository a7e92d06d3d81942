// Package law checks what a plan says of its mechanism: letters and rows, order
// and floor, e^l(y) of every output, the target, the certificate.
package law

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/digest"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckHashes compares the documents with the hashes that tie them together.
func CheckHashes(v *subject.View, planData, orderData []byte) {
	sum, last := digest.Plan(planData, v.Plan.Plan)
	v.Add("plan hash", last && sum == v.Plan.Plan, "%s", verdict.Either(last && sum == v.Plan.Plan,
		"plan.json is as it was written, and the report names it", "plan.json was changed after it was written"))
	same := digest.Hex(orderData) == v.Plan.Order.SHA256 || v.Empty() && v.Plan.Order.SHA256 == "" && len(orderData) == 0
	same = same && v.Report.Order.SHA256 == v.Plan.Order.SHA256
	v.Add("order hash", same, "%s", verdict.Either(same, "order.csv is the order that plan and report name", "order.csv is not the order that plan and report name"))
}

// CheckDesignHash comes after the rows, which may have to be recomputed.
func CheckDesignHash(v *subject.View) {
	if v.Rows == nil && v.Strata == nil && !v.Empty() {
		v.Skip("design hash", "the rows are not known")
		return
	}
	sum := ""
	if v.Strata != nil {
		sum = StrataSum(v)
	} else {
		sum = digest.Design(v.Plan.Inputs, v.Plan.Outputs, v.Rows)
	}
	same := sum == v.Plan.Design && v.Plan.Design == v.Report.Plan.Design
	v.Add("design hash", same, "%s", verdict.Either(same, "letters and rows are those that plan and report name", "letters or rows are not those that plan and report name"))
}

// CheckLetters holds inputs and outputs to the rules of letters: distinct,
// null last, and in the order of their values where the order does not give
// another.
func CheckLetters(v *subject.View) bool {
	var w verdict.Faults
	for _, list := range []struct {
		name   string
		labels []cells.Label
		sorted bool
	}{
		{"inputs", v.Plan.Inputs, v.Report.Prior.Of == "this file"},
		{"outputs", v.Plan.Outputs, !slices.Contains([]string{"matrix", "ranks", "ordered", "circular"}, v.Plan.Order.Form)},
	} {
		seen := map[cells.Label]bool{}
		for i, l := range list.labels {
			if seen[l] {
				w.Addf("%s: letter %d stands twice", list.name, i+1)
			}
			if seen[l] = true; l.Null && i < len(list.labels)-1 {
				w.Addf("%s: null is not last", list.name)
			}
		}
		if list.sorted && !ascending(list.labels, v.Plan.Order.Kind, list.name == "inputs") {
			w.Addf("%s: the letters are not in order", list.name)
		}
	}
	if v.Empty() != (len(v.Plan.Outputs) == 0) || v.Report.Letters != len(v.Plan.Inputs) {
		w.Addf("the report counts other letters")
	}
	if n := len(v.Plan.Inputs); n > 0 && v.Plan.Inputs[n-1].Null && v.Plan.Null != "letter" {
		w.Addf("null is an input letter, and the null rule is another")
	}
	if !slices.Contains([]string{"", "refuse", "letter", "public"}, v.Plan.Null) {
		w.Addf("the null rule is not known")
	}
	return v.Settle("letters", w, "%d inputs and %d outputs, distinct and in order, null last", len(v.Plan.Inputs), len(v.Plan.Outputs))
}

// ascending reports whether labels are in order by value; outputs that are no
// values of the kind, and text, in the order of their bytes.
func ascending(labels []cells.Label, kind string, inputs bool) bool {
	if n := len(labels); n > 0 && labels[n-1].Null {
		labels = labels[:n-1]
	}
	types := []cells.Type{{Kind: cells.Text}}
	switch kind {
	case "integer":
		types = []cells.Type{{Kind: cells.Integer, Bits: 64}, {Kind: cells.Integer, Bits: 64, Unsigned: true}}
	case "date":
		types = []cells.Type{{Kind: cells.Date}}
	case "boolean":
		types = []cells.Type{{Kind: cells.Boolean}}
	}
	readable := false
	for _, t := range types {
		keys := make([]cells.Key, len(labels))
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
	byBytes := func(a, b cells.Label) int { return strings.Compare(a.Text, b.Text) }
	return (!inputs && (!readable || kind == "text")) && slices.IsSortedFunc(labels, byBytes)
}

// CheckCounts reads the plan's counts.
func CheckCounts(v *subject.View) bool {
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

// CheckRows reads the rows of the mechanism, or makes those of a safe design
// that were left out because they follow from order and floor.
func CheckRows(v *subject.View) {
	const name = "row sums"
	m := &v.Plan.Mechanism
	switch {
	case v.Empty():
		v.Add(name, len(m.Rows) == 0, "there are no letters, and so no rows")
		return
	case v.Plan.Strata != nil:
		why := readStrata(v)
		v.Add(name, why == "", "%s", verdict.Either(why == "", fmt.Sprintf("%d mechanisms for %d groups of strata, each total the sum of its weights", len(v.Laws), len(v.Strata)), why))
		return
	case len(m.Rows) == 0 && m.Kind == "safe" && v.Allow == nil:
		v.Skip(name, "the plan leaves the rows of this safe design out, and order.csv is no table to make them from")
		return
	case len(m.Rows) == 0 && m.Kind == "safe":
		rows := v.Allow.Uniform()
		if x := slices.IndexFunc(rows, func(r exact.Row) bool { return r.Total == 0 }); x >= 0 {
			v.Add(name, false, "the floor leaves input %d no output", x+1)
			return
		}
		v.Rows = rows
		v.Add(name, true, "made from order and floor: every allowed output of a letter equally likely")
		return
	}
	rows, why := ReadRows(v, m.Rows)
	if why != "" {
		v.Add(name, false, "%s", why)
		return
	}
	v.Rows = rows
	n := 0
	for _, r := range rows {
		n += len(r.Output)
	}
	v.Add(name, true, "%d rows of %d positive weights, each total their sum", len(rows), n)
}

// ReadRows reads rows for the letters of the plan; why says what is wrong.
func ReadRows(v *subject.View, from []document.PlanRow) (rows []exact.Row, why string) {
	if len(from) != len(v.Plan.Inputs) {
		return nil, fmt.Sprintf("the plan has %d rows for %d inputs", len(from), len(v.Plan.Inputs))
	}
	place := map[cells.Label]int32{}
	for y, l := range v.Plan.Outputs {
		place[l] = int32(y)
	}
	for x, r := range from {
		if r.Input != v.Plan.Inputs[x] {
			return nil, fmt.Sprintf("row %d is not that of input %d", x+1, x+1)
		}
		out := exact.Row{}
		for i, c := range r.Outputs {
			y, known := place[c.Label]
			w, ok := exact.Whole(c.Weight)
			if !known || !ok || w == 0 || w > exact.MaxTotal-out.Total || i > 0 && y <= out.Output[i-1] {
				return nil, fmt.Sprintf("row %d: cell %d is no output with a positive weight, in order", x+1, i+1)
			}
			out.Output, out.Weight = append(out.Output, y), append(out.Weight, w)
			out.Total += w
		}
		if total, ok := exact.Whole(r.Total); !ok || total != out.Total || total == 0 {
			return nil, fmt.Sprintf("row %d: its total is not the sum of its weights", x+1)
		}
		rows = append(rows, out)
	}
	return rows, ""
}
