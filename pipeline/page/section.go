package page

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// fields are what the sections say: a group of entries for each. A key is the head of a field, or title, note, item,
// or brief for the short view, where * is all fields before it. An entry without words is left out, and a section
// without a title. A table begins with its caption, after which stand its heads and its rows, of which one || ends
// each and | parts their cells; notes and items may be several likewise. A table with aside stands in the annex, and
// the text view shows as many rows as shown says. Tables of a row for every value are made by functions.
//
//go:embed sections.tmpl
var fields string

// text is read for the first page: most commands write none.
var text = sync.OnceValue(func() *claim.Text {
	return claim.NewText(strings.NewReplacer(" ||", rowEnd, " |", cellEnd).Replace(fields), template.FuncMap{
		"words": func(r *report.Report, key string) string { return wordsOf(r.Claims, key) },
		"shift": shiftOf, "about": of[report.About], "inside": inside,
		"uncounted": claim.Constant(utility.Uncounted), "earlierShown": claim.Constant(report.EarlierShown),
		"public": public, "passed": passed, "fate": fate, "gap": gap,
		"dropped":   func(r *report.Report) bool { return fate(r, "dropped", 1) != "none" },
		"uncapped":  func(r *report.Report) string { return capped(r, func(c report.Cap) bool { return c.Cap >= 1 }) },
		"confirmed": func(r *report.Report) string { return capped(r, func(c report.Cap) bool { return c.Certain }) },
		"risk": func(r *report.Report) *claim.Risk {
			c, _ := claim.Find(r.Claims, "leakage")
			return c.Risk
		},
		"gained": gained, "designed": design.Words, "orderInWords": orderInWords, "cited": cited,
		"near":         func(unit string, v float64) string { return utility.Described(unit, v)[0] },
		"checkCommand": checkCommand, "releaseID": releaseID, "idOf": func(p *report.Public) string { return idOf(p) },

		"fileName": report.FileName, "shell": report.Shell, "stated": stated, "trimmed": strings.TrimSpace,
		"first":  func(s string) string { s, _, _ = strings.Cut(s, ","); return s },
		"quoted": quoted, "show": show, "labels": labels, "names": names, "list": list,
		"latest":     func(all []report.Earlier) []report.Earlier { return all[max(0, len(all)-shownReleases):] },
		"certain":    func(chance float64) float64 { return min(1, chance) },
		"firstThree": func(all []report.Label) []report.Label { return all[:min(3, len(all))] },

		"nats": nats, "short": short, "shortDown": shortDown, "percent": percent, "points": points, "span": span,
		"atMost": atMost, "atMostPercent": atMostPercent, "inHundred": inHundred, "inHundredDown": inHundredDown,
		"measured": measured, "measuredDown": measuredDown, "of": claim.Of,
		"count":    func(n any, one string) string { return count(claim.Int(n), one) },
		"part":     func(n, of int64) float64 { return float64(n) / float64(max(of, 1)) },
		"times100": func(v float64) float64 { return 100 * v },
		"add":      func(a, b int64) int64 { return a + b }, "sub": func(a, b int) int { return a - b },
	})
})

// shownReleases is how many earlier releases the page lists.
const shownReleases = 14

// Ends of rows and of cells, which no label holds as it is shown.
const rowEnd, cellEnd = "\x1e", "\x1f"

// section is one of a report, or of a public one, with these tables before its own.
func section(id string, of any, tables ...report.Table) report.Section {
	s := report.Section{ID: id, Tables: tables}
	for _, e := range entries(id, of) {
		rows, last := parts(e.Body, rowEnd), &report.Table{}
		if n := len(s.Tables); n > 0 {
			last = &s.Tables[n-1]
		}
		switch e.Head {
		case "title":
			s.Title = e.Body
		case "brief":
			if s.Brief = e.Body; s.Brief == "*" {
				s.Brief = brief(s.Fields)
			}
		case "note":
			s.Notes = append(s.Notes, rows...)
		case "item":
			s.Items = append(s.Items, rows...)
		case "table":
			s.Tables = append(s.Tables, report.Table{Caption: e.Body})
		case "heads":
			last.Heads(parts(e.Body, cellEnd)...)
		case "row":
			for _, row := range rows {
				last.Add(parts(row, cellEnd)...)
			}
		case "aside":
			last.Aside = true
		case "shown":
			last.Brief, _ = strconv.Atoi(e.Body)
		default:
			s.Fields = append(s.Fields, e)
		}
	}
	if s.Title == "" {
		return report.Section{}
	}
	return s
}

// parts are what ends in an end, and the last without.
func parts(text, end string) []string {
	all := strings.Split(strings.TrimSuffix(text, rowEnd), end)
	for i, part := range all {
		all[i] = strings.TrimSpace(part)
	}
	return all
}

// entries are those of a group that have words.
func entries(group string, of any) (out []report.Sentence) {
	text().Each(group, of, func(key, words string) {
		out = append(out, report.Sentence{Head: key, Body: words})
	})
	return out
}

// plain makes a section without tables.
func plain(id string) maker { return func(r *report.Report) report.Section { return section(id, r) } }

// say is a paragraph of no section.
func say(key string, of any) string { return text().Must(key, of) }
