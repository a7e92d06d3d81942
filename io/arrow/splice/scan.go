package splice

import (
	"context"
	"fmt"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// Scan counts the values of the private columns, record batches in parallel.
func (a *File) Scan(ctx context.Context) ([]*table.Alphabet, [][]int64, error) {
	threads := a.request.Workers()
	counter := make([][]*columnCounter, threads)
	for w := range counter {
		for _, c := range a.private {
			counter[w] = append(counter[w], &columnCounter{column: c})
		}
	}
	err := table.EachUnit(ctx, len(a.rows), threads, func(worker, unit int) error {
		b, err := a.raw.Batch(unit)
		if err != nil {
			return inputError(fmt.Errorf("record batch %d: %w", unit, err))
		}
		for _, c := range counter[worker] {
			if c.column.Bins != nil {
				if err := a.countBins(ctx, b, unit, c); err != nil {
					return err
				}
				continue
			}
			array, err := a.array(b, unit, c.column)
			if err != nil {
				return err
			}
			err = c.count(ctx, array, unit)
			array.Release()
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	alphabet, count := make([]*table.Alphabet, len(a.private)), make([][]int64, len(a.private))
	for i, c := range a.private {
		total := &table.Tally{}
		for w := range counter {
			if err := counter[w][i].into(total); err != nil {
				return nil, nil, err
			}
		}
		if err := total.Refuse(&c.PrivateColumn); err != nil {
			return nil, nil, err
		}
		alphabet[i], count[i] = total.Alphabet(c.Type)
	}
	return alphabet, count, nil
}

// array decodes a private column of a record batch: its indices where it is
// dictionary encoded.
func (a *File) array(b *batch.RecordBatch, unit int, c *privateColumn) (*batch.Array, error) {
	typ := c.field.Type
	if c.field.Dict != nil {
		typ = c.field.Dict.Index
	}
	array, err := batch.Read(a.raw, b, c.Top, typ)
	if err != nil {
		return nil, inputError(fmt.Errorf("column %q, record batch %d: %w", c.Name, unit, err))
	}
	return array, c.whole(array)
}

// whole fails where dates that become letters have a time of day, which would be lost.
func (c *privateColumn) whole(array *batch.Array) error {
	if c.Type.Kind == table.Date && !array.WholeDays() {
		return table.Errorf("cast it to timestamp, or put it into bins such as --bins day",
			"column %q is of type %s, but holds times of day", c.Name, c.field)
	}
	return nil
}

// A columnCounter counts the values of one column in the record batches that
// one goroutine works on.
type columnCounter struct {
	column *privateColumn
	null   int64
	code   []int64 // by dictionary index

	values table.Tally // where there is no dictionary
	words  *wordIndex  // places in values of integers and short text
	block  []int64
	key    []uint64

	bins *table.BinCount // nil without bins; the codes of a dictionary are those of the file
}

// countBins counts the bins of a record batch.
func (a *File) countBins(ctx context.Context, b *batch.RecordBatch, unit int, c *columnCounter) error {
	cells, err := a.openBeside(b, unit, c.column.cells)
	if err != nil {
		return err
	}
	defer cells.array.Release()
	if c.bins == nil {
		c.bins = table.NewBinCount(c.column.Bins)
	}
	for from := 0; from < cells.array.Len; from += table.BatchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := cells.next(from, min(cells.array.Len-from, table.BatchRows), unit)
		if err != nil {
			return err
		}
		c.bins.Add(&v)
	}
	return nil
}

func (c *columnCounter) count(ctx context.Context, array *batch.Array, unit int) error {
	if c.block == nil {
		c.block, c.key, c.words = make([]int64, table.BatchRows), make([]uint64, table.BatchRows), newWordIndex()
	}
	if c.column.dict != nil && c.code == nil {
		d, err := c.column.dict()
		if err != nil {
			return err
		}
		c.code = make([]int64, len(d.value))
	}
	for from := 0; from < array.Len; from += table.BatchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(array.Len-from, table.BatchRows)
		if c.column.dict == nil && c.column.Type.Kind <= table.Binary {
			array.Pack(c.key[:n], from)
			if err := c.countText(array, c.key[:n], from); err != nil {
				return err
			}
			continue
		}
		array.Ints(c.block[:n], from)
		count := c.countInts
		if c.column.dict != nil {
			count = c.countCodes
		}
		if err := count(array, c.block[:n], from, unit); err != nil {
			return err
		}
	}
	return nil
}

func (c *columnCounter) countCodes(array *batch.Array, block []int64, from, unit int) error {
	count := c.code
	nulls := array.Nulls > 0
	for i, code := range block {
		switch {
		case nulls && array.Null(from+i):
			c.null++
		case uint64(code) < uint64(len(count)):
			count[code]++
		default:
			return indexError(c.column, unit)
		}
	}
	return nil
}

func (c *columnCounter) countInts(array *batch.Array, block []int64, from, _ int) error {
	nulls := array.Nulls > 0
	for i, v := range block {
		if nulls && array.Null(from+i) {
			c.null++
		} else if at := c.words.get(uint64(v)); at >= 0 {
			c.values.Count[at]++
		} else {
			c.words.put(uint64(v), int32(len(c.values.Value)))
			if err := c.values.Begin(table.Value{Int: v}, 1, &c.column.PrivateColumn); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *columnCounter) countText(array *batch.Array, key []uint64, from int) error {
	nulls := array.Nulls > 0
	for i, k := range key {
		if nulls && array.Null(from+i) {
			c.null++
			continue
		}
		if k == batch.Unpacked {
			if err := c.values.PutBytes(array.Bytes(from+i), 1, &c.column.PrivateColumn); err != nil {
				return err
			}
			continue
		}
		if at := c.words.get(k); at >= 0 {
			c.values.Count[at]++
			continue
		}
		c.words.put(k, int32(len(c.values.Value)))
		if err := c.values.Begin(table.Value{Bytes: string(array.Bytes(from + i))}, 1,
			&c.column.PrivateColumn); err != nil {
			return err
		}
	}
	return nil
}

// into adds what was counted to a column's total.
func (c *columnCounter) into(total *table.Tally) error {
	total.Null += c.null
	if c.bins != nil {
		if err := c.bins.Into(total, &c.column.PrivateColumn); err != nil {
			return err
		}
	}
	for i, v := range c.values.Value {
		if err := total.Put(v, c.values.Count[i], &c.column.PrivateColumn); err != nil {
			return err
		}
	}
	if c.code == nil {
		return total.Check(&c.column.PrivateColumn)
	}
	d, err := c.column.dict()
	if err != nil {
		return err
	}
	for code, n := range c.code {
		switch {
		case n == 0:
		case d.isNull(code):
			total.Null += n
		default:
			if err := total.Put(d.value[code], n, &c.column.PrivateColumn); err != nil {
				return err
			}
		}
	}
	return total.Check(&c.column.PrivateColumn)
}

func indexError(c *privateColumn, unit int) error {
	return table.Errorf("write the file again", "column %q, record batch %d: an index outside the dictionary", c.Name,
		unit)
}
