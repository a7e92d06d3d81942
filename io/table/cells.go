package table

import (
	"context"
	"slices"
)

// Cells reads the cells of one unit, some rows at a time.
type Cells interface {
	// Next are the next rows, none at the end. They are good until it is called again.
	Next() (Rows, error)
	Close()
}

// Rows are consecutive rows of one unit.
type Rows struct {
	First int64 // counted from 0 in the file
	N     int
	Cells []Values // of the private columns, then of those that are read beside
}

// Scan counts the values of private columns in all units, as File.Scan promises.
func Scan(ctx context.Context, units, threads int, columns []*PrivateColumn,
	open func(unit int) (Cells, error)) ([]*Alphabet, [][]int64, error) {
	total := make([]Tally, len(columns))
	err := EachUnit(ctx, units, threads, func(_, unit int) error {
		cells, err := open(unit)
		if err != nil {
			return err
		}
		defer cells.Close()
		return countUnit(ctx, cells, columns, total)
	})
	if err != nil {
		return nil, nil, err
	}
	alphabet, count := make([]*Alphabet, len(columns)), make([][]int64, len(columns))
	for i, c := range columns {
		if err := total[i].Refuse(c); err != nil {
			return nil, nil, err
		}
		alphabet[i], count[i] = total[i].Alphabet(c.Type)
	}
	return alphabet, count, nil
}

func countUnit(ctx context.Context, cells Cells, columns []*PrivateColumn, total []Tally) error {
	counter := make([]*counter, len(columns))
	for i, c := range columns {
		counter[i] = newCounter(c)
	}
	for {
		rows, err := cells.Next()
		if err != nil {
			return err
		}
		if rows.N == 0 {
			break
		}
		for i, c := range counter {
			if err := c.add(&rows.Cells[i], rows.First); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for i, c := range counter {
		if err := c.into(&total[i]); err != nil {
			return err
		}
	}
	return nil
}

// Hand hands out the letters of a unit, as File.Read promises.
func Hand(ctx context.Context, unit int, cells Cells, columns []*PrivateColumn, in []*Alphabet,
	f func(Batch) error) error {
	if len(in) != len(columns) {
		panic("table: not one alphabet per private column")
	}
	letters, room := make([]*numbers, len(columns)), make([][]int32, len(columns))
	for i, c := range columns {
		if in[i].Type() != c.Type {
			return Errorf("", "column %q is of type %s, its alphabet of type %s", c.Name, c.Type, in[i].Type())
		}
		letters[i], room[i] = newLetters(c, in[i]), make([]int32, BatchRows)
	}
	b := Batch{Unit: Unit{Group: unit}, Letters: make([][]int32, len(columns))}
	for {
		rows, err := cells.Next()
		if rows.N == 0 || err != nil {
			return err
		}
		for i, l := range letters {
			b.Letters[i] = room[i][:rows.N]
			negative, err := l.put(b.Letters[i], &rows.Cells[i])
			if err != nil {
				return err
			}
			if !negative {
				continue
			}
			if at := slices.IndexFunc(b.Letters[i], isUnseen); at >= 0 {
				return UnseenError(l.Name, rows.First+int64(at))
			}
		}
		b.Row, b.Beside = rows.First, rows.Cells[len(columns):]
		if err := f(b); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// A counter counts the values of one private column in one unit.
type counter struct {
	*numbers
	values Tally
	count  []int64 // of every number from lowest on: what has no bin, nulls, places in values
	room   []int32
}

// lowest is the least number of a cell.
const lowest = nullBin - int32(noNumber)

func newCounter(c *PrivateColumn) *counter {
	n := &counter{room: make([]int32, BatchRows)}
	n.numbers = newNumbers(c, nullBin, func(text []byte, v int64) (int32, error) { return n.values.place(text, v, c) })
	return n
}

// add counts cells, the first of which is in this row.
func (n *counter) add(v *Values, row int64) error {
	number := n.room[:len(v.Code)]
	if _, err := n.put(number, v); err != nil {
		return err
	}
	if n.bins != nil && v.Type.Form == TextCells {
		if at := slices.Index(number, lowest); at >= 0 {
			return n.noBin(row + int64(at))
		}
	}
	n.count = append(n.count, make([]int64, len(n.values.Value)-int(lowest)-len(n.count))...)
	for _, c := range number {
		n.count[c-lowest]++
	}
	return nil
}

// into adds what was counted to the total of the column.
func (n *counter) into(t *Tally) error {
	t.Lock()
	defer t.Unlock()
	for i, count := range n.count {
		switch number := int32(i) + lowest; {
		case number < nullBin:
			t.outside[nullBin-number] += count
		case number == nullBin:
			t.Null += count
		default:
			if err := t.Put(n.values.Value[number], count, n.PrivateColumn); err != nil {
				return err
			}
		}
	}
	return t.Check(n.PrivateColumn)
}
