package verify

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// checkHashes compares the documents with the hashes that tie them together.
func (v *verifier) checkHashes(planData, orderData []byte) {
	sum, last := planSum(planData, v.plan.Plan)
	v.add("plan hash", last && sum == v.plan.Plan, "%s", either(last && sum == v.plan.Plan,
		"plan.json is as it was written, and the report names it", "plan.json was changed after it was written"))
	same := hexSum(orderData) == v.plan.Order.SHA256 || v.empty() && v.plan.Order.SHA256 == "" && len(orderData) == 0
	same = same && v.report.Order.SHA256 == v.plan.Order.SHA256
	v.add("order hash", same, "%s", either(same, "order.csv is the order that plan and report name", "order.csv is not the order that plan and report name"))
}

// checkDesignHash comes after the rows, which may have to be recomputed.
func (v *verifier) checkDesignHash() {
	if v.rows == nil && v.strata == nil && !v.empty() {
		v.skip("design hash", "the rows are not known")
		return
	}
	sum := ""
	if v.strata != nil {
		sum = v.strataSum()
	} else {
		sum = designSum(v.plan.Inputs, v.plan.Outputs, v.rows)
	}
	same := sum == v.plan.Design && v.plan.Design == v.report.Plan.Design
	v.add("design hash", same, "%s", either(same, "letters and rows are those that plan and report name", "letters or rows are not those that plan and report name"))
}

// checkLetters holds inputs and outputs to the rules of letters: distinct,
// null last, and in the order of their values where the order does not give
// another.
func (v *verifier) checkLetters() bool {
	var w wrong
	for _, list := range []struct {
		name   string
		labels []cells.Label
		sorted bool
	}{
		{"inputs", v.plan.Inputs, v.report.Prior.Of == "this file"},
		{"outputs", v.plan.Outputs, !slices.Contains([]string{"matrix", "ranks", "ordered", "circular"}, v.plan.Order.Form)},
	} {
		seen := map[cells.Label]bool{}
		for i, l := range list.labels {
			if seen[l] {
				w.addf("%s: letter %d stands twice", list.name, i+1)
			}
			if seen[l] = true; l.Null && i < len(list.labels)-1 {
				w.addf("%s: null is not last", list.name)
			}
		}
		if list.sorted && !ascending(list.labels, v.plan.Order.Kind, list.name == "inputs") {
			w.addf("%s: the letters are not in order", list.name)
		}
	}
	if v.empty() != (len(v.plan.Outputs) == 0) || v.report.Letters != len(v.plan.Inputs) {
		w.addf("the report counts other letters")
	}
	if n := len(v.plan.Inputs); n > 0 && v.plan.Inputs[n-1].Null && v.plan.Null != "letter" {
		w.addf("null is an input letter, and the null rule is another")
	}
	if !slices.Contains([]string{"", "refuse", "letter", "public"}, v.plan.Null) {
		w.addf("the null rule is not known")
	}
	return v.settle("letters", w, "%d inputs and %d outputs, distinct and in order, null last", len(v.plan.Inputs), len(v.plan.Outputs))
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

// checkCounts reads the plan's counts.
func (v *verifier) checkCounts() bool {
	if len(v.plan.Counts) != len(v.plan.Inputs) {
		return v.add("prior", false, "the plan has %d counts for %d inputs", len(v.plan.Counts), len(v.plan.Inputs))
	}
	for x, s := range v.plan.Counts {
		c, ok := whole(s)
		if !ok || c > maxTotal-v.total {
			return v.add("prior", false, "the count of input %d is no number of records", x+1)
		}
		v.count = append(v.count, c)
		v.total += c
	}
	return true
}

// checkRows reads the rows of the mechanism, or makes those of a safe design
// that were left out because they follow from order and floor.
func (v *verifier) checkRows() {
	const name = "row sums"
	m := &v.plan.Mechanism
	switch {
	case v.empty():
		v.add(name, len(m.Rows) == 0, "there are no letters, and so no rows")
		return
	case v.plan.Strata != nil:
		why := v.readStrata()
		v.add(name, why == "", "%s", either(why == "", fmt.Sprintf("%d mechanisms for %d groups of strata, each total the sum of its weights", len(v.laws), len(v.strata)), why))
		return
	case len(m.Rows) == 0 && m.Kind == "safe" && v.allow == nil:
		v.skip(name, "the plan leaves the rows of this safe design out, and order.csv is no table to make them from")
		return
	case len(m.Rows) == 0 && m.Kind == "safe":
		rows := v.allow.uniform()
		if x := slices.IndexFunc(rows, func(r row) bool { return r.total == 0 }); x >= 0 {
			v.add(name, false, "the floor leaves input %d no output", x+1)
			return
		}
		v.rows = rows
		v.add(name, true, "made from order and floor: every allowed output of a letter equally likely")
		return
	}
	rows, why := v.readRows(m.Rows)
	if why != "" {
		v.add(name, false, "%s", why)
		return
	}
	v.rows = rows
	n := 0
	for _, r := range rows {
		n += len(r.output)
	}
	v.add(name, true, "%d rows of %d positive weights, each total their sum", len(rows), n)
}

func (v *verifier) readRows(from []planRow) (rows []row, why string) {
	if len(from) != len(v.plan.Inputs) {
		return nil, fmt.Sprintf("the plan has %d rows for %d inputs", len(from), len(v.plan.Inputs))
	}
	place := map[cells.Label]int32{}
	for y, l := range v.plan.Outputs {
		place[l] = int32(y)
	}
	for x, r := range from {
		if r.Input != v.plan.Inputs[x] {
			return nil, fmt.Sprintf("row %d is not that of input %d", x+1, x+1)
		}
		out := row{}
		for i, c := range r.Outputs {
			y, known := place[c.Label]
			w, ok := whole(c.Weight)
			if !known || !ok || w == 0 || w > maxTotal-out.total || i > 0 && y <= out.output[i-1] {
				return nil, fmt.Sprintf("row %d: cell %d is no output with a positive weight, in order", x+1, i+1)
			}
			out.output, out.weight = append(out.output, y), append(out.weight, w)
			out.total += w
		}
		if total, ok := whole(r.Total); !ok || total != out.total || total == 0 {
			return nil, fmt.Sprintf("row %d: its total is not the sum of its weights", x+1)
		}
		rows = append(rows, out)
	}
	return rows, ""
}

func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}

// isSum reports whether s is a SHA-256 in hex.
func isSum(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && strings.ToLower(s) == s
}
