package splice

import (
	"context"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// Read hands out the letters of one record batch in batches.
func (a *File) Read(ctx context.Context, group int, in []*table.Alphabet, f func(table.Batch) error) error {
	b, err := a.raw.Batch(group)
	if err != nil {
		return inputError(fmt.Errorf("record batch %d: %w", group, err))
	}
	return a.read(ctx, b, group, in, f)
}

func (a *File) read(ctx context.Context, b *batch.RecordBatch, unit int, in []*table.Alphabet,
	f func(table.Batch) error) error {
	column, err := a.letters(b, unit, in)
	if err != nil {
		return err
	}
	beside, err := a.openBesides(b, unit)
	defer func() {
		for _, c := range column {
			c.array.Release()
		}
		for _, c := range beside {
			c.array.Release()
		}
	}()
	if err != nil {
		return err
	}
	start := a.before
	for _, n := range a.rows[:min(unit, len(a.rows))] {
		start += n
	}
	buf := make([]int32, len(column)*table.BatchRows)
	batch := table.Batch{Unit: table.Unit{Group: unit}, Letters: make([][]int32, len(column)),
		Beside: make([]table.Values, len(beside))}
	for from := int64(0); from < b.Rows; from += table.BatchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch.Row = start + from
		n := int(min(b.Rows-from, table.BatchRows))
		for i, c := range column {
			batch.Letters[i] = buf[i*table.BatchRows:][:n:n]
			seen, err := c.next(batch.Letters[i], int(from), unit)
			if err != nil {
				return err
			}
			if !seen {
				return table.UnseenError(c.Name, batch.Row+int64(slices.Index(batch.Letters[i], table.Unseen)))
			}
		}
		for i, c := range beside {
			if batch.Beside[i], err = c.next(int(from), n, unit); err != nil {
				return err
			}
		}
		if err := f(batch); err != nil {
			return err
		}
	}
	return nil
}

// columnLetters gives the rows of one column of one record batch their letters.
type columnLetters struct {
	*privateColumn
	*letterLookup
	array *batch.Array
	block []int64  // integers
	key   []uint64 // packed text

	bins  *table.BinLetters // nil without bins
	cells *besideArray
}

// letters begins a record batch for the alphabets in, one per private column.
func (a *File) letters(b *batch.RecordBatch, unit int, in []*table.Alphabet) ([]*columnLetters, error) {
	if len(in) != len(a.private) {
		panic("splice: not one alphabet per private column")
	}
	lexicon := a.lexica.Of(in)
	column := make([]*columnLetters, len(in))
	for i, c := range a.private {
		if in[i].Type() != c.Type {
			return nil, table.Errorf("", "column %q is of type %s, its alphabet of type %s", c.Name, c.Type,
				in[i].Type())
		}
		l := &columnLetters{privateColumn: c}
		column[i] = l
		var err error
		if c.Bins != nil {
			if l.cells, err = a.openBeside(b, unit, c.cells); err != nil {
				return nil, err
			}
			l.array, l.bins = l.cells.array, table.NewBinLetters(&c.PrivateColumn, lexicon[i])
			continue
		}
		if l.array, err = a.array(b, unit, c); err != nil {
			return nil, err
		}
		if l.letterLookup, err = c.lookup(in[i], lexicon[i]); err != nil {
			return nil, err
		}
		switch {
		case c.dict != nil:
		case c.Type.Kind > table.Binary:
			l.block = make([]int64, table.BatchRows)
		default:
			l.key = make([]uint64, table.BatchRows)
		}
	}
	return column, nil
}

// next puts the letters of the rows from..from+len(dst) into dst, table.Unseen where
// a value has none, and reports whether all have one. It fails for an index
// outside the dictionary.
func (l *columnLetters) next(dst []int32, from, unit int) (seen bool, err error) {
	if l.bins != nil {
		v, err := l.cells.next(from, len(dst), unit)
		return err == nil && l.bins.Put(dst, &v), err
	}
	if l.key != nil {
		return l.nextText(dst, from), nil
	}
	if l.dict != nil {
		if !l.array.Gather(dst, from, l.letter, l.lexicon.Null) {
			return false, indexError(l.privateColumn, unit)
		}
		return !l.strange || !slices.Contains(dst, table.Unseen), nil
	}
	block := l.block[:len(dst)]
	l.array.Ints(block, from)
	if l.words != nil {
		return l.nextInts(dst, block, from), nil
	}
	return l.nextDense(dst, block, from), nil
}

func (l *columnLetters) nextDense(dst []int32, block []int64, from int) bool {
	seen := true
	nulls := l.array.Nulls > 0
	for i, v := range block {
		at := uint64(v) - uint64(l.base)
		switch {
		case nulls && l.array.Null(from+i):
			dst[i] = l.lexicon.Null
		case at < uint64(len(l.letter)):
			dst[i] = l.letter[at]
			seen = seen && dst[i] >= 0
		default:
			dst[i], seen = table.Unseen, false
		}
	}
	return seen
}

func (l *columnLetters) nextInts(dst []int32, block []int64, from int) bool {
	seen := true
	nulls := l.array.Nulls > 0
	for i, v := range block {
		if nulls && l.array.Null(from+i) {
			dst[i] = l.lexicon.Null
			continue
		}
		if dst[i] = l.words.get(uint64(v)); dst[i] < 0 {
			dst[i], seen = table.Unseen, false
		}
	}
	return seen
}

func (l *columnLetters) nextText(dst []int32, from int) bool {
	seen := true
	nulls := l.array.Nulls > 0
	key := l.key[:len(dst)]
	l.array.Pack(key, from)
	for i, k := range key {
		if nulls && l.array.Null(from+i) {
			dst[i] = l.lexicon.Null
			continue
		}
		at, ok := int32(-1), false
		if k == batch.Unpacked {
			at, ok = l.lexicon.Text[string(l.array.Bytes(from+i))]
		} else {
			at = l.words.get(k)
			ok = at >= 0
		}
		if dst[i] = at; !ok {
			dst[i], seen = table.Unseen, false
		}
	}
	return seen
}
