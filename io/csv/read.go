package csv

import (
	"context"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/table"
)

// Scan counts the values of the private columns, and reads all cells.
func (f *File) Scan(ctx context.Context) ([]*table.Alphabet, [][]int64, error) {
	return table.Scan(ctx, len(f.blocks), f.request.Workers(), f.columns, func(unit int) (table.Cells, error) {
		b := f.cells(f.open(unit), unit, nil)
		b.check = true
		return b, nil
	})
}

// Read hands out the letters of one block in batches.
func (f *File) Read(ctx context.Context, group int, in []*table.Alphabet, each func(table.Batch) error) error {
	return f.read(ctx, f.open(group), group, in, each)
}

// read hands out what r reads; the window holds the rows of a batch meanwhile.
func (f *File) read(ctx context.Context, r *rows, unit int, in []*table.Alphabet, each func(table.Batch) error) error {
	return table.Hand(ctx, unit, f.cells(r, unit, f.beside), f.columns, in, each)
}

// blockCells are the cells of some columns of a block.
type blockCells struct {
	file   *File
	rows   *rows
	unit   int
	check  bool // that the text of all columns is UTF-8
	column []columnCells
	values []table.Values
}

// cells begins the private columns of a block that r reads, and those in the slots beside.
func (f *File) cells(r *rows, unit int, beside []int) *blockCells {
	b := &blockCells{file: f, rows: r, unit: unit}
	for _, c := range f.private {
		b.column = append(b.column, columnCells{rows: r, slot: c.slot})
	}
	for _, slot := range beside {
		b.column = append(b.column, columnCells{rows: r, slot: slot})
	}
	b.values = make([]table.Values, len(b.column))
	return b
}

// Next are the next rows.
func (b *blockCells) Next() (table.Rows, error) {
	n, err := b.file.next(b.rows, b.unit)
	if err == nil && n > 0 && b.check {
		err = b.rows.checkText()
	}
	for i := range b.column {
		b.values[i] = b.column[i].of(n)
	}
	return table.Rows{First: b.rows.row - int64(n), N: n, Cells: b.values}, err
}

// Close does nothing.
func (b *blockCells) Close() {}

// checkText fails for the first row in the window that is not UTF-8.
func (r *rows) checkText() error {
	n := len(r.bound)
	if utf8.Valid(r.text[r.bound[0].from:r.bound[n-1].to]) {
		return nil
	}
	for i, b := range r.bound {
		if !utf8.Valid(r.text[b.from:b.to]) {
			return table.Errorf("save the file as UTF-8", "row %d: the text is not UTF-8", r.row-int64(n-i)+1)
		}
	}
	panic("csv: rows are UTF-8 one by one and not together")
}

// text8 fails for a name that is not UTF-8.
func (r *rows) text8(name []byte, column int) error {
	if utf8.Valid(name) {
		return nil
	}
	return table.Errorf("save the file as UTF-8", "the first row of the CSV file, cell %d: the text is not UTF-8",
		column+1)
}

// columnCells are the cells of a column in the window, by row.
type columnCells struct {
	rows *rows
	slot int
	code []int32
}

// of are the cells of the n rows in the window.
func (b *columnCells) of(n int) table.Values {
	b.code = b.code[:0]
	for row := range n {
		code := int32(row)
		if c := b.rows.column(row, b.slot); c.from == c.to {
			code = -1
		}
		b.code = append(b.code, code)
	}
	return table.Values{Type: table.CellType{Form: table.TextCells}, Code: b.code, Source: b}
}

// Bytes is the text of a cell.
func (b *columnCells) Bytes(code int) []byte {
	text, _ := b.rows.value(b.rows.column(code, b.slot))
	return text
}

// Int panics: all cells are text.
func (b *columnCells) Int(int) int64 { panic("csv: a cell of text has no number") }
