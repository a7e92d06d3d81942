package kernel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// hashes: every document is the one that the others name (docs/files.md).
func (p *proof) hashes() {
	sum, last := files.Plan(p.PlanData, p.Plan.Hash)
	ok := last && sum == p.Plan.Hash
	p.Add("plan hash", ok, "%s", Either(ok, "plan.json is as it was written", "plan.json was changed later"))
	stated := p.Plan.Order.SHA256
	ok = files.Hex(p.OrderData) == stated || p.Plan.Empty() && stated == "" && len(p.OrderData) == 0
	p.Add("order hash", ok, "order.csv is %s", Either(ok, "the order that the plan names", "not the order of the plan"))
}

// letters: inputs and outputs are distinct, null is last, and they are in the order of
// their values where the order of utility does not give another.
func (p *proof) letters() bool {
	var w Faults
	if (p.Plan.Bins == nil) != (p.Bins == nil) {
		w.Addf("the plan has bins that are none")
	}
	for i, labels := range [][]files.Label{p.Plan.Inputs, p.Plan.Outputs} {
		name := Either(i == 0, "inputs", "outputs")
		if n := slices.IndexFunc(labels, func(l files.Label) bool { return l.Null }); n >= 0 && n < len(labels)-1 {
			w.Addf("%s: null is not last", name)
		}
		if len(placesOf(labels)) < len(labels) {
			w.Addf("%s: a value stands twice", name)
		}
		sorted := i == 0 && !p.Claimed.Followed && p.Plan.Prior == nil ||
			i == 1 && !slices.Contains([]string{"matrix", "ordered", "circular"}, p.Plan.Order.Form)
		if sorted && !ascending(labels, p.Plan.Order.Kind, i == 0, p.Bins) {
			w.Addf("%s: the values are not in order", name)
		}
	}
	if p.Plan.Empty() != (len(p.Plan.Outputs) == 0) {
		w.Addf("there are inputs or outputs, and not both")
	}
	if n := len(p.Plan.Inputs); n > 0 && p.Plan.Inputs[n-1].Null && p.Plan.Null != "draw" {
		w.Addf("null is an input value, and the null rule is another")
	}
	if !slices.Contains([]string{"", "refuse", "draw", "public"}, p.Plan.Null) {
		w.Addf("the null rule is not known")
	}
	return p.Settle("values", w, "%d inputs and %d outputs, distinct and in order, null last", len(p.Plan.Inputs),
		len(p.Plan.Outputs))
}

// ascending reports whether labels are in order by value; outputs that are no values of the
// kind, and text, in the order of their bytes; bins as they lie.
func ascending(labels []files.Label, kind string, inputs bool, b *files.Bins) bool {
	if n := len(labels); n > 0 && labels[n-1].Null {
		labels = labels[:n-1]
	}
	if b != nil && slices.IsSortedFunc(labels, func(x, y files.Label) int { return b.Compare(x.Text, y.Text) }) {
		return true
	}
	types := map[string][]files.Type{"date": {{Kind: files.Date}}, "boolean": {{Kind: files.Boolean}},
		"integer": {{Kind: files.Integer, Bits: 64}, {Kind: files.Integer, Bits: 64, Unsigned: true}}}[kind]
	readable := false
	for _, t := range append(types, files.Type{Kind: files.Text})[:max(1, len(types))] {
		var keys []files.Key
		for _, l := range labels {
			if k, ok := t.Key(l.Text); ok {
				keys = append(keys, k)
			}
		}
		if readable = readable || len(keys) == len(labels); len(keys) == len(labels) && slices.IsSortedFunc(keys, t.Compare) {
			return true
		}
	}
	return !inputs && (!readable || kind == "text") &&
		slices.IsSortedFunc(labels, func(a, b files.Label) int { return strings.Compare(a.Text, b.Text) })
}

// counts reads the plan's counts: those of the prior, and of the records.
func (p *proof) counts() (prior, records []int64, ok bool) {
	n := len(p.Plan.Inputs)
	if prior, ok = Wholes(p.Plan.Counts, n); !ok {
		p.Add("prior", false, "the plan has not one count, which is a number of records, for each of %d inputs", n)
		return nil, nil, false
	}
	if p.Plan.Prior == nil {
		return prior, prior, true
	}
	if records, ok = Wholes(p.Plan.Prior.Records, n); !ok {
		p.Add("prior", false, "the plan has not one number of records for each of %d inputs", n)
	}
	return prior, records, ok
}

