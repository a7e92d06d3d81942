package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// Sizes of a table that is printed on one sheet. More columns make rows of
// several lines.
const shortRows, shortColumns = 30, 8

// page is parsed for the first that is written: most commands write none.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"clean": Clean,
		"told":  told,
		"body":  body,
		"left":  func(t Table) int { _, left := t.shown(mostRows); return left },
		"short": func(t Table) bool { return len(t.Rows) <= shortRows && len(t.Head) <= shortColumns },
		"style": func() template.CSS { return template.CSS(pageStyle) },
	}).Parse(pageText))
})

// HTML writes the whole document as one page: no script, nothing from outside.
func HTML(w io.Writer, d *Document) error {
	var b bytes.Buffer
	if err := page().Execute(&b, d); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// coded are names and flags in sentences, which sentences mark with backquotes.
var coded = regexp.MustCompile("`([^`]+)`")

// told is a sentence that quotes such names as the rest of the page does.
func told(sentence string) string { return coded.ReplaceAllString(Clean(sentence), `"$1"`) }

// body is the rows of a table, escaped; the first cell of each is its head. A
// thousand letters make ten thousand cells, on each of which the template would
// spend four microseconds.
func body(t Table) template.HTML {
	var b strings.Builder
	rows, _ := t.shown(mostRows)
	worded := t.Worded()
	for _, row := range rows {
		b.WriteString("\n<tr>")
		for i, c := range row {
			open, end := "<td", "</bdi></td>"
			if i == 0 {
				open, end = `<th scope="row"`, "</bdi></th>"
			}
			b.WriteString(open)
			if t.Numeric[i] {
				b.WriteString(` class="n"`)
			}
			if i > 0 && worded && i < len(t.Head) {
				b.WriteString(` data-of="` + template.HTMLEscapeString(Clean(t.Head[i])) + `"`)
			}
			b.WriteString("><bdi>")
			b.WriteString(strings.ReplaceAll(template.HTMLEscapeString(Clean(c)), "+", "&#43;")) // as the template does
			b.WriteString(end)
		}
		b.WriteString("</tr>")
	}
	return template.HTML(b.String()) // escaped above
}
