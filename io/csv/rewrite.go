package csv

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
)

// A piece of an output row is one private cell, or cells that are copied with what
// stands between them. A delimiter stands between two pieces.
type piece struct {
	private                 int // place among the private columns; table.Kept for a copy
	firstColumn, lastColumn int
	first, last             int // their slots
}

// piecesOf are the pieces of a row, given what becomes of each column.
func piecesOf(role []int) (all []piece) {
	open := false
	for column, at := range role {
		switch {
		case at == table.Dropped:
			open = false
		case at == table.Kept && open:
			all[len(all)-1].lastColumn = column
		default:
			all = append(all, piece{private: at, firstColumn: column, lastColumn: column})
			open = at == table.Kept
		}
	}
	return all
}

// outputCells are the cells of the letters of a column, as they are written.
type outputCells struct {
	text [][]byte
	null bool // null is the letter behind them
}

// outputsOf writes the values of an alphabet.
func (f *File) outputsOf(to []*table.Alphabet) ([]outputCells, error) {
	if len(to) != len(f.private) {
		panic("csv: not one alphabet per private column")
	}
	all := make([]outputCells, len(to))
	for i, a := range to {
		if a.Type().Kind != table.Text {
			return nil, table.Errorf("", "column %q is of type string, its outputs of type %s", f.private[i].Name, a.Type())
		}
		all[i].null = a.Null() >= 0
		for _, v := range a.Values() {
			text := v.Bytes
			if f.private[i].quoted || f.needsQuotes(text) {
				text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			}
			all[i].text = append(all[i].text, []byte(text))
		}
	}
	return all, nil
}

// needsQuotes reports whether a text is another cell, or no cell, without quotes.
func (f *File) needsQuotes(text string) bool {
	return text == "" || strings.ContainsAny(text, "\"\r\n"+f.dialect.Delimiter) || strings.HasPrefix(text, string(mark))
}

// findQuotes looks at how the first rows write the private columns. Quotes that depend
// on the cell that is replaced would tell its value, as a comma in it needs them: a
// column has quotes around all its cells but nulls, or only where a cell needs them.
func (f *File) findQuotes() {
	if len(f.blocks) == 0 {
		return
	}
	r := f.open(0)
	n, err := r.next(table.BatchRows)
	if err != nil {
		return // Scan says what is wrong
	}
	for _, c := range f.private {
		without := 0
		for row := range n {
			at := r.column(row, c.slot)
			text, ok := r.value(at)
			switch {
			case !ok || f.needsQuotes(string(text)):
			case r.text[at.from] == '"':
				c.quoted = true
			default:
				without++
			}
		}
		c.quoted = c.quoted && without == 0
	}
}

// held is how much of a block's output waits for the blocks before it, in bytes.
const held = 8 << 20

// Rewrite writes the file again, blocks in parallel. A block has its place once
// those before it are written.
func (f *File) Rewrite(ctx context.Context, out publish.Output, in, to []*table.Alphabet,
	each func(table.Batch) error) error {
	output, err := f.outputsOf(to)
	if err != nil {
		return err
	}
	text := f.header()
	if _, err := out.WriteAt(text, 0); err != nil {
		return err
	}
	at := int64(len(text)) // where the block goes whose turn it is
	err = table.EachInTurn(ctx, len(f.blocks), f.request.Workers(), func(unit int, turn func() error) error {
		w := &blockWriter{File: f, output: output}
		flush := func() error {
			if err := turn(); err != nil {
				return err
			}
			n, err := out.WriteAt(w.text, at)
			at, w.text = at+int64(n), w.text[:0]
			return err
		}
		if err := w.write(ctx, unit, in, each, flush); err != nil {
			return err
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return out.Truncate(at)
}

// header is what the output has before its rows.
func (f *File) header() []byte {
	if len(f.head.cells) == 0 {
		return f.head.text
	}
	first, last := f.head.cells[0].from, f.head.cells[len(f.head.cells)-1].to
	text := slices.Clone(f.head.text[:first])
	for i, p := range f.pieces {
		if i > 0 {
			text = append(text, f.comma)
		}
		text = append(text, f.head.text[f.head.cells[p.firstColumn].from:f.head.cells[p.lastColumn].to]...)
	}
	return append(text, f.head.text[last:]...)
}

// A blockWriter writes one block.
type blockWriter struct {
	*File
	output []outputCells
	text   []byte // that is not flushed
}

// write makes the text of the block, and flushes it where there is much of it.
func (w *blockWriter) write(ctx context.Context, unit int, in []*table.Alphabet, each func(table.Batch) error,
	flush func() error) error {
	r := w.open(unit)
	return w.read(ctx, r, unit, in, func(b table.Batch) error {
		if err := each(b); err != nil {
			return err
		}
		for row := range r.bound {
			if err := w.row(r, row, b.Letters); err != nil {
				return err
			}
		}
		if len(w.text) < held {
			return nil
		}
		return flush()
	})
}

// row writes one row.
func (w *blockWriter) row(r *rows, row int, letters [][]int32) error {
	begin := len(w.text)
	bound := r.bound[row]
	for i := range w.pieces {
		p := &w.pieces[i]
		if i > 0 {
			w.text = append(w.text, w.comma)
		}
		if p.private == table.Kept {
			w.text = append(w.text, r.text[r.column(row, p.first).from:r.column(row, p.last).to]...)
			continue
		}
		o, letter := &w.output[p.private], letters[p.private][row]
		switch {
		case letter == -1 || o.null && int(letter) == len(o.text):
		case letter < 0 || int(letter) >= len(o.text):
			return errors.New("a letter outside the output alphabet")
		default:
			w.text = append(w.text, o.text[letter]...)
		}
	}
	end := bound.to
	for end > bound.from && (r.text[end-1] == '\n' || r.text[end-1] == '\r') {
		end--
	}
	if end == bound.to && len(w.text) == begin { // else the row would not be seen
		w.text = append(w.text, '\n')
	}
	w.text = append(w.text, r.text[end:bound.to]...)
	return nil
}
