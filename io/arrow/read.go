package arrow

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tacet-privacy/tacet/io/table"
)

// Scan counts the values of the private columns, record batches in parallel.
func (a *File) Scan(ctx context.Context) ([]*table.Alphabet, [][]int64, error) {
	return table.Scan(ctx, len(a.rows), a.request.Workers(), a.columns, func(unit int) (table.Cells, error) {
		return a.open(a.letters, unit, nil)
	})
}

// Read hands out the letters of one record batch in batches.
func (a *File) Read(ctx context.Context, unit int, in []*table.Alphabet, f func(table.Batch) error) error {
	b, err := a.open(a.letters, unit, a.beside)
	if err != nil {
		return err
	}
	defer b.Close()
	return table.Hand(ctx, unit, b, a.columns, in, f)
}

// A batch is a record batch whose cells are read. It is good until it is closed.
type batch struct {
	columns []arrow.Array // of the file; what is not read is empty
	rows    int64
	row     int64 // of the first one, in the file
	next    int
	cells   []*cells
	values  []table.Values
	close   func()
}

// open begins a record batch as a reader decodes it: its private columns, and those beside.
func (a *File) open(of func() (*reader, error), unit int, beside []*column) (*batch, error) {
	r, err := of()
	if err != nil {
		return nil, err
	}
	room, _ := a.room.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	b := &batch{rows: a.rows[unit], close: func() { a.room.Put(room) }} // raw values, of which nothing is ever written
	if b.columns, *room, err = a.load(r, unit, *room); err == nil {
		for _, n := range a.rows[:unit] {
			b.row += n
		}
		err = b.begin(a.private, beside)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// begin opens columns.
func (b *batch) begin(columns ...[]*column) (err error) {
	defer table.Guard("decoding a column", &err)
	for _, list := range columns {
		for _, c := range list {
			cells, err := c.open(b.columns[c.Top])
			if err != nil {
				return err
			}
			b.cells = append(b.cells, cells)
		}
	}
	b.values = make([]table.Values, len(b.cells))
	return nil
}

// Next are the next rows.
func (b *batch) Next() (rows table.Rows, err error) {
	defer table.Guard("decoding a column", &err)
	rows = table.Rows{First: b.row + int64(b.next), N: int(min(b.rows-int64(b.next), table.BatchRows)),
		Cells: b.values}
	for i, c := range b.cells {
		if b.values[i], err = c.next(b.next, rows.N); err != nil {
			return rows, err
		}
	}
	b.next += rows.N
	return rows, nil
}

// Close gives the buffers back.
func (b *batch) Close() { b.close() }
