package mechanism

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// CheckPublicReport holds the public report that lies beside to the internal one,
// member by member.
func CheckPublicReport(v *document.View, p *document.Public) {
	r := v.Report
	var w document.Faults
	w.Match(p.Version == r.Version && p.Stamp == r.Stamp && reflect.DeepEqual(p.About, r.About),
		"what is said of the release")
	var open []document.Claim
	for _, c := range r.Claims {
		if c.Public {
			open = append(open, c)
		}
	}
	w.Match(slices.EqualFunc(p.Claims, open, func(a, b document.Claim) bool { return reflect.DeepEqual(a, b) }),
		"the list of claims")
	var left []document.ColumnClaim
	for _, c := range r.Columns {
		if c.Fate != "dropped" {
			left = append(left, c)
		}
	}
	w.Match(p.Column == r.Column && p.Rows == r.Output.Rows && slices.Equal(p.Columns, left),
		"the list of columns, or the number of rows,")
	var dropped []string
	if o := r.Option("drop"); o != "" {
		dropped = document.Names(o)
	}
	w.Match(slices.Equal(p.Dropped, dropped) && p.Kept == (r.Option("keep") != "") && p.Design == r.Option("design"),
		"what was chosen of columns and design")
	given := ""
	if s := r.Strata; s != nil {
		if given = s.Column; s.Function != "" {
			given = s.Function + "(" + s.Column + ")"
		}
	}
	w.Match(p.Given == given, "the column given which the promise holds")
	d := p.Domain
	w.Match(d.Rule == r.Domain.Rule && d.Declared == r.Domain.Declared && d.Null == r.Domain.Null &&
		(d.Other == nil) == (r.Other == nil) &&
		(d.Other == nil || d.Other.Label == r.Other.Label && d.Other.MinCount == r.Other.MinCount),
		"what is said of the letters")
	w.Match(p.Order.Form == r.Order.Form && p.Order.Spec == bare(r.Order.Spec), "the order")
	w.Match(slices.Equal(p.Declared, r.Declared) && len(p.Changes) == 0,
		"the files of declared choices, or what changed,")
	w.Match(p.Target == r.Epsilon.Promised() && p.Factor == r.Target && slices.Equal(p.Grid, r.Grid), "epsilon")
	f := r.Floor
	switch {
	case f.Asked != "best" && f.Of > 0:
		w.Match(p.Floor.Declared == f.Asked && p.Floor.Rank == 0 && p.Floor.Of == 0 && p.Floor.Words == "", "the floor")
	default:
		w.Match(p.Floor.Declared == "" && p.Floor.Rank == f.Rank && p.Floor.Of == f.Of && p.Floor.Words == f.Words,
			"the floor")
	}
	w.Match(p.Draws == r.Randomness, "how the draws were made")
	o := r.Output
	w.Match(p.Output.Name == bare(o.Path) && p.Output.SHA256 == o.SHA256 && p.Output.Rows == o.Rows &&
		p.Output.Bytes == o.Bytes && p.Output.Format == o.Format,
		"the output")
	v.Settle("public report", w, "public/report.json says of the release what this report says, and no more")
}

// bare is a spec without the folders of its file; a spec that lists labels has
// none.
func bare(spec string) string {
	form, file, named := strings.Cut(spec, ":")
	if !named {
		return spec[strings.LastIndexByte(spec, '/')+1:]
	}
	at := ""
	if form == "ordered" || form == "circular" {
		if file, named = strings.CutPrefix(file, "@"); !named {
			return spec
		}
		at = "@"
	}
	return form + ":" + at + file[strings.LastIndexByte(file, '/')+1:]
}

// publicStands are what the claims of a public report bound, and how they may
// stand.
var publicStands = map[string][]string{
	"leakage":            {"leakage", "promised"},
	"leakage.file":       {"leakage", "promised", "nothing"},
	"leakage.unaware":    {"leakage", "promised", "nothing"},
	"leakage.earlier":    {"leakage", "promised", "nothing"},
	"floor":              {"floor", "promised"},
	"floor.earlier":      {"floor", "nothing"},
	"cumulative.changes": {"cumulative", "nothing"},
	"joint":              {"joint", "promised", "nothing"},
	"presence":           {"leakage", "told"},
	"merged":             {"floor", "told"},
	"unchanged":          {"change", "nothing"},
	"limits":             {"leakage", "nothing"},
	"chosen":             {"choice", "told"},
	"confirmable":        {"", ""},
}

// CheckPublicShelves holds the claims of a public report to their places, and the
// draws to the stamp.
func CheckPublicShelves(w *document.Faults, p *document.Public) {
	for _, c := range p.Claims {
		checkShelf(w, c, p.Column, p.Target)
		if s := publicStands[c.Key]; len(s) == 0 || c.Bounds != s[0] || !slices.Contains(s[1:], c.Standing) {
			w.Addf("the claim %q bounds something else than such a claim, or promises it", c.Key)
		}
		if c.Key == "confirmable" && (c.Figure == nil || !(math.Abs(c.Figure.Share*p.Factor-1) <= 1e-12)) {
			w.Addf("the share that epsilon lets an output confirm is another than that of e^epsilon")
		}
		if c.Figure != nil && c.Figure.Exact != (c.Figure.Rank > 0) {
			w.Addf("the claim %q is exact where it is rounded, or rounded where it is exact", c.Key)
		}
	}
	checkDraws(w, p.Draws, p.Stamp != "")
}
