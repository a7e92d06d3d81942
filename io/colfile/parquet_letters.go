package colfile

import (
	"fmt"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/parquetraw/page"
)

// columnLetters maps the codes of one chunk to letters.
type columnLetters struct {
	*privateColumn
	chunk   *page.Reader
	lexicon *columnLexicon
	known   int // codes that have a letter
	letter  *codeLetters
	wide    []int32 // letters of null and by code+1, where codes are too many for letter
	strange bool    // there are codes of unseen values
}

// codeLetters holds letters by the lower half of a code, in which null is the
// last: a table that needs no bounds to be checked.
type codeLetters [1 << 16]int32

var codeTables = sync.Pool{New: func() any { return new(codeLetters) }}

// unseen stands for a value outside the alphabet.
const unseen = -2

// begin makes the table ready.
func (c columnLetters) begin() columnLetters {
	c.letter = codeTables.Get().(*codeLetters)
	c.letter[len(c.letter)-1] = c.lexicon.null
	return c
}

// close gives buffers back.
func (c *columnLetters) close() {
	c.chunk.Close()
	codeTables.Put(c.letter)
}

// next puts the letters of the next rows, the first of which is row, into dst.
func (c *columnLetters) next(dst []int32, row int64) (err error) {
	defer recovered(&err)
	if _, err := c.chunk.Next(dst); err != nil {
		return parquetError(err)
	}
	c.learn()
	if c.wide == nil {
		c.letter.replace(dst)
	} else {
		for i, code := range dst {
			dst[i] = c.wide[code+1]
		}
	}
	if c.strange {
		if i := slices.Index(dst, unseen); i >= 0 {
			return &InputError{
				What: fmt.Sprintf("column %q, row %d: the value is not in the alphabet", c.name, row+int64(i)+1),
				Hint: "was the file changed, or the alphabet taken from another one?",
				Err:  ErrUnseen,
			}
		}
	}
	return nil
}

// learn finds the letters of codes that are new.
func (c *columnLetters) learn() {
	codes := c.chunk.Codes()
	if c.wide == nil && codes >= len(c.letter) { // the last place is that of null
		c.wide = append(append(make([]int32, 0, codes+1), c.lexicon.null), c.letter[:c.known]...)
	}
	for ; c.known < codes; c.known++ {
		letter, ok := c.look(c.known)
		if !ok {
			letter, c.strange = unseen, true
		}
		if c.wide != nil {
			c.wide = append(c.wide, letter)
		} else {
			c.letter[c.known] = letter
		}
	}
}

func (c *columnLetters) look(code int) (letter int32, ok bool) {
	if c.typ.Kind <= Binary {
		letter, ok = c.lexicon.text[string(c.chunk.Bytes(code))]
		return letter, ok
	}
	v, ok := parquetInt(c.typ, c.chunk.Int(code))
	if ok {
		letter, ok = c.lexicon.ints[v]
	}
	return letter, ok
}

// replace makes codes letters.
func (t *codeLetters) replace(code []int32) {
	for len(code) >= 8 {
		c := code[:8:8]
		c[0], c[1], c[2], c[3] = t[uint16(c[0])], t[uint16(c[1])], t[uint16(c[2])], t[uint16(c[3])]
		c[4], c[5], c[6], c[7] = t[uint16(c[4])], t[uint16(c[5])], t[uint16(c[6])], t[uint16(c[7])]
		code = code[8:]
	}
	for i, c := range code {
		code[i] = t[uint16(c)]
	}
}
