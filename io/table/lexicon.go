package table

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrUnseen marks a cell whose value is not in the alphabet given to Read or
// Rewrite. Test with errors.Is.
var ErrUnseen = errors.New("value outside the alphabet")

// Unseen stands for a value outside the alphabet.
const Unseen = -2

// A Lexicon gives values their letters, column by column.
type Lexicon struct {
	sync.Mutex
	in     []*Alphabet
	column []*ColumnLexicon
}

// A ColumnLexicon has the letters of one column: of texts, of all else, and of
// null, -1 where that is no letter.
type ColumnLexicon struct {
	Text map[string]int32
	Ints map[int64]int32
	Null int32
}

// Of builds the lexicon of these alphabets, or returns the one built last.
func (l *Lexicon) Of(in []*Alphabet) []*ColumnLexicon {
	l.Lock()
	defer l.Unlock()
	if l.column != nil && slices.Equal(l.in, in) {
		return l.column
	}
	l.in, l.column = slices.Clone(in), make([]*ColumnLexicon, len(in))
	for i, a := range in {
		c := &ColumnLexicon{make(map[string]int32), make(map[int64]int32), a.Null()}
		for letter, v := range a.Values() {
			if a.Type().Kind <= Binary {
				c.Text[v.Bytes] = int32(letter)
			} else {
				c.Ints[v.Int] = int32(letter)
			}
		}
		l.column[i] = c
	}
	return l.column
}

// UnseenError says that a row, counted from 0, holds a value that has no
// letter.
func UnseenError(column string, row int64) error {
	return &InputError{
		What: fmt.Sprintf("column %q, row %d: the value is not among the values counted before", column, row+1),
		Hint: "run again with the file that the values were counted in",
		Err:  ErrUnseen,
	}
}
