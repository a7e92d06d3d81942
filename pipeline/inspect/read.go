package inspect

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/table"
)

// errEnough ends the reading of a unit.
var errEnough = errors.New("enough rows")

// passes is how many times a file is read of which columns can be read apart, each time a
// part of the columns: that many times less is in memory than it holds.
const passes = 64

// readFile counts the first rows of every unit, as a run reads them.
func (f *File) readFile(ctx context.Context, in *dataset.Files) error {
	first, before := 0, int64(0) // units and rows of the files before it
	for i := range f.largest {
		first, before = first+len(in.UnitsOf(i)), before+in.Rows(i)
	}
	all, some := f.all(), 1+len(f.Columns)/passes
	read := in.ReadColumns
	if !in.Columnar() {
		whole, err := in.Again(table.Request{Beside: f.names(true), Threads: 1, Dialect: f.dialect})
		if err != nil {
			return err
		}
		defer whole.Close()
		some = len(all)
		read = func(ctx context.Context, unit int, _ []string, each func(table.Batch) error) error {
			return whole.Read(ctx, unit, nil, func(b table.Batch) error {
				b.Row -= before
				return each(b)
			})
		}
	}
	for part := range slices.Chunk(all, max(1, some)) {
		f.Read = 0
		var names []string
		for _, c := range part {
			names = append(names, c.Name)
		}
		for k, rows := range in.UnitsOf(f.largest) {
			left := f.part(rows, len(f.Columns))
			for _, c := range part {
				clear(c.tally.entry) // of a dictionary, which other units number in another way
			}
			err := read(ctx, first+k, names, func(b table.Batch) error {
				n, err := f.count(b, left, part)
				if left -= n; err == nil && left == 0 {
					err = errEnough
				}
				return err
			})
			if err != nil && !errors.Is(err, errEnough) {
				return err
			}
		}
	}
	return nil
}

// all are the columns whose cells can be read.
func (f *File) all() (readable []*Column) {
	for i := range f.Columns {
		if f.Columns[i].Readable {
			readable = append(readable, &f.Columns[i])
		}
	}
	return readable
}

// names are those of all columns, or of those whose cells can be read.
func (f *File) names(readable bool) (names []string) {
	for _, c := range f.Columns {
		if c.Readable || !readable {
			names = append(names, c.Name)
		}
	}
	return names
}

// count counts the first rows of a batch, so many at the most.
func (f *File) count(b table.Batch, most int64, columns []*Column) (rows int64, err error) {
	for i, c := range columns {
		v := &b.Beside[i]
		rows = min(most, int64(len(v.Code)))
		c.cell = v.Type
		c.tally.take(v, int(rows))
		if f.Format != "csv" {
			continue
		}
		for row := range int(rows) {
			if !v.Null(row) {
				if !utf8.Valid(v.Bytes(row)) {
					return rows, table.Errorf("save the file as UTF-8", "row %d: the text is not UTF-8", b.Row+int64(row)+1)
				}
				c.text.take(v.Bytes(row), &c.tally.span)
			}
		}
	}
	f.Read += rows
	return rows, nil
}

// A written is what all cells of a column of text are so far.
type written struct {
	as   form
	part bool // one of the numbers has a point
}

// A form is how a cell is written, as bins of CSV take it.
type form int8

const (
	none form = iota // no cell was seen
	number
	date
	other
)

// take looks at one more cell.
func (w *written) take(cell []byte, to *span) {
	if w.as == other {
		return
	}
	v, dated, ok := table.TextValue(cell)
	as := number
	if dated {
		as = date
	}
	if w.as == none {
		w.as = as
	}
	if w.as != as || !ok {
		w.as = other
		return
	}
	w.part = w.part || bytes.IndexByte(cell, '.') >= 0
	to.take(v)
}

// are reports whether all cells are of a form.
func (w *written) are(as form) bool { return w.as == as }
