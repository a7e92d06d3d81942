package report

import (
	"html/template"
	"slices"
	"strings"
)

// A Document is a report, ready to be shown: page one, on which somebody decides, then
// what a reviewer reads, then an annex.
type Document struct {
	Title    string
	Name     string        // what was released, and which release it is; at the head of every printed page
	Stamp    string        // shown with the title, in capitals; "" for none
	Lead     []Sentence    // page one
	Risks    []Risk        // of page one, the worst first
	Facts    []Sentence    // of page one, in a box: what was released
	Examples *Table        // of page one; nil for none
	Accept   []string      // what who signs accepts
	Picture  template.HTML // of page one, of shares; trusted, since package page makes it; "" for none
	Decision bool          // page one has blank fields for who approves or rejects
	More     []Sentence    // what else everybody must read
	Sections []Section
	Annex    []Section    // folded on a screen, never in print
	Style    template.CSS // of the pictures, trusted
}

// All are the sections, those of the annex last.
func (d *Document) All() []Section { return slices.Concat(d.Sections, d.Annex) }

// A Sentence is a head of one or two words and what follows it.
type Sentence struct {
	Head, Body string
	Link       string // section that has more of it; "" for none
}

// A Risk is a row of the table of risks, in words. The text view leaves chances out, which
// are shares of values.
type Risk struct{ Sees, Before, After, Times, Promised, Do string }

// A Section is one question that the document answers.
type Section struct {
	ID     string // for links; letters and hyphens
	Title  string
	Brief  string     // the same in the text view, in one paragraph; "" leaves fields and notes of a section out there
	Longer string     // section of the annex that has its long tables; "" for none
	Fields []Sentence // a name and a value each
	Notes  []string   // paragraphs
	Items  []string   // a list
	Tables []Table
}

// A Table has a caption, a head and rows of as many cells. Numeric columns are
// set to the right. The text view shows the first Brief rows.
type Table struct {
	Caption string
	Head    []string
	Numeric []bool
	Rows    [][]string
	Brief   int
	Cut     int  // rows left out by whoever made the table; they are counted below it
	Aside   bool // looked up, however short: it stands in the annex
}

// NewTable is a table without rows. A head that begins with # is that of numbers.
func NewTable(caption string, heads ...string) Table {
	t := Table{Caption: caption}
	t.Heads(heads...)
	return t
}

// Heads adds columns.
func (t *Table) Heads(heads ...string) {
	for _, h := range heads {
		name, numeric := strings.CutPrefix(h, "#")
		t.Head, t.Numeric = append(t.Head, name), append(t.Numeric, numeric)
	}
}

// First is the table with so many rows in the text view.
func (t Table) First(rows int) Table {
	t.Brief = rows
	return t
}

// Worded reports whether a cell but the first of a row may hold a sentence: a narrow screen
// shows such rows as paragraphs.
func (t *Table) Worded() bool { return slices.Contains(t.Numeric[min(1, len(t.Numeric)):], false) }

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// mostRows is the length above which HTML cuts a table.
const mostRows = 1000

// shown are the rows of a table up to a limit, and the number left out.
func (t *Table) shown(limit int) (rows [][]string, left int) {
	rows = t.Rows[:min(limit, len(t.Rows))]
	return rows, len(t.Rows) - len(rows) + t.Cut
}
