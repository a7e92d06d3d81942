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
	null   int64
	code   []int64 // by dictionary index

	values tally      // where there is no dictionary
	words  *wordIndex // places in values of integers and short text
	block  []int64
	key    []uint64
}

func (c *arrowCounter) count(ctx context.Context, array *arrowraw.Array, unit int) error {
	if c.block == nil {
		c.block, c.key, c.words = make([]int64, batchRows), make([]uint64, batchRows), newWordIndex()
	}
	if c.column.dict != nil && c.code == nil {
		d, err := c.column.dict()
		if err != nil {
			return err
		}
		c.code = make([]int64, len(d.value))
	}
	for from := 0; from < array.Len; from += batchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(array.Len-from, batchRows)
		if c.column.dict == nil && c.column.typ.Kind <= Binary {
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

func (c *arrowCounter) countCodes(array *arrowraw.Array, block []int64, from, unit int) error {
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

func (c *arrowCounter) countInts(array *arrowraw.Array, block []int64, from, _ int) error {
	nulls := array.Nulls > 0
	for i, v := range block {
		if nulls && array.Null(from+i) {
			c.null++
		} else if at := c.words.get(uint64(v)); at >= 0 {
			c.values.count[at]++
		} else {
			c.words.put(uint64(v), int32(len(c.values.value)))
			if err := c.values.begin(Value{Int: v}, 1, c.column); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *arrowCounter) countText(array *arrowraw.Array, key []uint64, from int) error {
	nulls := array.Nulls > 0
	for i, k := range key {
		if nulls && array.Null(from+i) {
			c.null++
			continue
		}
		if k == arrowraw.Unpacked {
			if err := c.values.putBytes(array.Bytes(from+i), 1, c.column); err != nil {
				return err
			}
			continue
		}
		if at := c.words.get(k); at >= 0 {
			c.values.count[at]++
			continue
		}
		c.words.put(k, int32(len(c.values.value)))
		if err := c.values.begin(Value{Bytes: string(array.Bytes(from + i))}, 1, c.column); err != nil {
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
	if at, ok := t.ints[v]; ok {
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
	if at, ok := t.text[string(b)]; ok {
		t.count[at] += n
		return nil
	}
	if t.text == nil {
		t.text = make(map[string]int)
	}
	v := Value{Bytes: string(b)}
	t.text[v.Bytes] = len(t.value)
	return t.begin(v, n, c)
}

// begin counts a value that was not met before.
func (t *tally) begin(v Value, n int64, c *arrowColumn) error {
	t.value = append(t.value, v)
	t.count = append(t.count, n)
	t.bytes += len(v.Bytes)
	return t.check(&c.privateColumn)
}
