package verify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// checkPublicClaims holds the claims of a public report to their places, and to
// what it says of the epsilon asked for; nothing else in it can be recomputed.
func checkPublicClaims(v *document.View, w *document.Faults) {
	p, times := v.Report, v.Report.Float("target_factor")
	promised, choices := false, false
	var expected []document.Figures
	for _, c := range p.List("claims") {
		key, words, s := c.Text("key"), c.Text("words"), shelves[c.Text("key")]
		of := onShelf(w, key)
		of["public"] = document.Rule(func(n document.Node) bool { return n.Bool("") && s.standings != nil })
		if s.bounds != "" { // else it is a figure, and claims nothing
			of["bounds"], of["standing"] = s.bounds, document.OneOf(s.standings...)
			of["observer"], of["relative"], of["records"] = document.Filled, document.Filled, document.Filled
		}
		asked, own, promise := "", (*figure)(nil), c.Text("standing") == "promised"
		switch {
		case strings.HasPrefix(key, "leakage"):
			of["column?"], asked = p.Text("column"), p.Text("target")
			own = unless(!promise || !p.Has("floor.rank") && !p.Has("floor.declared"), &figure{Times: times})
		case key == "floor":
			asked = p.Text("floor.declared")
			own = unless(!p.Has("floor.rank"), floorOf(p.At("floor")))
		case key == "joint" && promise:
			asked, own = c.Text("asked"), &figure{Times: c.Float("figure.times")}
			w.Match(asked != "" && own.Times >= 1, "the epsilon for all columns together, which")
		case key == "confirmable":
			own = unless(!(times >= 1), &figure{Share: confirmable(times)})
		case key == "shift":
			_, ok := exact.Share(c.Text("asked"))
			w.Match(ok, "the limit of the shift")
			asked = c.Text("asked")
		case key == "bins":
			w.Match(binned(c, c.Text("given"), c.Text("note")), "the words on bins")
			asked = c.Text("asked")
		case key == "merged":
			asked = strconv.FormatInt(p.Int("domain.other.min_count"), 10)
		}
		if of["asked?"] = asked; own != nil {
			of["figure"] = document.Same(own)
			said := saidOf(*own)
			if s.bounds == "" {
				said = threeDigits(own.Share) + " in 100 "
			}
			w.Match(strings.Contains(words, said), fmt.Sprintf("the words of the claim %q, which", key))
		}
		if promised = promised || key == "leakage"; key == "chosen" {
			choices = !p.Has("floor.rank") || strings.Contains(words, floorOf(p.At("floor")).place())
		}
		expected = append(expected, of)
	}
	v.Expect(w, document.Figures{"claims": expected})
	if !promised {
		w.Addf("the promise is missing")
	}
	if !choices {
		w.Addf("the floor was chosen from the data, and the report does not name it among such choices")
	}
}

// checkPublicReport holds the public report that lies beside to the internal one,
// member by member.
func checkPublicReport(v *document.View, p *document.Report) {
	r := v.Report
	same := func(of document.Node) document.Rule { return document.Same(of.Value()) }
	open, left := []document.Rule{}, []document.Figures{}
	for _, c := range r.List("claims") {
		if c.Bool("public") {
			open = append(open, same(c))
		}
	}
	for _, c := range r.List("columns") {
		if c.Text("fate") != "dropped" {
			left = append(left, document.Figures{"name": c.Text("name"), "type": c.Text("type"), "fate": c.Text("fate")})
		}
	}
	dropped := []string{}
	if o := r.Option("drop"); o != "" {
		dropped = document.Names(o)
	}
	want := document.Figures{"schema": document.PublicFormat, "version": r.Text("version"), "stamp?": r.Text("stamp"),
		"about": nil, "claims": open, "column": r.Text("column"), "rows": r.Int("output.rows"), "columns": left,
		"dropped": dropped, "kept": r.Option("keep") != "", "design": r.Option("design"), "given?": r.Given(),
		"order":    document.Figures{"form": r.Text("order.form"), "spec": bare(r.Text("order.spec"))},
		"declared": same(r.At("declared")), "target": r.Promised(), "target_factor": r.Float("target_factor"),
		"grid": same(r.At("grid")), "randomness": same(r.At("randomness"))}
	if r.Has("about") {
		want["about"] = same(r.At("about"))
	}
	domain := document.Figures{"rule": r.Text("domain.rule"), "declared": r.Int("domain.declared"),
		"null": r.Text("domain.null")}
	if r.Has("other") {
		domain["other"] = document.Figures{"label": r.Text("other.label"), "min_count": r.Int("other.min_count")}
	}
	f, o := r.At("floor"), r.At("output")
	floor := document.Figures{"rank?": f.Int("rank"), "of?": f.Int("of"), "in_words?": f.Text("in_words"), "level": nil}
	if f.Has("level") {
		floor["level"] = same(f.At("level"))
	}
	if f.Text("asked") != "best" && f.Int("of") > 0 {
		floor = document.Figures{"declared": f.Text("asked")}
	}
	var dialect any
	if o.Has("dialect") {
		dialect = same(o.At("dialect"))
	}
	want["domain"], want["floor"], want["output"] = domain, floor, document.Figures{"name": lastName(o.Text("path")),
		"sha256": o.Text("sha256"), "rows": o.Int("rows"), "bytes": o.Int("bytes"), "format": o.Text("format"),
		"files?": o.Int("files"), "dialect": dialect, "order?": o.Text("order")}
	var w document.Faults
	document.Diff(&w, "public report", p.Node, want)
	v.Settle("public report", w, "public/report.json says of the release what this report says, and no more")
}

// lastName is the name of a file or a data set without folders, store and bucket.
func lastName(of string) string {
	all := strings.FieldsFunc(of, func(r rune) bool { return r == '/' })
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
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
