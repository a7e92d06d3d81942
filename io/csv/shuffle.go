package csv

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/io/table"
)

// Shuffled is the file with its rows in another order, byte for byte. A last row
// without a line end gets one, as would tell which row was the last.
func (f *File) Shuffled(ctx context.Context, order []uint32, most int64) (table.Input, error) {
	size := f.in.Size()
	if err := table.Fits(2*size+16*int64(len(order)), most); err != nil {
		return nil, err
	}
	text := make([]byte, size)
	if n, err := f.in.ReadAt(text, 0); int64(n) < size {
		return nil, fmt.Errorf("reading rows: %w", cmp.Or(err, io.ErrUnexpectedEOF))
	}
	var row []span
	for unit := range f.blocks {
		r := f.open(unit)
		at := f.blocks[unit].from
		for {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n, err := f.next(r, unit)
			if err != nil {
				return nil, err
			}
			if n == 0 {
				break
			}
			for _, b := range r.bound {
				row = append(row, span{at, at + int64(b.to-b.from)})
				at += int64(b.to - b.from)
			}
		}
	}
	if len(row) != len(order) {
		return nil, table.Errorf("write no file while it is read", "the file has changed")
	}
	out := append(make([]byte, 0, size+2), f.head.text...)
	end := f.lineEnd(text, row)
	for _, i := range order {
		line := text[row[i].from:row[i].to]
		out = append(out, line...)
		if !bytes.HasSuffix(line, newline) {
			out = append(out, end...)
		}
	}
	return table.InMemory(out), nil
}

// A span is where a row stands in the file, its line end included.
type span struct{ from, to int64 }

// lineEnd is that of the first row.
func (f *File) lineEnd(text []byte, row []span) []byte {
	lines := [][]byte{f.head.text}
	if len(row) > 0 {
		lines = append(lines, text[row[0].from:row[0].to])
	}
	for _, line := range lines {
		if bytes.HasSuffix(line, []byte("\r\n")) {
			return []byte("\r\n")
		}
	}
	return newline
}
