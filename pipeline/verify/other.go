package verify

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// A planOther says which letters are treated alike.
type planOther struct {
	Label    string   `json:"label"`
	MinCount int64    `json:"min_count"`
	Merged   []string `json:"merged"`
	Adopted  []string `json:"adopted"`
	Extends  string   `json:"extends"`
}

// An otherClaim is what the report says of them.
type otherClaim struct {
	Label    string `json:"label"`
	MinCount int64  `json:"min_count"`
	Letters  int    `json:"letters"`
	Records  int64  `json:"records"`
	Adopted  int    `json:"adopted"`
}

// checkOther holds the letters that are treated alike to one row, and to what
// makes them so: few records, or none when the plan was made.
func (v *verifier) checkOther() {
	const name = "letters treated alike"
	p, r := v.plan.Other, v.report.Other
	switch {
	case p == nil && r == nil:
		return
	case p == nil || r == nil:
		v.add(name, false, "the report and the plan do not agree whether there are any")
		return
	case v.rows == nil || len(v.count) != len(v.plan.Inputs):
		v.skip(name, "the rows are not known")
		return
	}
	var w wrong
	other := slices.Index(v.plan.Inputs, cells.Label{Text: p.Label})
	if other < 0 {
		v.add(name, false, "the letter whose row they have is no input")
		return
	}
	alike := map[string]bool{}
	records := int64(0)
	for _, l := range slices.Concat(p.Merged, p.Adopted) {
		x := slices.Index(v.plan.Inputs, cells.Label{Text: l})
		if x < 0 || x == other || alike[l] {
			w.addf("a letter that is treated alike is no input, or stands twice")
			continue
		}
		alike[l] = true
		if a, b := v.rows[x], v.rows[other]; !slices.Equal(a.output, b.output) || !slices.Equal(a.weight, b.weight) {
			w.addf("row %d is not that of the letter it is treated as", x+1)
		}
		n := v.sample()[x]
		if records += n; n >= p.MinCount || slices.Contains(p.Adopted, l) && n > 0 {
			w.addf("input %d is treated as another letter and is not rare", x+1)
		}
	}
	for x, l := range v.plan.Inputs {
		if !l.Null && x != other && !alike[l.Text] && v.sample()[x] < p.MinCount {
			w.addf("input %d is rare and keeps a row of its own", x+1)
		}
	}
	w.match(r.Label == p.Label && r.MinCount == p.MinCount && r.Letters == len(p.Merged) && r.Adopted == len(p.Adopted) && r.Records == records, "the number of letters treated alike, or of their records,")
	w.match(p.Extends == "" && len(p.Adopted) == 0 || isSum(p.Extends) && len(p.Adopted) > 0, "the plan that was extended")
	v.settle(name, w, "%d letters of %d records have one row, and %d that came later", len(p.Merged), records, len(p.Adopted))
}

// adopted counts the letters that came after the plan was made.
func (v *verifier) adopted() int {
	if v.plan.Other == nil {
		return 0
	}
	return len(v.plan.Other.Adopted)
}
