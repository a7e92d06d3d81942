package csv

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/io/table"
)

const (
	// window is how much is read at once, in bytes.
	window = 1 << 20
	// maxRow bounds a row, in bytes.
	maxRow = 64 << 20
)

// A cell is where the bytes of a cell stand in the window, its quotes included.
type cell struct{ from, to int32 }

// rows reads the rows from one offset of a file up to another.
type rows struct {
	in      io.ReaderAt
	at, end int64 // of what is not in the window yet
	row     int64 // of the next row in the file, from 0
	names   []string
	slot    []int // of every column: its place in cells, -1 for none; nil holds all
	slots   int
	plain   [256]bool // bytes that an unquoted cell may have

	text  []byte // the window
	used  int    // bytes of it that earlier rows had
	cells []cell // of the rows in the window, slots for each
	bound []cell // of every row: where its cells start and its line end stops
}

// A rowError says what is wrong with the row that is read.
type rowError struct {
	column     int // -1 for the row
	what, hint string
}

func (e *rowError) Error() string { return e.what }

// errMore says that the window ends within a row.
var errMore = errors.New("the row goes on")

// newRows reads with these columns; slot has the place of those that are wanted.
func newRows(in io.ReaderAt, from, end int64, comma byte, names []string, slot []int, slots int) *rows {
	r := &rows{in: in, at: from, end: end, names: names, slot: slot, slots: slots}
	for i := range r.plain {
		r.plain[i] = true
	}
	for _, c := range []byte{comma, '"', '\r', '\n'} {
		r.plain[c] = false
	}
	return r
}

// next reads at most n rows, fewer where the window ends, none at the end.
func (r *rows) next(n int) (int, error) {
	for {
		r.cells, r.bound = r.cells[:0], r.bound[:0]
		err := r.parse(n)
		var bad *rowError
		switch {
		case len(r.bound) > 0:
			r.row += int64(len(r.bound))
			return len(r.bound), nil
		case errors.As(err, &bad):
			return 0, r.fault(bad)
		case err == nil:
			return 0, nil
		}
		if err := r.read(); err != nil {
			return 0, err
		}
	}
}

// read adds to the window, from which it takes what was used.
func (r *rows) read() error {
	r.text = append(r.text[:0], r.text[r.used:]...)
	r.used = 0
	if len(r.text) >= maxRow {
		return r.fault(&rowError{-1, fmt.Sprintf("the row is longer than %d MiB", maxRow>>20), "close all quotes"})
	}
	have := len(r.text)
	n := int(min(int64(max(window, have)), r.end-r.at))
	if cap(r.text) < have+n {
		r.text = append(make([]byte, 0, have+n), r.text...)
	}
	r.text = r.text[:have+n]
	if err := table.ReadFull(r.in, r.text[have:], r.at); err != nil {
		return fmt.Errorf("reading rows: %w", err)
	}
	r.at += int64(n)
	return nil
}

// parse takes whole rows of the window, until n are read or it ends.
func (r *rows) parse(n int) error {
	for len(r.bound) < n && (r.used < len(r.text) || r.at < r.end) {
		next, err := r.parseRow(r.used)
		if err != nil {
			return err
		}
		r.bound = append(r.bound, cell{int32(r.used), int32(next)})
		r.used = next
	}
	return nil
}

// parseRow reads the row that begins at a place of the window, and returns where the
// next one begins.
func (r *rows) parseRow(at int) (int, error) {
	text, last := r.text, r.at == r.end
	base := len(r.cells)
	if r.slot != nil {
		for range r.slots {
			r.cells = append(r.cells, cell{})
		}
	}
	for column := 0; ; column++ {
		from := at
		if at < len(text) && text[at] == '"' {
			var err error
			if at, err = r.quoted(at, column); err != nil {
				r.cells = r.cells[:base]
				return 0, err
			}
		} else {
			for at < len(text) && r.plain[text[at]] {
				at++
			}
		}
		if r.slot == nil {
			r.cells = append(r.cells, cell{int32(from), int32(at)})
		} else if column < len(r.slot) && r.slot[column] >= 0 {
			r.cells[base+r.slot[column]] = cell{int32(from), int32(at)}
		}
		next, ended, err := r.lineEnd(at, from, column, last)
		switch {
		case err == nil && ended && r.names != nil && column+1 != len(r.names):
			err = &rowError{-1, fmt.Sprintf("the row has %d cells, the first row has %d", column+1, len(r.names)),
				"give every row the same number of cells, and remove empty lines"}
		case err == nil && !ended && r.names != nil && column+1 == len(r.names):
			err = &rowError{-1, fmt.Sprintf("the row has more cells than the first row, which has %d", len(r.names)),
				"give every row the same number of cells, and put quotes around those with a delimiter"}
		case err == nil && ended:
			return next, nil
		}
		if err != nil {
			r.cells = r.cells[:base]
			return 0, err
		}
		at = next
	}
}

// quoted is where the quoted cell ends that begins here.
func (r *rows) quoted(at, column int) (int, error) {
	for at++; ; at++ {
		quote := bytes.IndexByte(r.text[at:], '"')
		if quote < 0 {
			if r.at < r.end {
				return 0, errMore
			}
			return 0, &rowError{column, "a quote is never closed", "close the quote"}
		}
		at += quote + 1
		if at == len(r.text) && r.at < r.end {
			return 0, errMore
		}
		if at == len(r.text) || r.text[at] != '"' {
			return at, nil
		}
	}
}

// lineEnd looks at what stands behind a cell: where the next cell begins, and whether
// the row has ended.
func (r *rows) lineEnd(at, from, column int, last bool) (next int, ended bool, err error) {
	rest := r.text[at:]
	switch {
	case len(rest) == 0 && last:
		return at, true, nil
	case len(rest) == 0 || len(rest) == 1 && rest[0] == '\r' && !last:
		return 0, false, errMore
	case rest[0] == '\n':
		return at + 1, true, nil
	case rest[0] == '\r' && len(rest) > 1 && rest[1] == '\n':
		return at + 2, true, nil
	case rest[0] == '\r':
		err = &rowError{column, "a carriage return without a line feed", "end lines with a line feed, and put quotes " +
			"around cells with a carriage return"}
	case at > from && r.text[from] == '"' && (r.plain[rest[0]]):
		err = &rowError{column, "text behind a closing quote", "write a quote inside quotes twice"}
	case rest[0] == '"':
		err = &rowError{column, "a quote inside a cell without quotes",
			"put quotes around the cell, and write a quote inside it twice"}
	default:
		return at + 1, false, nil
	}
	return 0, false, err
}

// fault names row and column.
func (r *rows) fault(e *rowError) error {
	if r.names == nil {
		return table.Errorf(e.hint, "the first row of the CSV file, cell %d: %s", e.column+1, e.what)
	}
	if e.column >= 0 && e.column < len(r.names) {
		return table.Errorf(e.hint, "column %q, row %d: %s", r.names[e.column], r.row+1, e.what)
	}
	return table.Errorf(e.hint, "row %d: %s", r.row+1, e.what)
}

// value is the text of a cell, without its quotes; ok is false for a null. It is good
// until more is read.
func (r *rows) value(c cell) (text []byte, ok bool) {
	switch text = r.text[c.from:c.to]; {
	case len(text) == 0:
		return nil, false
	case text[0] != '"':
		return text, true
	}
	text = text[1 : len(text)-1]
	if bytes.IndexByte(text, '"') >= 0 {
		text = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
	}
	return text, true
}

// column is the cell of a slot in a row of the window.
func (r *rows) column(row, slot int) cell { return r.cells[row*r.slots+slot] }
