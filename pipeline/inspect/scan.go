package inspect

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/tacet-privacy/tacet/io/arrow/splice"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// errEnough ends a unit of which only the first rows are counted.
var errEnough = errors.New("enough rows")

// readFile counts the first rows of every unit of a file, one column after the other.
func readFile(ctx context.Context, local table.Content, f *File) error {
	in, err := count.OpenFile(local, table.Request{})
	if err != nil {
		return err
	}
	for _, rows := range in.Units() {
		f.Read += f.part(rows, len(f.Columns))
	}
	in.Close()
	for i := range f.Columns {
		if c := &f.Columns[i]; c.Readable {
			if err := f.scan(ctx, local, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// scan counts a column.
func (f *File) scan(ctx context.Context, local table.Content, c *Column) error {
	in, err := count.OpenFile(local, table.Request{Beside: []string{c.Name}, Threads: 1})
	if err != nil {
		return err
	}
	defer in.Close()
	for unit, rows := range in.Units() {
		left := f.part(rows, len(f.Columns))
		c.tally.codes = c.tally.codes[:0]
		err := in.Read(ctx, unit, nil, func(b table.Batch) error {
			c.take(&b.Beside[0], left)
			if left -= int64(len(b.Beside[0].Code)); left <= 0 {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	return nil
}

// openColumns are the columns of a stream.
func (f *File) openColumns(local table.Content) error {
	s, err := splice.OpenStream(io.NewSectionReader(local, 0, local.Size()))
	if err != nil {
		return err
	}
	for _, c := range s.Columns() {
		column := Column{Name: c.Name, Type: c.Type, Readable: c.Readable, nested: c.Nested}
		if err := s.Choose(table.Request{Private: []string{c.Name}}); err != nil {
			column.Why = "has a type that only other columns may have"
		} else {
			column.Private = true
		}
		f.Columns = append(f.Columns, column)
	}
	return nil
}

// readStream counts the rows of a stream from its start; how many there are is known
// at its end.
func readStream(ctx context.Context, local table.Content, f *File) error {
	s, err := splice.OpenStream(io.NewSectionReader(local, 0, local.Size()))
	if err != nil {
		return err
	}
	var columns []*Column
	r := table.Request{}
	for i := range f.Columns {
		if c := &f.Columns[i]; c.Readable {
			columns, r.Beside = append(columns, c), append(r.Beside, c.Name)
		}
	}
	if err := s.Choose(r); err != nil {
		return err
	}
	most, unit := int64(mostCells/max(len(f.Columns), 1)), -1
	err = s.Each(ctx, func(b table.Batch) error {
		for i, c := range columns {
			if b.Unit.Group != unit {
				c.tally.codes = c.tally.codes[:0]
			}
			c.take(&b.Beside[i], max(0, most-b.Row))
		}
		unit = b.Unit.Group
		return nil
	})
	f.Rows, _ = s.Written()
	f.Read = min(f.Rows, most)
	return err
}

// numbered makes a number of a tally one above 0.
const numbered = 1 - unknown

// take counts the first rows of a batch. Values of a dictionary are looked up once for
// each unit.
func (c *Column) take(v *table.Values, rows int64) {
	t := c.tally
	c.kind = kinds[v.Type.Form]
	t.codes = append(t.codes, make([]int32, max(0, v.Entries-len(t.codes)))...)
	for row, code := range v.Code[:min(rows, int64(len(v.Code)))] {
		id := int32(null)
		switch {
		case code < 0:
		case int(code) >= v.Entries:
			id = t.cell(v, row)
		default:
			if t.codes[code] == 0 {
				t.codes[code] = t.cell(v, row) + numbered
			}
			id = t.codes[code] - numbered
		}
		t.add(id, 1)
		t.row(id)
	}
}

// kinds are the types of cells as a private column has them; the zero value is text.
var kinds = map[table.Form]table.Type{
	table.BinaryCells:   {Kind: table.Binary},
	table.IntegerCells:  {Kind: table.Integer, Bits: 64},
	table.UnsignedCells: {Kind: table.Integer, Bits: 64, Unsigned: true},
	table.BooleanCells:  {Kind: table.Boolean},
	table.DateCells:     {Kind: table.Date},
}

// cell is the number of a cell that is not null.
func (t *tally) cell(v *table.Values, row int) int32 {
	switch v.Type.Form {
	case table.TextCells, table.BinaryCells:
		return t.text(v.Bytes(row))
	case table.WideDecimalCells:
		return t.text(v.AppendText(nil, row))
	case table.FloatCells:
		return t.floating(math.Float64frombits(uint64(v.Int(row))))
	}
	return t.integer(v.Int(row))
}
