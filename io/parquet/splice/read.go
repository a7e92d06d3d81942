package splice

import (
	"context"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/table"
)

// Read hands out the letters of one row group in batches.
func (p *File) Read(ctx context.Context, group int, in []*table.Alphabet, f func(table.Batch) error) error {
	if p.nested != nil {
		return p.readNested(ctx, group, f)
	}
	g, err := p.openLetters(group, in)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.each(ctx, group, f)
}

// each hands out all batches of the row group.
func (g *groupLetters) each(ctx context.Context, group int, f func(table.Batch) error) error {
	letters := make([][]int32, len(g.column))
	for i := range letters {
		letters[i] = make([]int32, table.BatchRows)
	}
	b := table.Batch{Unit: table.Unit{Group: group}, Letters: make([][]int32, len(letters))}
	for g.left > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Row = g.row
		n := int(min(g.left, table.BatchRows))
		for i := range g.column {
			b.Letters[i] = letters[i][:n]
			if err := g.column[i].next(b.Letters[i], g.row); err != nil {
				return err
			}
		}
		b.Beside = g.values[:0]
		for _, c := range g.beside {
			v, err := c.next(n)
			if err != nil {
				return err
			}
			b.Beside = append(b.Beside, v)
		}
		g.values = b.Beside
		g.row, g.left = g.row+int64(n), g.left-int64(n)
		if err := f(b); err != nil {
			return err
		}
	}
	return nil
}

// groupLetters reads the letters of all private columns of a row group side
// by side, whatever their pages are.
type groupLetters struct {
	row    int64 // the next one in the file
	left   int64
	column []columnLetters
	beside []*besideChunk
	values []table.Values
}

// openLetters begins row group group for the alphabets in, one per private
// column. Several may be read at once.
func (p *File) openLetters(group int, in []*table.Alphabet) (_ *groupLetters, err error) {
	defer recovered(&err)
	if len(in) != len(p.private) {
		panic("splice: not one alphabet per private column")
	}
	lexicon := p.lexica.Of(in)
	g := &groupLetters{row: p.footer.Groups[group].Row, left: p.footer.Groups[group].Rows}
	for i := range p.private {
		c := columnLetters{PrivateColumn: &p.private[i], lexicon: lexicon[i]}
		if c.Bins != nil {
			if c.cells, err = p.openBeside(group, &p.binned[i]); err != nil {
				g.Close()
				return nil, err
			}
			c.bins = table.NewBinLetters(c.PrivateColumn, c.lexicon)
			g.column = append(g.column, c)
			continue
		}
		if c.chunk, err = page.OpenChunk(p.footer, p.in, group, c.Leaf); err != nil {
			g.Close()
			return nil, inputError(err)
		}
		g.column = append(g.column, c.begin())
	}
	for i := range p.beside {
		c, err := p.openBeside(group, &p.beside[i])
		if err != nil {
			g.Close()
			return nil, err
		}
		g.beside = append(g.beside, c)
	}
	return g, nil
}

// Close gives buffers back.
func (g *groupLetters) Close() {
	for i := range g.column {
		g.column[i].close()
	}
	for _, c := range g.beside {
		c.chunk.Close()
	}
}

// columnLetters maps the codes of one chunk to letters.
type columnLetters struct {
	*table.PrivateColumn
	chunk   *page.Reader
	lexicon *table.ColumnLexicon
	known   int // codes that have a letter
	letter  *codeLetters
	wide    []int32 // letters of null and by code+1, where codes are too many for letter
	strange bool    // there are codes of unseen values

	bins  *table.BinLetters // nil without bins; then chunk is nil
	cells *besideChunk
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
	if c.bins != nil {
		c.cells.chunk.Close()
		return
	}
	c.chunk.Close()
	codeTables.Put(c.letter)
}

// next puts the letters of the next rows, the first of which is row, into dst.
func (c *columnLetters) next(dst []int32, row int64) (err error) {
	defer recovered(&err)
	if c.bins != nil {
		return c.nextBins(dst, row)
	}
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
		if i := slices.Index(dst, table.Unseen); i >= 0 {
			return table.UnseenError(c.Name, row+int64(i))
		}
	}
	return nil
}

// nextBins puts the letters of bins.
func (c *columnLetters) nextBins(dst []int32, row int64) error {
	v, err := c.cells.next(len(dst))
	if err == nil && !c.bins.Put(dst, &v) {
		err = table.UnseenError(c.Name, row+int64(slices.Index(dst, table.Unseen)))
	}
	return err
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
			at, c.strange = table.Unseen, true
		}
		if c.wide != nil {
			c.wide = append(c.wide, at)
		} else {
			c.letter[c.known] = at
		}
	}
}

func (c *columnLetters) look(code int) (at int32, ok bool) {
	if c.Type.Kind <= table.Binary {
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
