package page

import (
	_ "embed"
	"strings"
	"sync"
	"text/template"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// fields are what the sections say, but for their tables: a group of entries for each. A key is
// the head of a field, or title, note, item, or brief for the short view, where * is all fields
// before it. An entry without words is left out, and a section without a title.
//
//go:embed sections.tmpl
var fields string

// text is read for the first page: most commands write none.
var text = sync.OnceValue(func() *claim.Text {
	return claim.NewText(fields, template.FuncMap{
		"words": func(r *report.Report, key string) string { return wordsOf(r.Claims, key) },
		"shift": shiftOf, "Promised": claim.Constant(claim.Promised),
		"public": public, "published": published, "inside": inside, "about": of[report.About], "judged": judged,
		"passed": passed, "clear": clear, "fate": fate,
		"dropped":     func(r *report.Report) bool { return fate(r, "dropped", 1) != "none" },
		"uncapped":    func(r *report.Report) string { return capped(r, func(c report.Cap) bool { return c.Cap >= 1 }) },
		"confirmed":   func(r *report.Report) string { return capped(r, func(c report.Cap) bool { return c.Certain }) },
		"gained":      gained,
		"stratumName": func(names []report.Label) string { return stratumName(report.Stratum{Names: names}) },
		"bracket":     bracket, "designed": design.Words, "orderInWords": orderInWords,
		"uncounted": claim.Constant(utility.Uncounted), "commandLine": commandLine, "cited": cited,
		"checkCommand": func(r *report.Report) string { return checkCommand(r, r.JointHash != "") },
		"earlierShown": claim.Constant(report.EarlierShown), "fileName": report.FileName,
		"stated": stated, "trimmed": strings.TrimSpace,
		"first": func(s string) string { s, _, _ = strings.Cut(s, ","); return s },
		"name":  func(s string) string { return brisk(quoted(s)) }, "brisk": brisk, "quoted": quoted, "show": show,
		"labels": labels, "join": strings.Join, "nats": nats, "short": short, "percent": percent, "span": span,
		"atMost": atMost, "atMostPercent": atMostPercent, "inHundred": inHundred, "inHundredDown": inHundredDown,
		"measured": measured, "measuredDown": measuredDown,
		"count": func(n any, one string) string { return count(claim.Int(n), one) },
		"of":    claim.Of,
		"part":  func(n, of int64) float64 { return float64(n) / float64(max(of, 1)) },
		"add":   func(a, b int64) int64 { return a + b }, "sub": func(a, b int) int { return a - b },
		"times100": func(v float64) float64 { return 100 * v },
	})
})

// section is one of a report, or of a public one, with these tables.
func section(id string, of any, tables ...report.Table) report.Section {
	s := report.Section{ID: id, Tables: tables}
	text().Each(id, of, func(key, words string) {
		switch {
		case key == "title":
			s.Title = words
		case words == "":
		case key == "brief" && words == "*":
			s.Brief = brief(s.Fields)
		case key == "brief":
			s.Brief = words
		case key == "note":
			s.Notes = append(s.Notes, words)
		case key == "item":
			s.Items = append(s.Items, words)
		default:
			s.Fields = append(s.Fields, report.Sentence{Head: key, Body: words})
		}
	})
	if s.Title == "" {
		return report.Section{}
	}
	return s
}

// plain makes a section without tables.
func plain(id string) maker { return func(r *report.Report) report.Section { return section(id, r) } }

// say is a paragraph of no section.
func say(key string, of any) string { return text().Must(key, of) }
