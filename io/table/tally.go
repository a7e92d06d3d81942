package table

import (
	"slices"
	"sync"
)

const (
	// Max bounds an alphabet, null included: ranks are 16 bits wide.
	MaxLetters = 65535
	// maxLabels bounds the bytes of an alphabet's values.
	maxLabels = 64 << 20
	// firstDay and lastDay are 0000-01-01 and 9999-12-31, in days from 1970 on:
	// what a label can say.
	firstDay, lastDay = -719528, 2932896
)

// A Tally counts the values of a column over all chunks. Who shares it locks
// it.
type Tally struct {
	sync.Mutex
	Value []Value         // in the order in which they were met
	Count []int64         // of every value
	Null  int64           // how many nulls
	at    map[Value]int32 // place in Value
	bytes int             // of all texts

	outside [noNumber + 1]int64 // cells without a bin, by reason
}

// Put counts n more of a value of column c.
func (t *Tally) Put(v Value, n int64, c *PrivateColumn) error {
	at, err := t.place([]byte(v.Bytes), v.Int, c)
	if err == nil {
		t.Count[at] += n
	}
	return err
}

// place is the place of a text, or of what else a value of column c is, which is new where it
// was not met before.
func (t *Tally) place(text []byte, n int64, c *PrivateColumn) (int32, error) {
	if at, known := t.at[Value{string(text), n}]; known {
		return at, nil
	}
	v, at := Value{string(text), n}, int32(len(t.Value))
	if t.at == nil {
		t.at = make(map[Value]int32)
	}
	t.at[v] = at
	t.Value, t.Count, t.bytes = append(t.Value, v), append(t.Count, 0), t.bytes+len(text)
	if err := c.Type.holds(v); err != nil {
		return at, Errorf(err.Hint, "column %q holds %s", c.Name, err.What)
	}
	return at, t.Check(c)
}

// holds refuses a value that a column of the type may store, and that is none of it.
func (t Type) holds(v Value) *InputError {
	narrow := t.Kind == Integer && t.Bits < 64
	switch {
	case t.Kind == Date && (v.Int < firstDay || v.Int > lastDay):
		return Errorf("remove these rows, or write the column as strings", "a date outside the years 0 to 9999")
	case narrow && t.Unsigned && v.Int>>t.Bits != 0, narrow && !t.Unsigned && v.Int>>(t.Bits-1) != v.Int>>63:
		return Errorf("write the file again", "a number outside the type %s", t)
	}
	return nil
}

// Check holds the alphabet to its bounds.
func (t *Tally) Check(c *PrivateColumn) error {
	const hint = "such a column is not categorical: group its values first"
	letters := len(t.Value)
	if t.Null > 0 {
		letters++
	}
	switch {
	case letters > MaxLetters:
		return Errorf(hint, "column %q has more than %d distinct values", c.Name, MaxLetters)
	case t.bytes > maxLabels:
		return Errorf(hint, "the distinct values of column %q are longer than %d MiB in all", c.Name, maxLabels>>20)
	}
	return nil
}

// Alphabet sorts the values, null last.
func (t *Tally) Alphabet(typ Type) (*Alphabet, []int64) {
	order := make([]int, len(t.Value))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return typ.Compare(t.Value[i], t.Value[j]) })
	value, count := make([]Value, len(order)), make([]int64, len(order), len(order)+1)
	for i, at := range order {
		value[i], count[i] = t.Value[at], t.Count[at]
	}
	if t.Null > 0 {
		count = append(count, t.Null)
	}
	return NewAlphabet(typ, value, t.Null > 0), count
}

// A PrivateColumn is a flat column whose values become letters.
type PrivateColumn struct {
	Name string
	Top  int // among the file's top-level columns
	Leaf int // among the leaves
	Type Type
	Null bool // may hold nulls
}

// Writes reports whether values of type t are written in the column's own type; if
// not, they are written as text.
func (c *PrivateColumn) Writes(t Type) bool { return t == c.Type && c.Type.Bins == nil }
