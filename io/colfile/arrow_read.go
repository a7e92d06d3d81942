package colfile

import (
	"context"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

// Read hands out the letters of one record batch in batches.
func (a *arrowFile) Read(ctx context.Context, group int, in []*Alphabet, f func(Batch) error) error {
	b, err := a.raw.Batch(group)
	if err != nil {
		return arrowError(fmt.Errorf("record batch %d: %w", group, err))
	}
	return a.read(ctx, b, group, in, f)
}

func (a *arrowFile) read(ctx context.Context, b *arrowraw.RecordBatch, unit int, in []*Alphabet, f func(Batch) error) error {
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
	var start int64
	for _, n := range a.rows[:unit] {
		start += n
	}
	buf := make([]int32, len(column)*batchRows)
	batch := Batch{Unit: Unit{Group: unit}, Letters: make([][]int32, len(column)), Beside: make([]Values, len(beside))}
	for from := int64(0); from < b.Rows; from += batchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch.Row = start + from
		n := int(min(b.Rows-from, batchRows))
		for i, c := range column {
			batch.Letters[i] = buf[i*batchRows:][:n:n]
			seen, err := c.next(batch.Letters[i], int(from), unit)
			if err != nil {
				return err
			}
			if !seen {
				return unseenError(c.name, batch.Row+int64(slices.Index(batch.Letters[i], unseen)))
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

// arrowLetters gives the rows of one column of one record batch their letters.
type arrowLetters struct {
	*arrowColumn
	*arrowLookup
	array *arrowraw.Array
	block []int64  // integers
	key   []uint64 // packed text
}

// letters begins a record batch for the alphabets in, one per private column.
func (a *arrowFile) letters(b *arrowraw.RecordBatch, unit int, in []*Alphabet) ([]*arrowLetters, error) {
	if len(in) != len(a.private) {
		panic("colfile: not one alphabet per private column")
	}
	lexicon := a.lexica.of(in)
	column := make([]*arrowLetters, len(in))
	for i, c := range a.private {
		if in[i].Type() != c.typ {
			return nil, inputErrorf("", "column %q is of type %s, its alphabet of type %s", c.name, c.typ, in[i].Type())
		}
		l := &arrowLetters{arrowColumn: c}
		var err error
		if l.array, err = a.array(b, unit, c); err != nil {
			return nil, err
		}
		if l.arrowLookup, err = c.lookup(in[i], lexicon[i]); err != nil {
			return nil, err
		}
		switch {
		case c.dict != nil:
		case c.typ.Kind > Binary:
			l.block = make([]int64, batchRows)
		default:
			l.key = make([]uint64, batchRows)
		}
		column[i] = l
	}
	return column, nil
}

// next puts the letters of the rows from..from+len(dst) into dst, unseen where
// a value has none, and reports whether all have one. It fails for an index
// outside the dictionary.
func (l *arrowLetters) next(dst []int32, from, unit int) (seen bool, err error) {
	if l.key != nil {
		return l.nextText(dst, from), nil
	}
	if l.dict != nil {
		if !l.array.Gather(dst, from, l.letter, l.lexicon.null) {
			return false, indexError(l.arrowColumn, unit)
		}
		return !l.strange || !slices.Contains(dst, unseen), nil
	}
	block := l.block[:len(dst)]
	l.array.Ints(block, from)
	if l.words != nil {
		return l.nextInts(dst, block, from), nil
	}
	return l.nextDense(dst, block, from), nil
}

func (l *arrowLetters) nextDense(dst []int32, block []int64, from int) bool {
	seen := true
	nulls := l.array.Nulls > 0
	for i, v := range block {
		at := uint64(v) - uint64(l.base)
		switch {
		case nulls && l.array.Null(from+i):
			dst[i] = l.lexicon.null
		case at < uint64(len(l.letter)):
			dst[i] = l.letter[at]
			seen = seen && dst[i] >= 0
		default:
			dst[i], seen = unseen, false
		}
	}
	return seen
}

func (l *arrowLetters) nextInts(dst []int32, block []int64, from int) bool {
	seen := true
	nulls := l.array.Nulls > 0
	for i, v := range block {
		if nulls && l.array.Null(from+i) {
			dst[i] = l.lexicon.null
			continue
		}
		if dst[i] = l.words.get(uint64(v)); dst[i] < 0 {
			dst[i], seen = unseen, false
		}
	}
	return seen
}

func (l *arrowLetters) nextText(dst []int32, from int) bool {
	seen := true
	nulls := l.array.Nulls > 0
	key := l.key[:len(dst)]
	l.array.Pack(key, from)
	for i, k := range key {
		if nulls && l.array.Null(from+i) {
			dst[i] = l.lexicon.null
			continue
		}
		letter, ok := int32(-1), false
		if k == arrowraw.Unpacked {
			letter, ok = l.lexicon.text[string(l.array.Bytes(from+i))]
		} else {
			letter = l.words.get(k)
			ok = letter >= 0
		}
		if dst[i] = letter; !ok {
			dst[i], seen = unseen, false
		}
	}
	return seen
}

func unseenError(column string, row int64) error {
	return &InputError{
		What: fmt.Sprintf("column %q, row %d: the value is not in the alphabet", column, row+1),
		Hint: "was the file changed, or the alphabet taken from another one?",
		Err:  ErrUnseen,
	}
}
