package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Binned is the private column at a place with the bins that r asks for, where BinsOf calls
// its cells so.
func (r *Request) Binned(at int, c PrivateColumn, of string) (PrivateColumn, error) {
	b, err := BinsOf(r.Bins[at], of)
	var refused *InputError
	if errors.As(err, &refused) {
		hint := refused.Hint
		if of == "" {
			hint = r.BinsHint()
		}
		return c, Errorf(hint, "column %q: %s", c.Name, refused.What)
	}
	c.Type = Type{Kind: Text, Bins: b}
	return c, err
}

// BinsHint is what to do where a column has no bins.
func (r *Request) BinsHint() string {
	if len(r.Private) > 1 {
		return "give --bins once for each private column, in the order of --column, and --bins '' for this one"
	}
	return "name a column of numbers, dates or timestamps"
}

// HasBins reports whether bins are asked of the private column at a place.
func (r *Request) HasBins(at int) bool { return at < len(r.Bins) && r.Bins[at] != "" }

// A binCount counts the cells of bins in one unit.
type binCount struct {
	*Binner
	count   []int64 // by place
	null    int64
	outside [noNumber + 1]int64
	place   []int32
}

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
		if c.count[at] == 0 {
			continue
		}
		if err := t.Put(Value{Bytes: c.Label(at)}, c.count[at], column); err != nil {
			return err
		}
	}
	return t.Check(column)
}

// noBin says that a cell is not what its column's bins are of.
func (c *PrivateColumn) noBin(row int64) error {
	if c.Type.Bins.Of == "timestamp" {
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
	lexicon *ColumnLexicon
	letter  []int32 // by place
}

// put puts the letters of cells into dst.
func (l *binLetters) put(dst []int32, v *Values) {
	l.Next(dst, v)
	for at := len(l.letter); at < len(l.ID); at++ {
		letter, ok := l.lexicon.Text[l.Label(at)]
		if !ok {
			letter = l.lexicon.Rest
		}
		l.letter = append(l.letter, letter)
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
