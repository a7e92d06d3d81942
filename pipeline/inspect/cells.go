package inspect

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"github.com/tacet-privacy/tacet/io/csv"
	"github.com/tacet-privacy/tacet/io/table"
)

// readCells counts all rows of a CSV file.
func readCells(ctx context.Context, local table.Content, f *File) error {
	r := table.Request{Dialect: f.dialect}
	for _, c := range f.Columns {
		r.Beside = append(r.Beside, c.Name)
	}
	in, err := csv.Format.Open(local, r)
	if err != nil {
		return err
	}
	defer in.Close()
	hints := make([]written, len(f.Columns))
	err = in.(*csv.File).Cells(ctx, func(row [][]byte) {
		for i, cell := range row {
			t := f.Columns[i].tally
			if cell == nil {
				t.row(null)
				continue
			}
			id := t.text(cell)
			t.add(id, 1)
			t.row(id)
			hints[i].take(cell, &t.span)
		}
		f.Rows++
	})
	for i := range f.Columns {
		c := &f.Columns[i]
		c.numbers, c.calendar, c.whole = hints[i].are(number), hints[i].are(date), !hints[i].part
	}
	f.Read = f.Rows
	return err
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
