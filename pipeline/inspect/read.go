package inspect

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// errEnough ends the reading of a unit.
var errEnough = errors.New("enough rows")

// readFile counts the first rows of every unit, as a run reads them.
func (f *File) readFile(ctx context.Context, local table.Content) error {
	in, err := count.OpenFile(local, table.Request{Beside: f.readable(), Threads: 1, Dialect: f.dialect})
	if err != nil {
		return err
	}
	defer in.Close()
	f.Rows = 0
	for _, rows := range in.Units() {
		f.Rows += rows
	}
	for unit, rows := range in.Units() {
		left := f.part(rows, len(f.Columns))
		f.begin()
		err := in.Read(ctx, unit, nil, func(b table.Batch) error {
			n, err := f.count(b, left)
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

// readStream counts the rows of a stream from its start; how many there are is known at
// its end.
func (f *File) readStream(ctx context.Context, local table.Content) error {
	s, err := arrow.OpenStream(io.NewSectionReader(local, 0, local.Size()))
	if err != nil {
		return err
	}
	if err := s.Choose(table.Request{Beside: f.readable()}); err != nil {
		return err
	}
	most, unit := int64(mostCells/max(len(f.Columns), 1)), 0
	return s.Read(ctx, nil, func(b table.Batch) error {
		if len(b.Beside) > 0 {
			f.Rows += int64(len(b.Beside[0].Code))
		}
		if b.Unit.Group != unit {
			unit = b.Unit.Group
			f.begin()
		}
		_, err := f.count(b, most-f.Read)
		return err
	})
}

// readable are the names of the columns whose cells can be read.
func (f *File) readable() (names []string) {
	for _, c := range f.Columns {
		if c.Readable {
			names = append(names, c.Name)
		}
	}
	return names
}

// begin begins a unit, in which the numbers of entries of a dictionary are others.
func (f *File) begin() {
	for i := range f.Columns {
		clear(f.Columns[i].tally.entry)
	}
}

// count counts the first rows of a batch, so many at the most.
func (f *File) count(b table.Batch, most int64) (rows int64, err error) {
	at := 0
	for i := range f.Columns {
		c := &f.Columns[i]
		if !c.Readable {
			continue
		}
		v := &b.Beside[at]
		at++
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
	v, as := valueOf(cell)
	if w.as == none {
		w.as = as
	}
	if w.as != as || as == other {
		w.as = other
		return
	}
	w.part = w.part || bytes.IndexByte(cell, '.') >= 0
	to.take(v)
}

// are reports whether all cells are of a form.
func (w *written) are(as form) bool { return w.as == as }

// valueOf is a plain number, or a time in seconds.
func valueOf(cell []byte) (v float64, as form) {
	digits := bytes.TrimLeft(cell, "+-")
	if len(digits) == 0 || len(cell) > 40 {
		return 0, other
	}
	if len(bytes.Trim(digits, "0123456789.")) == 0 {
		if v, err := strconv.ParseFloat(string(cell), 64); err == nil {
			return v, number
		}
		return 0, other
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z", time.DateTime} {
		if t, err := time.Parse(layout, string(cell)); err == nil {
			return float64(t.Unix()), date
		}
	}
	return 0, other
}
