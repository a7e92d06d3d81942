package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Sizes of the text view.
const (
	lineWidth = 100
	headWidth = 22  // of section titles
	cellWidth = 28  // of a cell
	paragraph = 520 // characters above which labels have made a paragraph too long
)

// Text writes the short view: page one and what else everybody must read in full,
// one paragraph a section, the first rows of tables. Sections without a Brief are
// left to the other views.
func Text(w io.Writer, d *Document) error {
	t := &text{}
	title := Clean(d.Title)
	if d.Stamp != "" {
		title += "   *** " + d.Stamp + " ***"
	}
	t.line("%s", cut(title, lineWidth))
	t.sentences(d.Lead)
	for _, r := range d.Risks {
		t.wrap("risk:     ", Clean(fmt.Sprintf("%s: %s; promised: %s; %s", r.Sees, r.Times, r.Promised, r.Do)))
	}
	for _, f := range d.Facts {
		t.wrap(fmt.Sprintf("%-9s ", f.Head+":"), ended(Clean(f.Body)))
	}
	for _, accepted := range d.Accept {
		t.wrap("accept:   ", ended(Clean(accepted)))
	}
	if d.Decision {
		t.line("%s", blankDecision)
	}
	t.sentences(d.More)
	t.line("")
	for _, s := range d.All() {
		t.section(&s)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// text gathers lines.
type text struct{ strings.Builder }

// blankDecision is filled in by hand.
const blankDecision = "decision: [ ] approve  [ ] reject   name ________________  date __________  " +
	"signature ____________"

// sentences are told in full, each with its head.
func (t *text) sentences(all []Sentence) {
	for _, s := range all {
		t.wrap(fmt.Sprintf("%-9s ", s.Head+":"), Clean(s.Body))
	}
}

// title is the head of a section, and a blank at the least.
func title(s string) string { return fmt.Sprintf("%-*s ", headWidth-1, s) }

func (t *text) section(s *Section) {
	if s.Brief == "" && len(s.Items) == 0 {
		return
	}
	if s.Brief != "" {
		t.wrap(title(s.Title), ended(Clean(s.Brief)))
		for _, table := range s.Tables {
			t.table(&table)
		}
		return
	}
	for _, item := range s.Items {
		t.wrap(title(strings.TrimSuffix(s.Title, "s")), ended(Clean(item)))
	}
}

// ended is a paragraph, which ends at a word where it is too long.
func ended(s string) string {
	short := cut(s, paragraph)
	if at := strings.LastIndexByte(short, ' '); short != s && at > paragraph/2 {
		return short[:at] + " ..."
	}
	return short
}

func (t *text) table(v *Table) {
	rows, _ := v.shown(v.Brief)
	if len(rows) == 0 {
		return
	}
	width := make([]int, len(v.Head))
	cells := make([][]string, 0, len(rows)+1)
	for _, row := range append([][]string{v.Head}, rows...) {
		line := make([]string, len(row))
		for i, c := range row {
			line[i] = cut(Clean(c), cellWidth)
			width[i] = max(width[i], utf8.RuneCountInString(line[i]))
		}
		cells = append(cells, line)
	}
	for _, line := range cells {
		out := " "
		for i, c := range line {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if v.Numeric[i] {
				out += " " + pad + c
			} else {
				out += " " + c + pad
			}
		}
		t.line("%s", out)
	}
}

func (t *text) line(format string, args ...any) {
	t.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// wrap breaks a paragraph at the line width, indented below its head. A word
// that is longer than a line is broken.
func (t *text) wrap(head, body string) {
	indent := min(utf8.RuneCountInString(head), lineWidth/2)
	line, used := head, utf8.RuneCountInString(head)
	for _, word := range strings.Fields(body) {
		for _, part := range pieces(word, lineWidth-indent) {
			n := utf8.RuneCountInString(part)
			if used+n > lineWidth && used > indent {
				t.line("%s", line)
				line, used = strings.Repeat(" ", indent), indent
			}
			line += part + " "
			used += n + 1
		}
	}
	t.line("%s", line)
}

// pieces breaks a word into parts of at most so many characters.
func pieces(word string, width int) []string {
	r := []rune(word)
	var out []string
	for len(r) > width {
		out, r = append(out, string(r[:width])), r[width:]
	}
	return append(out, string(r))
}

// Lead writes the sentences that everybody must read, and nothing else.
func Lead(w io.Writer, lead []Sentence) error {
	t := &text{}
	t.sentences(lead)
	_, err := io.WriteString(w, t.String())
	return err
}
