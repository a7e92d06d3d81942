package page

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// PageNames are the files that Pages makes.
var PageNames = []string{"report.html", "report.txt", "public/report.html", "public/report.txt"}

// Pages are page one of all private columns of a release, with one decision, and what all
// tell together; the page of each column is in a folder of its own.
func Pages(all []*report.Report) (map[string][]byte, error) {
	var public []*report.Report
	for _, r := range all {
		public = append(public, opened(r.Publish()))
	}
	files := map[string][]byte{}
	for folder, d := range map[string]*report.Document{"": allOf(all), "public/": allOf(public)} {
		for name, write := range map[string]func(io.Writer, *report.Document) error{"report.html": report.HTML,
			"report.txt": report.Text} {
			var b bytes.Buffer
			if err := write(&b, d); err != nil {
				return nil, err
			}
			files[folder+name] = b.Bytes()
		}
	}
	return files, nil
}

// allOf is the document of all private columns.
func allOf(all []*report.Report) *report.Document {
	first := all[0]
	var columns []string
	var claims []claim.Claim
	d := &report.Document{Stamp: first.Stamp, Style: CSS, Facts: facts(first, false), Decision: !public(first)}
	pages := report.Section{ID: "columns", Title: "Each column"}
	for i, r := range all {
		name := brisk(quoted(r.Column))
		columns = append(columns, r.Column)
		for _, key := range []string{"leakage", "floor.reached", "floor", "counting", "shift"} {
			c, ok := claim.Find(r.Claims, key)
			if _, counted := claim.Find(r.Claims, "counting"); ok && !(key == "shift" && counted) {
				d.Lead = append(d.Lead, report.Sentence{Head: name, Body: c.Words})
			}
		}
		for _, c := range r.Claims {
			if c.Risk == nil || c.Section == "joint" && i > 0 {
				continue
			}
			if risk := *c.Risk; c.Section != "joint" {
				risk.Sees = name + ": " + risk.Sees
				c.Risk = &risk
			}
			claims = append(claims, c)
		}
		for _, w := range r.Warnings {
			d.Accept = append(d.Accept, name+": "+w)
		}
		folder := fmt.Sprintf("%d/", i+1)
		pages.Fields = append(pages.Fields, field(name, "%s", yes(public(r), "../"+folder+"public/", folder)+"report.html"))
	}
	pages.Brief = brief(pages.Fields)
	kind := yes(public(first), "Public leakage report of columns ", "Leakage report of columns ")
	d.Title = kind + list(columns)
	d.Name = releaseName(first, yes(public(first), "of "+strconv.Itoa(len(all))+" columns", releaseID(first)))
	d.Lead = append(d.Lead, claimed(first.Claims, "joint")...)
	d.Lead = append(d.Lead, largest(claims)...)
	d.Lead = append(d.Lead, report.Sentence{Head: "limits", Body: wordsOf(first.Claims, "limits")})
	ids := &d.Facts[len(d.Facts)-2].Body
	if d.Risks = risksOf(claims); public(first) {
		check := &d.Facts[len(d.Facts)-1].Body
		*check = strings.Replace(*check, "report.json", "../1/public/report.json", 1)
	} else {
		*ids = releaseID(first) + "; the public reports of its columns name themselves"
		missing := open(first)
		missing.Link = ""
		d.Lead = append(d.Lead, missing)
		for _, words := range first.Joint.Words {
			d.More = append(d.More, report.Sentence{Head: "note", Body: words})
		}
		all := together(first)
		all.Notes = all.Notes[len(first.Joint.Words):]
		d.Sections = append(d.Sections, all)
	}
	d.Sections = append(d.Sections, pages)
	return d
}

// together is what the column tells with the other private columns of the run.
func together(r *report.Report) report.Section {
	claims := claimed(r.Claims, "joint")
	switch {
	case len(claims) == 0:
		return report.Section{}
	case public(r):
		return report.Section{ID: "joint", Title: "Columns together", Fields: claims, Brief: brief(claims)}
	}
	s := section("joint", r)
	s.Fields = slices.Concat(claims, s.Fields)
	return s
}

// list names columns, and labels lists labels.
func list(columns []string) string { return listed(columns, quoted) }

func labels(all []report.Label) string { return listed(all, show) }

func listed[T any](all []T, words func(T) string) string {
	var parts []string
	for _, v := range all {
		parts = append(parts, words(v))
	}
	return strings.Join(parts, ", ")
}
