package page

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// hostile are labels that try to be more than labels.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</style></title><h1>`, `<!--`, `{{.}}`,
	`javascript:alert(1)`, `&lt;b&gt;`,
	"a\nb\r\nc", "\x1b[31mred\x1b[0m", "\x00\x07", "\u202eright to left\u202c", "\u2066isolate", "שלום", "مرحبا",
	"\u200bzero\ufeffwidth",
	"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "| a | b |", "`code`", "# head", "[link](http://example.org)",
	"![image](http://example.org/x.png)", "* item", "1. item", "~~struck~~", "http://example.org",
	"\xff\xfe not text", "", " ", strings.Repeat("long ", 2000), strings.Repeat("w", 10_000), "(null)",
}

// everywhere puts one label wherever a report has room for one.
func everywhere(label string) *report.Report {
	r := sample()
	l := report.Label{Text: label}
	r.Column, r.Caps[0].Label, r.Caps[6].Label, r.Outputs[0].Label, r.Binding.Output, r.Story.Output,
		r.Story.Guess = label, l, l, l, l, l, l
	r.Order.Spec, r.Input.Path, r.Output.Path, r.Warnings = "matrix:"+label, label, label, []string{label}
	r.Columns = append(r.Columns, report.Column{Name: label, Type: label, Fate: "published in clear"})
	r.Settings = append(r.Settings, report.Setting{Name: "column", Value: label, Origin: "flag"})
	r.Declared = []report.Source{{Flag: "utility", Name: label, SHA256: "aa"}}
	r.About = &report.About{Release: label, Owner: label, Purpose: label, WhyColumn: label, Row: label, SinglingOut: label,
		Persons: label}
	r.Inside = &report.Inside{Contact: label, Reviewer: label, Notes: label}
	r.Prior.Person, r.Floor.InWords = label, label
	return r
}

func everyPage(label string) []*report.Document {
	return []*report.Document{Internal(everywhere(label)), Public(everywhere(label).Publish())}
}

// TestHostileLabels: the page has the same elements whatever a label says; no
// view holds a control character or a mark that turns text around.
func TestHostileLabels(t *testing.T) {
	for i, plain := range everyPage("plain") {
		said, blank := elements(t, shown(t, plain, "html")), elements(t, shown(t, everyPage("\t")[i], "html"))
		for _, label := range hostile {
			d, want := everyPage(label)[i], said
			if strings.TrimSpace(label) == "" { // what people did not say has no row
				want = blank
			}
			if got := elements(t, shown(t, d, "html")); got != want {
				t.Errorf("%.40q changes the elements of the page", label)
			}
			for format := range showing {
				s := shown(t, d, format)
				if bad := strings.IndexAny(s, "\x00\x07\x1b\r\u202e\u202c\u2066\u200b\ufeff"); bad >= 0 {
					t.Errorf("%.40q: the %s view holds %q", label, format, s[bad:min(len(s), bad+4)])
				}
			}
			lines := strings.Split(shown(t, d, "text"), "\n")
			for n, l := range lines {
				if len([]rune(l)) > 140 {
					t.Errorf("%.40q: line %d of the text has %d characters", label, n+1, len([]rune(l)))
				}
			}
			if len(lines) > 125 {
				t.Errorf("%.40q: the text has %d lines", label, len(lines))
			}
		}
	}
}

// elements are the names of all elements and attributes of a page, in order,
// but for those of the pictures, which have an element a label.
func elements(t *testing.T, page string) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var b strings.Builder
	svg := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "svg" {
				svg++
			}
			if svg > 0 && e.Name.Local != "svg" {
				switch e.Name.Local {
				case "path", "rect", "text", "g", "title", "desc", "line", "circle", "polygon", "use":
				default:
					t.Errorf("a picture holds <%s>", e.Name.Local)
				}
				continue
			}
			b.WriteString("<" + e.Name.Local)
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || strings.EqualFold(a.Name.Local, "src") || a.Name.Local == "href" &&
					!strings.HasPrefix(a.Value, "#") && a.Value != "data:," {
					t.Errorf("<%s %s=%.40q>", e.Name.Local, a.Name.Local, a.Value)
				}
				b.WriteString(" " + a.Name.Local)
			}
		case xml.EndElement:
			if e.Name.Local == "svg" {
				svg--
			}
		}
	}
}

// TestPageIsAlone: no script, nothing from outside, a language, one heading of
// the first level, a caption and scopes for every table, a title and a
// description for every picture.
func TestPageIsAlone(t *testing.T) {
	for _, d := range everyPage("plain") {
		s := shown(t, d, "html")
		for _, bad := range []string{"<script", "http://", "https://", "url(", "@import", "<link rel=\"stylesheet"} {
			if strings.Contains(strings.ReplaceAll(s, "http://www.w3.org/2000/svg", ""), bad) {
				t.Errorf("%s: the page holds %s", d.Title, bad)
			}
		}
		for _, want := range []string{`<html lang="en">`, "prefers-color-scheme: dark", "@media print", "<main",
			"default-src 'none'"} {
			if !strings.Contains(s, want) {
				t.Errorf("%s: the page lacks %s", d.Title, want)
			}
		}
		if n := strings.Count(s, "<h1"); n != 1 {
			t.Errorf("%s: %d headings of the first level", d.Title, n)
		}
		if n := strings.Count(s, "<table"); n != strings.Count(s, "<caption") || n == 0 {
			t.Errorf("%s: %d tables, %d captions", d.Title, n, strings.Count(s, "<caption"))
		}
		if strings.Count(s, "<th ") != strings.Count(s, "scope=\"col\"")+strings.Count(s, "scope=\"row\"") {
			t.Errorf("%s: a heading of a table has no scope", d.Title)
		}
		if n := strings.Count(s, "<svg"); n != strings.Count(s, "<desc") || n != strings.Count(s, `role="img"`) {
			t.Errorf("%s: %d pictures, %d descriptions", d.Title, n, strings.Count(s, "<desc"))
		}
	}
}
