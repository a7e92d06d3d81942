package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the whole document in CommonMark with tables. Pictures are
// left out; their numbers stand in the tables.
func Markdown(w io.Writer, d *Document) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", mark(d.Title))
	if d.Name != "" {
		fmt.Fprintf(&b, "\n%s\n", mark(d.Name))
	}
	if d.Stamp != "" {
		fmt.Fprintf(&b, "\n**%s**\n", mark(d.Stamp))
	}
	markdownSentences(&b, d.Lead)
	if d.Decision {
		b.WriteString("\n| decision | name | date | signature |\n|---|---|---|---|\n| approve / reject | | | |\n")
	}
	markdownSentences(&b, d.More)
	for _, s := range d.All() {
		markdownSection(&b, &s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownSentences(b *strings.Builder, all []Sentence) {
	for _, s := range all {
		fmt.Fprintf(b, "\n**%s:** %s\n", mark(s.Head), mark(s.Body))
	}
}

func markdownSection(b *strings.Builder, s *Section) {
	fmt.Fprintf(b, "\n## %s\n", mark(s.Title))
	if len(s.Fields) > 0 {
		b.WriteString("\n| | |\n|---|---|\n")
	}
	for _, f := range s.Fields {
		fmt.Fprintf(b, "| %s | %s |\n", mark(f.Head), mark(f.Body))
	}
	for _, n := range s.Notes {
		fmt.Fprintf(b, "\n%s\n", mark(n))
	}
	if len(s.Items) > 0 {
		b.WriteString("\n")
	}
	for _, n := range s.Items {
		fmt.Fprintf(b, "- %s\n", mark(n))
	}
	for _, t := range s.Tables {
		markdownTable(b, &t)
	}
	for _, p := range s.Programs {
		fence := fenceOf(p.Code)
		fmt.Fprintf(b, "\n%s:\n\n%s%s\n%s%s\n", mark(p.Library), fence, p.Language, p.Code, fence)
	}
}

func markdownTable(b *strings.Builder, t *Table) {
	rows, left := t.shown(mostRows)
	fmt.Fprintf(b, "\n%s\n\n", mark(t.Caption))
	for _, c := range t.Head {
		b.WriteString("| " + mark(c) + " ")
	}
	b.WriteString("|\n")
	for _, n := range t.Numeric {
		if n {
			b.WriteString("|---:")
		} else {
			b.WriteString("|---")
		}
	}
	b.WriteString("|\n")
	for _, row := range rows {
		for _, c := range row {
			b.WriteString("| " + mark(c) + " ")
		}
		b.WriteString("|\n")
	}
	if left > 0 {
		fmt.Fprintf(b, "\nand %d more, in report.json\n", left)
	}
}

// fenceOf is longer than all that a text could end it with.
func fenceOf(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// special is what Markdown takes for markup wherever it stands.
var special = func() (is [256]bool) {
	for _, c := range []byte("\\`*_{}[]<>#|~$&!@^") {
		is[c] = true
	}
	return is
}()

// mark escapes what Markdown, or the HTML in it, would take for markup.
func mark(s string) string {
	text := clean(s)
	b := make([]byte, 0, len(text)+8)
	for i := range len(text) {
		switch c := text[i]; {
		case special[c],
			(c == '+' || c == '-' || c == '=') && i == 0,
			c == ':' && strings.HasPrefix(text[i:], "://"),
			(c == '.' || c == ')') && allDigits(text[:i]):
			b = append(b, '\\')
		}
		b = append(b, text[i])
	}
	return string(b)
}

func allDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
