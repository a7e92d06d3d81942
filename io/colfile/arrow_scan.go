package colfile

import (
	"context"
	"fmt"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

// Scan counts the values of the private columns, record batches in parallel.
func (a *arrowFile) Scan(ctx context.Context) ([]*Alphabet, [][]int64, error) {
	threads := a.threads()
	counter := make([][]*arrowCounter, threads)
	for w := range counter {
		for _, c := range a.private {
			counter[w] = append(counter[w], &arrowCounter{column: c})
		}
	}
	err := eachUnit(ctx, len(a.rows), threads, func(worker, unit int) error {
		b, err := a.raw.Batch(unit)
		if err != nil {
			return arrowError(fmt.Errorf("record batch %d: %w", unit, err))
		}
		for _, c := range counter[worker] {
			array, err := a.array(b, unit, c.column)
			if err != nil {
				return err
			}
			if err := c.count(ctx, array, unit); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	alphabet, count := make([]*Alphabet, len(a.private)), make([][]int64, len(a.private))
	for i, c := range a.private {
		total := &tally{}
		for w := range counter {
			if err := counter[w][i].into(total); err != nil {
				return nil, nil, err
			}
		}
		alphabet[i], count[i] = total.alphabet(c.typ)
	}
	return alphabet, count, nil
}

// array decodes a private column of a record batch: its indices where it is
// dictionary encoded.
func (a *arrowFile) array(b *arrowraw.RecordBatch, unit int, c *arrowColumn) (*arrowraw.Array, error) {
	typ := c.field.Type
	if c.field.Dict != nil {
		typ = c.field.Dict.Index
	}
	array, err := a.raw.Array(b, c.top, typ)
	if err != nil {
		return nil, arrowError(fmt.Errorf("column %q, record batch %d: %w", c.name, unit, err))
	}
	return array, nil
}

// An arrowCounter counts the values of one column in the record batches that
// one goroutine works on.
type arrowCounter struct {
	column *arrowColumn
	code   []int64 // by dictionary index
	null   int64
	values tally // where there is no dictionary
}

func (c *arrowCounter) count(ctx context.Context, array *arrowraw.Array, unit int) error {
	if c.column.dict != nil && c.code == nil {
		d, err := c.column.dict()
		if err != nil {
			return err
		}
		c.code = make([]int64, len(d.value))
	}
	block := make([]int64, batchRows)
	for from := 0; from < array.Len; from += batchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		block = block[:min(array.Len-from, batchRows)]
		if c.column.dict != nil || c.column.typ.Kind > Binary {
			array.Ints(block, from)
		}
		var err error
		switch {
		case c.column.dict != nil:
			err = c.countCodes(array, block, from, unit)
		case c.column.typ.Kind > Binary:
			err = c.countInts(array, block, from)
		default:
			err = c.countBytes(array, len(block), from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *arrowCounter) countCodes(array *arrowraw.Array, block []int64, from, unit int) error {
	for i, code := range block {
		switch {
		case array.Nulls > 0 && array.Null(from+i):
			c.null++
		case uint64(code) < uint64(len(c.code)):
			c.code[code]++
		default:
			return indexError(c.column, unit)
		}
	}
	return nil
}

func (c *arrowCounter) countInts(array *arrowraw.Array, block []int64, from int) error {
	for i := 0; i < len(block); {
		if array.Null(from + i) {
			c.null++
			i++
			continue
		}
		v, run := block[i], int64(0)
		for i < len(block) && block[i] == v && !array.Null(from+i) {
			run++
			i++
		}
		if err := c.values.putInt(v, run, c.column); err != nil {
			return err
		}
	}
	return nil
}

func (c *arrowCounter) countBytes(array *arrowraw.Array, n, from int) error {
	for i := from; i < from+n; i++ {
		if array.Null(i) {
			c.null++
			continue
		}
		if err := c.values.putBytes(array.Bytes(i), 1, c.column); err != nil {
			return err
		}
	}
	return nil
}

// into adds what was counted to a column's total.
func (c *arrowCounter) into(total *tally) error {
	total.null += c.null
	for i, v := range c.values.value {
		if err := total.put(v, c.values.count[i], c.column); err != nil {
			return err
		}
	}
	if c.code == nil {
		return total.check(&c.column.privateColumn)
	}
	d, err := c.column.dict()
	if err != nil {
		return err
	}
	for code, n := range c.code {
		switch {
		case n == 0:
		case d.isNull(code):
			total.null += n
		default:
			if err := total.put(d.value[code], n, c.column); err != nil {
				return err
			}
		}
	}
	return total.check(&c.column.privateColumn)
}

func indexError(c *arrowColumn, unit int) error {
	return inputErrorf("write the file again", "column %q, record batch %d: an index outside the dictionary", c.name, unit)
}

// put counts n more of a value.
func (t *tally) put(v Value, n int64, c *arrowColumn) error {
	if c.typ.Kind <= Binary {
		return t.putBytes([]byte(v.Bytes), n, c)
	}
	return t.putInt(v.Int, n, c)
}

func (t *tally) putInt(v, n int64, c *arrowColumn) error {
	at, ok := t.ints[v]
	if ok {
		t.count[at] += n
		return nil
	}
	if t.ints == nil {
		t.ints = make(map[int64]int)
	}
	t.ints[v] = len(t.value)
	return t.begin(Value{Int: v}, n, c)
}

func (t *tally) putBytes(b []byte, n int64, c *arrowColumn) error {
	at, ok := t.text[string(b)]
	if ok {
		t.count[at] += n
		return nil
	}
	if t.text == nil {
		t.text = make(map[string]int)
	}
	v := Value{Bytes: string(b)}
	t.text[v.Bytes] = len(t.value)
	t.bytes += len(b)
	return t.begin(v, n, c)
}

// begin counts a value that was not met before.
func (t *tally) begin(v Value, n int64, c *arrowColumn) error {
	t.value = append(t.value, v)
	t.count = append(t.count, n)
	return t.check(&c.privateColumn)
}
