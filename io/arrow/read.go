package arrow

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tacet-privacy/tacet/io/table"
)

// Read hands out the letters of one record batch in batches.
func (a *File) Read(ctx context.Context, group int, in []*table.Alphabet, f func(table.Batch) error) error {
	return a.record(a.letters, group, func(r *reader, rec arrow.RecordBatch) error {
		return a.read(ctx, r, rec, group, in, f)
	})
}

func (a *File) read(ctx context.Context, r *reader, rec arrow.RecordBatch, unit int, in []*table.Alphabet,
	f func(table.Batch) error) error {
	private, beside, err := a.cells(r, rec, in)
	if err != nil {
		return err
	}
	start := a.before
	for _, n := range a.rows[:min(unit, len(a.rows))] {
		start += n
	}
	buf := make([]int32, len(private)*table.BatchRows)
	batch := table.Batch{Unit: table.Unit{Group: unit}, Letters: make([][]int32, len(private)),
		Beside: make([]table.Values, len(beside))}
	for from := int64(0); from < rec.NumRows(); from += table.BatchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch.Row = start + from
		n := int(min(rec.NumRows()-from, table.BatchRows))
		err := guarded("decoding a column", func() (err error) {
			for i, c := range private {
				batch.Letters[i] = buf[i*table.BatchRows:][:n:n]
				if err := c.put(batch.Letters[i], int(from)); err != nil {
					return err
				}
				if at := slices.Index(batch.Letters[i], table.Unseen); at >= 0 {
					return table.UnseenError(c.Name, batch.Row+int64(at))
				}
			}
			for i, c := range beside {
				if batch.Beside[i], err = c.next(int(from), n); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = f(batch)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cells opens all columns of a record batch that are read, for these alphabets.
func (a *File) cells(r *reader, rec arrow.RecordBatch, in []*table.Alphabet) (private []*lettered, beside []*cells,
	err error) {
	defer guard("decoding a column", &err)
	if len(in) != len(a.private) {
		panic("not one alphabet per private column")
	}
	lexicon := a.lexica.Of(in)
	for i, c := range a.private {
		if in[i].Type() != c.Type {
			return nil, nil, table.Errorf("", "column %q is of type %s, its alphabet of type %s", c.Name, c.Type,
				in[i].Type())
		}
		one, err := c.open(rec.Column(r.at[c.Top]))
		if err != nil {
			return nil, nil, err
		}
		l := &lettered{cells: one, lexicon: lexicon[i]}
		if c.Bins != nil {
			l.bins = table.NewBinLetters(&c.PrivateColumn, lexicon[i])
		}
		private = append(private, l)
	}
	for _, c := range a.beside {
		one, err := c.open(rec.Column(r.at[c.Top]))
		if err != nil {
			return nil, nil, err
		}
		beside = append(beside, one)
	}
	return private, beside, nil
}

// lettered are cells with their letters.
type lettered struct {
	*cells
	lexicon *table.ColumnLexicon
	bins    *table.BinLetters // nil without bins
	found   found
}

// put puts the letters of the rows from..from+len(dst) into dst, table.Unseen where a value
// has none.
func (l *lettered) put(dst []int32, from int) error {
	v, err := l.next(from, len(dst))
	switch {
	case err != nil:
	case l.bins != nil:
		l.bins.Put(dst, &v)
	default:
		l.found.put(dst, &v, l.cells, l.lexicon.Null, l.letter)
	}
	return err
}

// letter looks up the value at a place.
func (l *lettered) letter(at int) int32 {
	var letter int32
	var ok bool
	if l.column.Type.Kind <= table.Binary {
		letter, ok = l.lexicon.Text[string(l.Source.Bytes(at))]
	} else {
		letter, ok = l.lexicon.Ints[l.Source.Int(at)]
	}
	if !ok {
		return table.Unseen
	}
	return letter
}

// A found remembers what was found for values: for all of one dictionary, and for numbers
// and short texts that were met lately.
type found struct {
	entry  []int32 // of the dictionary, unknown where it was not looked up
	recent table.Recent
}

const unknown = table.Unseen - 1

// put puts what find gives for the values of rows into dst.
func (r *found) put(dst []int32, v *table.Values, c *cells, null int32, find func(at int) int32) {
	if r.entry == nil && v.Entries > 0 {
		r.entry = slices.Repeat([]int32{unknown}, v.Entries)
	}
	for i, code := range v.Code {
		switch {
		case code < 0:
			dst[i] = null
		case c.index == nil:
			dst[i] = r.lately(c, int(code), find)
		default:
			if r.entry[code] == unknown {
				r.entry[code] = find(int(code))
			}
			dst[i] = r.entry[code]
		}
	}
}

func (r *found) lately(c *cells, at int, find func(at int) int32) int32 {
	var key uint64
	if c.column.Type.Kind > table.Binary {
		key = uint64(c.Source.Int(at))
	} else {
		short := false
		if key, short = table.ShortKey(c.Source.Bytes(at)); !short {
			return find(at)
		}
	}
	n, ok := r.recent.Get(key)
	if !ok {
		n = find(at)
		r.recent.Put(key, n)
	}
	return n
}
