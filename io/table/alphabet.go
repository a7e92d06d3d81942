package table

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// An Alphabet lists the letters of a column. Null, where it is a letter, is
// the last one.
type Alphabet struct {
	typ   Type
	value []Value
	null  bool
	rest  int32 // letter of every value that is not listed; Unseen where that has none
	once  sync.Once
	index map[Value]int32
}

// NewAlphabet takes distinct values in the order their letters shall have.
func NewAlphabet(t Type, value []Value, null bool) *Alphabet {
	return &Alphabet{typ: t, value: value, null: null, rest: Unseen}
}

// ParseAlphabet makes the alphabet of these labels, in their order. It fails
// where a label is no value of type t, naming its place, or stands twice.
func ParseAlphabet(t Type, label []string, null bool) (*Alphabet, error) {
	a := NewAlphabet(t, nil, null)
	seen := make(map[Value]bool, len(label))
	for i, s := range label {
		v, err := t.Parse(s)
		if err != nil {
			return nil, fmt.Errorf("output letter %d: %w", i+1, err)
		}
		if seen[v] {
			return nil, fmt.Errorf("output value %d appears twice", i+1)
		}
		seen[v] = true
		a.value = append(a.value, v)
	}
	return a, nil
}

// Type of the column.
func (a *Alphabet) Type() Type { return a.typ }

// Len counts the letters, null included.
func (a *Alphabet) Len() int {
	if a.null {
		return len(a.value) + 1
	}
	return len(a.value)
}

// Null is the letter of null, -1 if null is no letter.
func (a *Alphabet) Null() int32 {
	if a.null {
		return int32(len(a.value))
	}
	return -1
}

// Values are the letters that are not null. The caller must not change them.
func (a *Alphabet) Values() []Value { return a.value }

// Labels are the labels of the letters that are not null.
func (a *Alphabet) Labels() []string {
	label := make([]string, len(a.value))
	for i, v := range a.value {
		label[i] = a.typ.Label(v)
	}
	return label
}

// Without is the alphabet with null no longer a letter.
func (a *Alphabet) Without() *Alphabet {
	return &Alphabet{typ: a.typ, value: a.value, rest: a.rest}
}

// Else is the alphabet in which every value that it does not list is this letter.
func (a *Alphabet) Else(letter int) *Alphabet {
	return &Alphabet{typ: a.typ, value: a.value, null: a.null, rest: int32(letter)}
}

// Index maps every value that is listed to its letter. The caller must not change it.
func (a *Alphabet) Index() map[Value]int32 {
	a.once.Do(func() {
		a.index = make(map[Value]int32, len(a.value))
		for i, v := range a.value {
			a.index[v] = int32(i)
		}
	})
	return a.index
}

// Over gives every letter of a its letter in b, below 0 where it has none there.
func (a *Alphabet) Over(b *Alphabet) []int32 {
	index, at := b.Index(), make([]int32, 0, a.Len())
	for _, v := range a.value {
		letter, listed := index[v]
		if !listed {
			letter = b.rest
		}
		at = append(at, letter)
	}
	if a.null {
		at = append(at, b.Null())
	}
	return at
}

// Sorted returns the letters that are not null by ascending value, as
// dictionaries are written.
func (a *Alphabet) Sorted() []int32 {
	order := make([]int32, len(a.value))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return a.typ.Compare(a.value[i], a.value[j]) })
	return order
}

// ErrUnseen marks a cell whose value is not in the alphabet given to Read or
// Rewrite. Test with errors.Is.
var ErrUnseen = errors.New("value outside the alphabet")

// Unseen stands for a value outside the alphabet.
const Unseen = -2

// isUnseen reports whether a number is no letter and no null.
func isUnseen(letter int32) bool { return letter <= Unseen }

// UnseenError says that a row, counted from 0, holds a value that has no
// letter.
func UnseenError(column string, row int64) error {
	return &InputError{
		What: fmt.Sprintf("column %q, row %d: the value is not among the values counted before", column, row+1),
		Hint: "run again with the file that the values were counted in",
		Err:  ErrUnseen,
	}
}
