package csv

import (
	"context"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/io/table"
)

// Format is CSV: what begins like no other format, and is text.
var Format = table.Format{Name: "csv", Title: "CSV", Ends: ".csv .tsv .txt", Open: open}

// A File is an opened CSV file.
type File struct {
	in      table.Input
	request table.Request
	dialect table.Dialect
	comma   byte
	names   []string
	head    head
	blocks  []block
	private []*privateColumn
	columns []*table.PrivateColumn // these
	beside  []int                  // slots
	pieces  []piece
	slot    []int // of every column: its place among the cells that are read, -1 for none
	slots   int
}

// A head is what stands before the rows of data.
type head struct {
	text  []byte // all of it, byte order mark and line end included
	cells []cell // of the header, in text; none where the file has no header
}

// A privateColumn is one whose values become letters.
type privateColumn struct {
	table.PrivateColumn
	slot   int
	quoted bool // all its cells have quotes but nulls
}

// open finds the dialect, the columns and the blocks.
func open(in table.Input, r table.Request) (table.File, error) {
	f := &File{in: in, request: r}
	var start int64
	var err error
	if f.dialect, f.comma, start, err = dialectOf(in, r.Dialect); err != nil {
		return nil, err
	}
	if start, err = f.readHead(start); err != nil {
		return nil, err
	}
	if err := f.choose(); err != nil {
		return nil, err
	}
	if len(f.private)+len(f.beside) == 0 {
		return f, nil // nothing but the names is asked for
	}
	if f.blocks, err = blocksOf(in, start, in.Size()); err != nil {
		return nil, err
	}
	f.findQuotes()
	return f, nil
}

// readHead finds the names of the columns, and where the data begins.
func (f *File) readHead(start int64) (int64, error) {
	first := newRows(f.in, start, f.in.Size(), f.comma, nil, nil, 0)
	n, err := first.next(1)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, table.Errorf("write the file again", "the CSV file has no row")
	}
	if f.dialect.Header == "no" {
		for i := range first.cells {
			f.names = append(f.names, "column_"+strconv.Itoa(i+1))
		}
		f.head.text = mark[:start]
		return start, nil
	}
	bound := first.bound[0]
	f.head.text = slices.Concat(mark[:start], first.text[bound.from:bound.to])
	for i, c := range first.cells {
		name, _ := first.value(c)
		if err := first.text8(name, i); err != nil {
			return 0, err
		}
		f.names = append(f.names, string(name))
		f.head.cells = append(f.head.cells, cell{c.from + int32(start), c.to + int32(start)})
	}
	return int64(len(f.head.text)), nil
}

// choose gives the columns of the request their slots, and lays out the output.
func (f *File) choose() error {
	f.slot = slices.Repeat([]int{-1}, len(f.names))
	take := func(column int) int {
		if f.slot[column] < 0 {
			f.slot[column] = f.slots
			f.slots++
		}
		return f.slot[column]
	}
	if len(f.request.Drop) > 0 && f.dialect.Header == "no" {
		return table.Errorf("write a first row with the names of the columns, or keep all columns with --keep",
			"columns of a CSV file without a header cannot be dropped: those behind them would change their names")
	}
	chosen, err := table.NewIndex(f.names).Choose(&f.request)
	if err != nil {
		return err
	}
	for _, at := range chosen.Beside {
		f.beside = append(f.beside, take(at))
	}
	for i, at := range chosen.Private {
		c, cells := table.PrivateColumn{Name: f.names[at], Top: at, Leaf: at, Null: true}, ""
		if f.request.HasBins(i) {
			cells = table.OfText(f.request.Bins[i])
		}
		if c, err = f.request.PrivateColumn(i, c, cells, "string", ""); err != nil {
			return err
		}
		f.private = append(f.private, &privateColumn{slot: take(at), PrivateColumn: c})
		f.columns = append(f.columns, &f.private[i].PrivateColumn)
	}
	f.pieces = piecesOf(chosen.Role)
	for i := range f.pieces {
		p := &f.pieces[i]
		p.first, p.last = take(p.firstColumn), take(p.lastColumn)
	}
	return nil
}

// Format is "csv".
func (f *File) Format() string { return Format.Name }

// Dialect is how the file is written.
func (f *File) Dialect() table.Dialect { return f.dialect }

// Columns are those of the header, or column_1 and so on where there is none.
func (f *File) Columns() []table.Column {
	var column []table.Column
	for _, name := range f.names {
		column = append(column, table.Column{Name: name, Type: "string", Nullable: true, Readable: true})
	}
	return column
}

// Units are the blocks.
func (f *File) Units() []int64 {
	var n []int64
	for _, b := range f.blocks {
		n = append(n, b.rows)
	}
	return n
}

// CheckKept has nothing to add: Scan reads all cells.
func (f *File) CheckKept(context.Context) error { return nil }

// open begins to read a block.
func (f *File) open(unit int) *rows {
	b := f.blocks[unit]
	r := newRows(f.in, b.from, b.to, f.comma, f.names, f.slot, f.slots)
	r.row = b.row
	return r
}

// next reads the next rows of a block, and at its end holds their number to that
// of the block.
func (f *File) next(r *rows, unit int) (int, error) {
	n, err := r.next(table.BatchRows)
	if err != nil || n > 0 {
		return n, err
	}
	if b := f.blocks[unit]; r.row != b.row+b.rows {
		return 0, table.Errorf("write no file while it is read", "row %d: the file has changed", r.row+1)
	}
	return 0, nil
}
