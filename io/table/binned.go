package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Binning is asked of a private column: bins by their spec, "" for none, and what
// is published of them.
type Binning struct{ Spec, As string }

// Binned is the private column at a place with the bins that r asks for. Its cells are
// of type cell; own is the type of its values without bins, where Tacet has that.
func (r *Request) Binned(at int, c PrivateColumn, cell CellType, own Type) (PrivateColumn, error) {
	if !r.HasBins(at) {
		exact, _ := exactType(cell.ExactName())
		each := eachOf(exact)
		c.Bins, c.Type = each, Type{Kind: Text, Bins: each}
		return c, nil
	}
	of := cell.CellName()
	if r.Bins[at].As != BinText {
		of = cell.ExactName()
	}
	b, err := r.binsOf(at, c, of)
	if err != nil {
		return c, err
	}
	if c.Type = (Type{Kind: Text}); b.As != BinText && !b.Exact() {
		if own.Kind <= Binary { // durations have numbers, and no values here
			return c, Errorf("publish the bins as text", "column %q has a type of which bins are published as text alone",
				c.Name)
		}
		c.Type = own
	}
	c.Bins, c.Type.Bins = b, b
	return c, nil
}

// binsOf is the rule for cells that BinsOf calls so.
func (r *Request) binsOf(at int, c PrivateColumn, of string) (*Bins, error) {
	b, err := BinsOf(r.Bins[at].Spec, of, r.Bins[at].As)
	if err != nil {
		var refused *InputError
		if errors.As(err, &refused) {
			hint := refused.Hint
			if of == "" {
				hint = r.BinsHint()
			}
			return nil, Errorf(hint, "column %q: %s", c.Name, refused.What)
		}
	}
	return b, err
}

// InBins reports whether the private column at a place, with cells of this type, is one
// that Binned is to be asked about.
func (r *Request) InBins(at int, cell CellType) bool {
	_, exact := exactType(cell.ExactName())
	return r.HasBins(at) || r.Values && exact
}

// BinsHint is what to do where a column has no bins.
func (r *Request) BinsHint() string {
	if len(r.Private) > 1 {
		return "give --bins once for each private column, in the order of --column, and --bins '' for this one"
	}
	return "name a column of numbers, dates or timestamps"
}

// HasBins reports whether bins are asked of the private column at a place.
func (r *Request) HasBins(at int) bool { return at < len(r.Bins) && r.Bins[at].Spec != "" }

// A binCount counts the cells of bins in one unit.
type binCount struct {
	*Binner
	count   []int64 // by place
	null    int64
	outside [noNumber + 1]int64
	place   []int32
}

// newBinCount begins a unit.
func newBinCount(b *Bins) *binCount { return &binCount{Binner: NewBinner(b)} }

// add counts cells, and says which is the first one that is text and no number: -1
// where none is.
func (c *binCount) add(v *Values) (text int) {
	c.place = slices.Grow(c.place[:0], len(v.Code))[:len(v.Code)]
	c.Next(c.place, v)
	for grow := len(c.ID) - len(c.count); grow > 0; grow-- {
		c.count = append(c.count, 0)
	}
	for _, at := range c.place {
		switch {
		case at >= 0:
			c.count[at]++
		case at == nullBin:
			c.null++
		default:
			c.outside[nullBin-at]++
		}
	}
	if text = -1; v.Type.Form == TextCells {
		text = slices.IndexFunc(c.place, func(at int32) bool { return at == nullBin-int32(noNumber) })
	}
	return text
}

// into adds what was counted to the total of the column, which the caller locks.
func (c *binCount) into(t *Tally, column *PrivateColumn) error {
	t.Null += c.null
	for i, n := range c.outside {
		t.outside[i] += n
	}
	for at := range c.ID {
		v, err := column.Type.Parse(c.Label(at))
		if err != nil {
			return Errorf("publish the bins as text", "column %q: the %s of a bin is no value of type %s", column.Name,
				c.bins.part(), column.Type)
		}
		if c.count[at] == 0 {
			continue
		}
		if err := t.Put(v, c.count[at], column); err != nil {
			return err
		}
	}
	return t.Check(column)
}

// noBin says that a cell is not what its column's bins are of.
func (c *PrivateColumn) noBin(row int64) error {
	if c.Bins.Of == "timestamp" {
		return Errorf("write dates as 2020-01-31 or 2020-01-31T06:00:00, and leave unknown ones empty",
			"column %q, row %d: the cell is no date", c.Name, row+1)
	}
	return Errorf("write plain numbers such as 12.5, and leave unknown ones empty",
		"column %q, row %d: the cell is no plain number", c.Name, row+1)
}

// Refuse fails where cells have no bin, and says how many.
func (t *Tally) Refuse(c *PrivateColumn) error {
	var said []string
	for i, name := range []string{"", "below the first bin", "above the last bin", "not a number (NaN)"} {
		if n := t.outside[i]; n == 1 {
			said = append(said, "1 record is "+name)
		} else if n > 0 {
			said = append(said, fmt.Sprintf("%d records are %s", n, name))
		}
	}
	if said == nil {
		return nil
	}
	hint := "give edges that hold all values, or -inf as the first and inf as the last edge"
	if t.outside[Below]+t.outside[Above] == 0 {
		hint = "write NaN as null, and choose what nulls are with --null, or leave these rows out"
	}
	return Errorf(hint, "column %q: %s", c.Name, strings.Join(said, ", "))
}

// binLetters gives the cells of one unit the letters of their bins.
type binLetters struct {
	*Binner
	typ     Type
	lexicon *ColumnLexicon
	letter  []int32 // by place
}

// newBinLetters begins a unit of column c.
func newBinLetters(c *PrivateColumn, l *ColumnLexicon) *binLetters {
	return &binLetters{Binner: NewBinner(c.Bins), typ: c.Type, lexicon: l}
}

// put puts the letters of cells into dst.
func (l *binLetters) put(dst []int32, v *Values) {
	l.Next(dst, v)
	for at := len(l.letter); at < len(l.ID); at++ {
		l.letter = append(l.letter, l.lexicon.of(l.typ, l.Label(at)))
	}
	for i, at := range dst {
		switch {
		case at >= 0:
			dst[i] = l.letter[at]
		case at == nullBin:
			dst[i] = l.lexicon.Null
		default:
			dst[i] = Unseen
		}
	}
}

// of is the letter of a label, Unseen where it has none.
func (l *ColumnLexicon) of(t Type, label string) int32 {
	v, err := t.Parse(label)
	at, ok := l.Text[v.Bytes]
	if t.Kind > Binary {
		at, ok = l.Ints[v.Int]
	}
	if err != nil || !ok {
		return Unseen
	}
	return at
}