// laws reads the rows of every mechanism: positive weights of outputs in order, with their
// sum. They are in the plan by letter or by block, or in a file beside it, or they follow
// from order and floor: those of a safe design are uniform on what the floor leaves [SO,
// Theorem 1].
func (p *proof) laws() (laws [][]Row, ok bool) {
	const name = "row sums"
	if p.Plan.Empty() {
		return nil, p.Add(name, len(p.Plan.Groups)+len(p.Plan.Laws) == 0, "there are no values, and so no rows")
	}
	cells := 0
	for i := range p.Plan.Laws {
		rows, why := p.law(&p.Plan.Laws[i])
		if rows == nil && why == "" {
			p.Skip(name, "the plan leaves the rows of this safe design out, and order.csv is no table to make them from")
			return nil, false
		}
		if why != "" {
			return nil, p.Add(name, false, "mechanism %d: %s", i+1, why)
		}
		laws = append(laws, rows)
		for _, r := range rows {
			cells += len(r.Output)
		}
	}
	p.Add(name, true, "%d rows of %d positive weights%s, each total their sum", len(laws)*len(p.Plan.Inputs), cells,
		Either(p.Plan.Apart() != "", ", in "+files.WeightsFile, ""))
	return laws, true
}

func (p *proof) law(m *planLaw) (rows []Row, why string) {
	defer func() { m.Rows, m.Blocks = nil, nil }() // millions of texts, whose numbers are there now
	var sum string
	switch {
	case m.Weights != "" && len(m.Rows)+len(m.Blocks) == 0 && p.Weights != nil:
		rows, sum, why = files.ReadWeights(p.Weights, len(p.Plan.Inputs), len(p.Plan.Outputs))
		if why == "" && sum != m.Weights {
			why = files.WeightsFile + " is not that of the plan"
		}
	case m.Weights != "" || len(m.Blocks) > 0 && len(m.Rows) > 0:
		why = "the plan has rows beside those of " + files.WeightsFile + " or of blocks, or that is not there"
	case len(m.Blocks) > 0:
		rows, why = p.blocks(m.Blocks)
	case len(m.Rows) > 0 || p.Plan.Method.Kind != "safe":
		for i := range m.Rows {
			m.Rows[i].Inputs = []files.Label{m.Rows[i].Input}
		}
		rows, why = p.blocks(m.Rows)
	case p.Allow != nil:
		rows = p.Allow.Uniform()
		if x := slices.IndexFunc(rows, func(r Row) bool { return r.Total == 0 }); x >= 0 {
			why = fmt.Sprintf("the floor leaves input %d no output", x+1)
		}
	}
	return rows, why
}

// blocks reads rows of one letter, or of several that share it. Every letter is in one block,
// and blocks are in the order of their first letters.
func (p *proof) blocks(from []planRow) (rows []Row, why string) {
	input, output := placesOf(p.Plan.Inputs), placesOf(p.Plan.Outputs)
	seen, first, before := 0, int32(-1), Row{}
	rows = make([]Row, len(p.Plan.Inputs))
	for i, r := range from {
		law, why := readRow(r, output)
		if slices.Equal(law.Output, before.Output) && slices.Equal(law.Weight, before.Weight) {
			law = before // one row of both, which proofs go through once
		}
		last := first
		for k, l := range r.Inputs {
			x, known := input[l]
			if !known || rows[x].Total > 0 || x <= last {
				why = "an input is none, has two rows, or is not in order"
				break
			}
			if k == 0 {
				first = x
			}
			rows[x], last, seen = law, x, seen+1
		}
		if why != "" || len(r.Inputs) == 0 {
			return nil, fmt.Sprintf("row %d: %s", i+1, Either(why != "", why, "it is of no input"))
		}
		before = law
	}
	if seen != len(rows) {
		return nil, "some inputs have no row"
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
func readRow(r planRow, place map[files.Label]int32) (out Row, why string) {
	for i, c := range r.Outputs {
		if c[1] == nil {
			return out, fmt.Sprintf("cell %d is no pair", i+1)
		}
		l := files.Label{Null: c[0] == nil}
		if !l.Null {
			l.Text = *c[0]
		}
		y, known := place[l]
		w, ok := Whole(*c[1])
		if !known || !ok || w == 0 || w > maxTotal-out.Total || i > 0 && y <= out.Output[i-1] {
			return out, fmt.Sprintf("cell %d is no output with a positive weight, in order", i+1)
		}
		out.Output, out.Weight, out.Total = append(out.Output, y), append(out.Weight, w), out.Total+w
	}
	if total, ok := Whole(r.Total); !ok || total != out.Total || total == 0 {
		return out, "its total is not the sum of its weights"
	}
	return out, ""
}
