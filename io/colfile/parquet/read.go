package parquet

import (
	"context"
	"io"

	"github.com/tacet-privacy/tacet/io/colfile/cell"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
)

// Read hands out the letters of one row group in batches.
func (p *File) Read(ctx context.Context, group int, in []*letter.Alphabet, f func(letter.Batch) error) error {
	g, err := p.openLetters(group, in)
	if err != nil {
		return err
	}
	defer g.Close()
	letters := make([][]int32, len(p.private))
	for i := range letters {
		letters[i] = make([]int32, letter.BatchRows)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := g.row
		n, err := g.Next(letters)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b := letter.Batch{Unit: letter.Unit{Group: group}, Row: row, Letters: make([][]int32, len(letters))}
		if b.Beside, err = g.Beside(n); err != nil {
			return err
		}
		for i := range letters {
			b.Letters[i] = letters[i][:n]
		}
		if err := f(b); err != nil {
			return err
		}
	}
}

// groupLetters reads the letters of all private columns of a row group side
// by side, whatever their pages are.
type groupLetters struct {
	row    int64 // the next one in the file
	left   int64
	column []columnLetters
	beside []*besideChunk
	values []cell.Values
}

// openLetters begins row group group for the alphabets in, one per private
// column. Several may be read at once.
func (p *File) openLetters(group int, in []*letter.Alphabet) (_ *groupLetters, err error) {
	defer recovered(&err)
	if len(in) != len(p.private) {
		panic("colfile: not one alphabet per private column")
	}
	lexicon := p.lexica.Of(in)
	g := &groupLetters{row: p.footer.Groups[group].Row, left: p.footer.Groups[group].Rows}
	for i := range p.private {
		c := columnLetters{Column: &p.private[i], lexicon: lexicon[i]}
		if c.chunk, err = p.footer.OpenChunk(p.in, group, c.Leaf); err != nil {
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

// Beside are the values beside the n rows that Next returned last.
func (g *groupLetters) Beside(n int) ([]cell.Values, error) {
	g.values = g.values[:0]
	for _, c := range g.beside {
		v, err := c.next(n)
		if err != nil {
			return nil, err
		}
		g.values = append(g.values, v)
	}
	return g.values, nil
}

// Next puts the letters of the next rows into letters, as many as these
// slices, all of one length, have place for, and returns how many: fewer only
// at the end of the row group, and io.EOF with 0 behind it. A null is -1
// where it is no letter.
func (g *groupLetters) Next(letters [][]int32) (n int, err error) {
	if g.left == 0 {
		return 0, io.EOF
	}
	n = letter.BatchRows
	if len(letters) > 0 {
		n = len(letters[0])
	}
	n = int(min(g.left, int64(n)))
	for i := range g.column {
		if err := g.column[i].next(letters[i][:n], g.row); err != nil {
			return 0, err
		}
	}
	g.row += int64(n)
	g.left -= int64(n)
	return n, nil
}
