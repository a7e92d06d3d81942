// Package inspect looks at a file before anything is decided: which columns could be
// private, which order would suit each, and what gives one of them away. It reads as a run
// does, in memory that does not grow with the file, and its figures promise nothing.
package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// mostCells is how many cells are read of a file; of a larger one it is a part of the
// rows, and everything says so.
const mostCells = 64 << 20

// A File is what is told of a file.
type File struct {
	Path    string   `json:"file"`
	Format  string   `json:"format"`
	Files   int      `json:"files,omitempty"` // of a set, of which only Largest was looked at; 0 for one file
	Largest string   `json:"largest,omitempty"`
	Rows    int64    `json:"rows"`
	Read    int64    `json:"rows_read"` // figures of columns are of these
	Columns []Column `json:"columns"`
	Judged  *Judged  `json:"judged,omitempty"` // what a run would refuse beside the one column that was asked for
	Next    []Step   `json:"next"`

	dialect table.Dialect // as it was asked for
}

// A Column is what is told of a column. Its figures are of the rows that were read.
type Column struct {
	Name      string  `json:"name"`
	Type      string  `json:"type"`
	Readable  bool    `json:"readable"`         // false: nested, nothing was counted
	Values    int     `json:"values"`           // different ones
	More      bool    `json:"more"`             // there are more than that, and Rarest is not known
	About     int64   `json:"about,omitempty"`  // then estimated, roughly
	Nulls     int64   `json:"nulls"`            // records
	Commonest float64 `json:"commonest_share"`  // of the records with a value; at least that where there are More
	Rarest    int64   `json:"rarest_records"`   // 0 where not known
	Private   bool    `json:"could_be_private"` //
	Why       string  `json:"why,omitempty"`    // it could not be, or what speaks against it
	ID        bool    `json:"identifier"`       // looks like one
	Order     string  `json:"order,omitempty"`  // the spec that would suit it
	Reason    string  `json:"order_reason,omitempty"`
	New       bool    `json:"order_to_fill_in"` // its file is to be written first
	Bins      string  `json:"bins,omitempty"`   // that would suit it; the order is theirs
	Shown     []Value `json:"commonest_values,omitempty"`

	records int64 // with a value
	// Whether a run takes it in bins of the calendar, or of numbers.
	calendar, numbers bool
	rule              string  // for --bins that follows from its numbers
	text              written // how cells of text are written
	tally             *tally
	cell              table.CellType
}

// A Value is a value of a column with its records, only where values are asked for.
type Value struct {
	Label   string `json:"value"`
	Records int64  `json:"records"`
}

// A Step is what to do next for a column: a command as it is typed into a shell.
type Step struct {
	Column  string `json:"column"`
	Command string `json:"command"`
	Does    string `json:"does"`
}

// A Request is what to look at.
type Request struct {
	Path   string
	Column string // the only one to suggest a command for; "" for all
	Values bool   // show values

	Epsilon string // by which the columns beside Column are judged; "" judges none

	Delimiter, Header string // of a CSV file, as a run takes them
}

// Look reads the file.
func Look(ctx context.Context, r Request) (*File, error) {
	f, local, err := open(ctx, r.Path, table.Dialect{Delimiter: r.Delimiter, Header: r.Header})
	if err != nil {
		return nil, err
	}
	defer local.Close()
	if r.Column != "" {
		if _, err := table.NewIndex(f.names(false)).Find(r.Column); err != nil {
			return nil, fault.New(fault.Input, fault.As(err).Hint, "%s: %v", store.Plain(r.Path), err)
		}
	}
	if err := f.read(ctx, local); err != nil {
		return nil, err
	}
	for i := range f.Columns {
		f.Columns[i].judge(f, r.Values)
	}
	f.suggest(r.Column)
	return f, f.judged(ctx, r)
}

// open recognises the format; what cannot be a private column says why, as a run would.
func open(ctx context.Context, path string, d table.Dialect) (*File, table.Content, error) {
	in, err := count.Open(ctx, request.Reading{Path: path, Delimiter: d.Delimiter, Header: d.Header}, nil)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	// What is damaged is refused before other readers allocate what it says.
	if err := in.File.CheckKept(ctx); err != nil {
		return nil, nil, in.Failed(err)
	}
	largest := 0
	for i := range in.File.Members {
		if in.File.Rows(i) > in.File.Rows(largest) {
			largest = i
		}
	}
	content, err := in.File.Members[largest].Open()
	if err != nil {
		return nil, nil, err
	}
	f := &File{Path: store.Plain(path), Format: in.File.Format(), Rows: in.File.Rows(largest), dialect: d}
	if in.File.Tree {
		f.Files, f.Largest = len(in.File.Members), in.File.Members[largest].Rel
	}
	one, err := count.OpenFile(content, table.Request{Dialect: d})
	if err != nil {
		return nil, nil, errors.Join(in.Failed(err), content.Close())
	}
	columnar, _ := one.(table.Columnar)
	index := table.NewIndex(table.Names(one.Columns()))
	for _, c := range in.File.Columns() {
		f.add(c, func(bins []string) error {
			if columnar != nil {
				_, err := columnar.Choose(table.Request{Private: []string{c.Name}, Bins: bins})
				return err
			}
			_, err := index.Find(c.Name)
			return err
		})
	}
	return f, content, nil
}

