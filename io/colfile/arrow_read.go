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
	var start int64
	for _, n := range a.rows[:unit] {
		start += n
	}
	buf := make([]int32, len(column)*batchRows)
	batch := Batch{Unit: Unit{Group: unit}, Letters: make([][]int32, len(column))}
	for from := int64(0); from < b.Rows; from += batchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch.Row = start + from
		n := int(min(b.Rows-from, batchRows))
		for i, c := range column {
			batch.Letters[i] = buf[i*batchRows:][:n:n]
			if !c.next(batch.Letters[i], int(from)) {
				return indexError(c.arrowColumn, unit)
			}
			if at := slices.Index(batch.Letters[i], unseen); at >= 0 {
				return unseenError(c.name, batch.Row+int64(at))
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
	array   *arrowraw.Array
	lexicon *columnLexicon
	letter  []int32 // by dictionary index, or by value less base
	base    int64
	block   []int64
}

// maxDense bounds how far integers may spread to be looked up by position.
const maxDense = 1 << 16

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
		l := &arrowLetters{arrowColumn: c, lexicon: lexicon[i]}
		var err error
		if l.array, err = a.array(b, unit, c); err != nil {
			return nil, err
		}
		switch {
		case c.dict != nil:
			d, err := c.dict()
			if err != nil {
				return nil, err
			}
			l.letter = c.codes.of(d, lexicon[i], c.typ)
		case c.typ.Kind > Binary:
			l.dense(in[i])
		}
		if c.dict != nil || c.typ.Kind > Binary {
			l.block = make([]int64, batchRows)
		}
		column[i] = l
	}
	return column, nil
}

// dense looks integers up by position where they lie close together.
func (l *arrowLetters) dense(in *Alphabet) {
	value := in.Values()
	if len(value) == 0 {
		return
	}
	least, most := value[0].Int, value[0].Int
	for _, v := range value {
		least, most = min(least, v.Int), max(most, v.Int)
	}
	if spread := uint64(most) - uint64(least); spread < maxDense {
		l.base, l.letter = least, slices.Repeat([]int32{unseen}, int(spread)+1)
		for i, v := range value {
			l.letter[v.Int-least] = int32(i)
		}
	}
}

// next puts the letters of the rows from..from+len(dst) into dst; unseen where
// a value has none. It fails for an index outside the dictionary.
func (l *arrowLetters) next(dst []int32, from int) bool {
	if l.block == nil {
		for i := range dst {
			dst[i] = l.lexicon.null
			if !l.array.Null(from + i) {
				letter, ok := l.lexicon.text[string(l.array.Bytes(from+i))]
				if dst[i] = letter; !ok {
					dst[i] = unseen
				}
			}
		}
		return true
	}
	block := l.block[:len(dst)]
	l.array.Ints(block, from)
	if l.dict != nil {
		return l.gather(dst, block, from)
	}
	if l.letter != nil {
		for i := range block {
			block[i] -= l.base
		}
		l.gather(dst, block, from)
		return true
	}
	for i, v := range block {
		dst[i] = l.lexicon.null
		if !l.array.Null(from + i) {
			letter, ok := l.lexicon.ints[v]
			if dst[i] = letter; !ok {
				dst[i] = unseen
			}
		}
	}
	return true
}

// gather looks letters up by position, and reports whether all were inside.
func (l *arrowLetters) gather(dst []int32, block []int64, from int) bool {
	inside := true
	nulls := l.array.Nulls > 0
	for i, code := range block {
		switch {
		case nulls && l.array.Null(from+i):
			dst[i] = l.lexicon.null
		case uint64(code) < uint64(len(l.letter)):
			dst[i] = l.letter[code]
		default:
			dst[i], inside = unseen, false
		}
	}
	return inside
}

func unseenError(column string, row int64) error {
	return &InputError{
		What: fmt.Sprintf("column %q, row %d: the value is not in the alphabet", column, row+1),
		Hint: "was the file changed, or the alphabet taken from another one?",
		Err:  ErrUnseen,
	}
}
