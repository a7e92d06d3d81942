package inspect

import (
	"context"
	"errors"
	"math"

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
		c := &f.Columns[i]
		if !c.Readable {
			continue
		}
		if err := f.scan(ctx, local, c); err != nil {
			return err
		}
	}
	return nil
}

// scan counts a column. Values of a dictionary are looked up once for each unit.
func (f *File) scan(ctx context.Context, local table.Content, c *Column) error {
	in, err := count.OpenFile(local, table.Request{Beside: []string{c.Name}, Threads: 1})
	if err != nil {
		return err
	}
	defer in.Close()
	for unit, rows := range in.Units() {
		left := f.part(rows, len(f.Columns))
		numbers := []int32{} // by code, one more than the number, which null and unknown are below
		err := in.Read(ctx, unit, nil, func(b table.Batch) error {
			v := &b.Beside[0]
			numbers = append(numbers, make([]int32, max(0, v.Entries-len(numbers)))...)
			for row, code := range v.Code[:min(left, int64(len(v.Code)))] {
				id := int32(null)
				switch {
				case code < 0:
				case int(code) >= v.Entries:
					id = c.tally.cell(v, row)
				default:
					if numbers[code] == 0 {
						numbers[code] = c.tally.cell(v, row) + numbered
					}
					id = numbers[code] - numbered
				}
				c.tally.add(id, 1)
				c.tally.row(id)
			}
			if left -= int64(len(v.Code)); left <= 0 {
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

// numbered makes a number of a tally one above 0.
const numbered = 1 - unknown

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
