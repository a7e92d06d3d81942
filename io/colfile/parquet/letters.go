package parquet

import (
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/colfile/letter"
	"github.com/tacet-privacy/tacet/io/parquetraw/page"
)

// columnLetters maps the codes of one chunk to letters.
type columnLetters struct {
	*letter.Column
	chunk   *page.Reader
	lexicon *letter.ColumnLexicon
	known   int // codes that have a letter
	letter  *codeLetters
	wide    []int32 // letters of null and by code+1, where codes are too many for letter
	strange bool    // there are codes of unseen values
}

// codeLetters holds letters by the lower half of a code, in which null is the
// last: a table that needs no bounds to be checked.
type codeLetters [1 << 16]int32

var codeTables = sync.Pool{New: func() any { return new(codeLetters) }}

// begin makes the table ready.
func (c columnLetters) begin() columnLetters {
	c.letter = codeTables.Get().(*codeLetters)
	c.letter[len(c.letter)-1] = c.lexicon.Null
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
		return inputError(err)
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
		if i := slices.Index(dst, letter.Unseen); i >= 0 {
			return letter.UnseenError(c.Name, row+int64(i))
		}
	}
	return nil
}

// learn finds the letters of codes that are new.
func (c *columnLetters) learn() {
	codes := c.chunk.Codes()
	if c.wide == nil && codes >= len(c.letter) { // the last place is that of null
		c.wide = append(append(make([]int32, 0, codes+1), c.lexicon.Null), c.letter[:c.known]...)
	}
	for ; c.known < codes; c.known++ {
		at, ok := c.look(c.known)
		if !ok {
			at, c.strange = letter.Unseen, true
		}
		if c.wide != nil {
			c.wide = append(c.wide, at)
		} else {
			c.letter[c.known] = at
		}
	}
}

func (c *columnLetters) look(code int) (at int32, ok bool) {
	if c.Type.Kind <= letter.Binary {
		at, ok = c.lexicon.Text[string(c.chunk.Bytes(code))]
		return at, ok
	}
	v, ok := integer(c.Type, c.chunk.Int(code))
	if ok {
		at, ok = c.lexicon.Ints[v]
	}
	return at, ok
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