// add adds a column, which open opens as a private one, in bins or without. It is known
// of text when its cells are read what they are.
func (f *File) add(c table.Column, open func([]string) error) {
	column := Column{Name: c.Name, Type: c.Type, Readable: c.Readable}
	err := open(nil)
	column.Private = err == nil
	if refused := (*table.InputError)(nil); errors.As(err, &refused) {
		column.Why = cmp.Or(refused.Hint, refused.What)
	}
	if f.Format != "csv" {
		takes := func(spec string) bool { return open([]string{spec}) == nil }
		column.calendar, column.numbers = takes("year"), takes("width:1")
	}
	f.Columns = append(f.Columns, column)
}

// read counts the columns. A reader that panics on a damaged file has found damage.
func (f *File) read(ctx context.Context, local table.Content) (err error) {
	for i := range f.Columns {
		f.Columns[i].tally = newTally(len(f.Columns))
	}
	err = guarded(func() error { return f.readFile(ctx, local) })
	for i := range f.Columns {
		if c := &f.Columns[i]; f.Format == "csv" {
			c.numbers, c.calendar = c.text.are(number), c.text.are(date)
		}
	}
	if known := (*fault.Fault)(nil); err == nil || errors.Is(err, context.Canceled) || errors.As(err, &known) {
		return err
	}
	if said := (*table.InputError)(nil); errors.As(err, &said) {
		return count.InFile(f.Path, err)
	}
	return &fault.Fault{Class: fault.Input, Err: err, Hint: "write the file again, or give another one",
		What: f.Path + ": the file is damaged: its " + f.Format + " data cannot be read"}
}

// guarded turns a panic into an error; what it panicked with may quote data.
func guarded(read func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the reader panicked")
		}
	}()
	return read()
}

// part says how many of the rows of a unit are read, where all units together have
// more cells than are wanted: the first of each unit, in proportion.
func (f *File) part(rows int64, columns int) int64 {
	most := int64(mostCells / max(columns, 1))
	if f.Rows <= most {
		return rows
	}
	return max(1, rows*most/f.Rows)
}

// judge turns what was counted into figures, and says whether a column could be
// private.
func (c *Column) judge(f *File, values bool) {
	t := c.tally
	if !c.Readable {
		if c.Private = false; c.Type != "null" {
			c.Why = "nested: cannot be treated, because a row has not one value"
		}
		return
	}
	c.Values, c.More, c.Nulls = t.len(), t.full, t.nulls
	if c.records = t.rows - t.nulls; c.records > 0 {
		c.Commonest = float64(t.most()) / float64(c.records)
	}
	distinct := int64(c.Values)
	if c.More {
		c.About = max(t.about(), distinct+1)
		distinct = c.About
	} else if c.Values > 0 {
		c.Rarest = slices.Min(t.count)
	}
	typed := c.Private // a run takes the values as they are
	// A run refuses the same columns; estimates are held to a little less.
	c.ID = t.rows > 1000 && distinct > t.rows*9/20 && (c.More || distinct > t.rows/2)
	switch {
	case !c.Private:
	case c.ID:
		c.Private, c.Why = false, "looks like an identifier: drop it, or group its values"
	case t.rows == 0:
		c.Private, c.Why = false, "the file has no rows"
	case c.Values < 2 && !c.More:
		c.Private, c.Why = false, "has fewer than two values"
	case c.More || c.Values > mechanism.MaxLetters:
		c.Private, c.Why = false, fmt.Sprintf("has more than %d values: group them first", mechanism.MaxLetters)
	}
	kind := c.kind()
	labels := t.labels(kind, c.cell)
	many := c.More || c.Values > mostTraded
	// Text of CSV that a column of its own type would be told of by bins alone.
	stepless := f.Format == "csv" && (c.calendar && c.Values > mostListed || c.numbers && c.text.part && many)
	c.rule = c.bins()
	cuts := ""
	if typed && kind.Kind == table.Text && (c.numbers || c.ID) && codes(c.Name, labels) {
		cuts = prefixes(labels)
	}
	coded := cuts != ""
	if (!typed || stepless || many) && !coded {
		c.Bins = c.rule
	}
	switch {
	case coded && c.ID && !c.More:
		c.Private, c.Why, c.Order, c.Reason = true, "", "prefix:"+cuts,
			"codes whose first characters are groups; nearly all differ, so --allow identifier is needed, too"
	case c.Bins != "":
		c.Private, c.Why, c.Reason = true, "", "many values or not in steps: in bins, the nearer the better"
	case c.Private:
		c.Order, c.Reason, c.New = suits(c.Name, kind, labels)
	}
	if values {
		c.Shown = t.commonest(labels)
	}
	t.forget()
}

// kind is the type of the values, that of text where they have none of their own.
func (c *Column) kind() table.Type {
	switch c.cell.Form {
	case table.BinaryCells:
		return table.Type{Kind: table.Binary}
	case table.IntegerCells, table.UnsignedCells:
		return table.Type{Kind: table.Integer, Bits: 64, Unsigned: c.cell.Form == table.UnsignedCells}
	case table.BooleanCells:
		return table.Type{Kind: table.Boolean}
	case table.DateCells:
		return table.Type{Kind: table.Date}
	}
	return table.Type{Kind: table.Text}
}
