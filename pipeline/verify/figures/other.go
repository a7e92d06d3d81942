package figures

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/digest"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckOther holds the letters that are treated alike to one row, and to what
// makes them so: few records, or none when the plan was made.
func CheckOther(v *subject.View) {
	const name = "letters treated alike"
	p, r := v.Plan.Other, v.Report.Other
	switch {
	case p == nil && r == nil:
		return
	case p == nil || r == nil:
		v.Add(name, false, "the report and the plan do not agree whether there are any")
		return
	case v.Rows == nil || len(v.Count) != len(v.Plan.Inputs):
		v.Skip(name, "the rows are not known")
		return
	}
	var w verdict.Faults
	other := slices.Index(v.Plan.Inputs, cells.Label{Text: p.Label})
	if other < 0 {
		v.Add(name, false, "the letter whose row they have is no input")
		return
	}
	alike := map[string]bool{}
	records := int64(0)
	for _, l := range slices.Concat(p.Merged, p.Adopted) {
		x := slices.Index(v.Plan.Inputs, cells.Label{Text: l})
		if x < 0 || x == other || alike[l] {
			w.Addf("a letter that is treated alike is no input, or stands twice")
			continue
		}
		alike[l] = true
		if a, b := v.Rows[x], v.Rows[other]; !slices.Equal(a.Output, b.Output) || !slices.Equal(a.Weight, b.Weight) {
			w.Addf("row %d is not that of the letter it is treated as", x+1)
		}
		n := v.Sample()[x]
		if records += n; n >= p.MinCount || slices.Contains(p.Adopted, l) && n > 0 {
			w.Addf("input %d is treated as another letter and is not rare", x+1)
		}
	}
	for x, l := range v.Plan.Inputs {
		if !l.Null && x != other && !alike[l.Text] && v.Sample()[x] < p.MinCount {
			w.Addf("input %d is rare and keeps a row of its own", x+1)
		}
	}
	w.Match(r.Label == p.Label && r.MinCount == p.MinCount && r.Letters == len(p.Merged) && r.Adopted == len(p.Adopted) && r.Records == records, "the number of letters treated alike, or of their records,")
	w.Match(p.Extends == "" && len(p.Adopted) == 0 || digest.Is(p.Extends) && len(p.Adopted) > 0, "the plan that was extended")
	v.Settle(name, w, "%d letters of %d records have one row, and %d that came later", len(p.Merged), records, len(p.Adopted))
}
