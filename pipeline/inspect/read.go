package inspect

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// errEnough ends the reading of a unit.
var errEnough = errors.New("enough rows")

// passes is how many times a file is read of which columns can be read apart, each time a
// part of the columns: that many times less is in memory than it holds.
const passes = 64

// readFile counts the first rows of every unit, as a run reads them.
func (f *File) readFile(ctx context.Context, local table.Content) error {
	in, err := count.OpenFile(local, table.Request{Beside: f.names(true), Threads: 1, Dialect: f.dialect})
	if err != nil {
		return err
	}
	units := in.Units()
	f.Rows = 0
	for _, rows := range units {
		f.Rows += rows
	}
	columnar, apart := in.(table.Columnar)
	if !apart {
		return f.readColumns(ctx, in, units, f.all())
	}
	for part := range slices.Chunk(f.all(), 1+len(f.Columns)/passes) {
		names := make([]string, len(part))
		for i, c := range part {
			names[i] = c.Name
		}
		only, err := columnar.Choose(table.Request{Beside: names})
		if err == nil {
			err = f.readColumns(ctx, only, units, part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readColumns counts these columns, all that a file hands out.
func (f *File) readColumns(ctx context.Context, in table.File, units []int64, columns []*Column) error {
	f.Read = 0
	for unit, rows := range units {
		left := f.part(rows, len(f.Columns))
		begin(columns)
		err := in.Read(ctx, unit, nil, func(b table.Batch) error {
			n, err := f.count(b, left, columns)
			if left -= n; err == nil && left == 0 {
				err = errEnough
			}
			return err
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
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

// begin begins a unit, in which the numbers of entries of a dictionary are others.
func begin(columns []*Column) {
	for _, c := range columns {
		clear(c.tally.entry)
	}
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
