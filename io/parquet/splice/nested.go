package splice

import (
	"context"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// leavesOf counts the leaves of a nested or repeated column, 0 for others.
func leavesOf(c *meta.Column) int {
	if c.Flat && c.Repetition != format.Repeated {
		return 0
	}
	return c.Leaves
}

// nestedCells are those of a nested column, which parquet-go reads leaf by leaf.
type nestedCells struct {
	column *meta.Column
	leaf   []nestedLeaf
	nest   table.Nest
	text   []byte
	at     []int // where in text the cells begin that were read last
}

// openNested begins a nested column in a row group.
func (p *File) openNested(group int, column *meta.Column) (*nestedCells, error) {
	c := &nestedCells{column: column, leaf: make([]nestedLeaf, column.Leaves)}
	file, err := parquet.OpenFile(p.in, p.in.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, c.unread(err)
	}
	chunks := file.RowGroups()[group].ColumnChunks()
	for i := range c.leaf {
		c.leaf[i].pages = chunks[column.Leaf+i].Pages()
	}
	return c, nil
}

func (c *nestedCells) close() {
	for i := range c.leaf {
		c.leaf[i].pages.Close() // nothing was written
	}
}

func (c *nestedCells) next(n int) (v table.Values, err error) {
	v = table.Values{Type: table.CellType{Form: table.NestedCells}, Code: make([]int32, n), Source: c}
	c.text, c.at = c.text[:0], append(c.at[:0], 0)
	for i := range v.Code {
		c.nest.Begin(len(c.leaf))
		for k := range c.leaf {
			if err := c.leaf[k].row(func(text []byte) { c.nest.Add(k, text) }); err != nil {
				return v, c.unread(err)
			}
		}
		v.Code[i], c.text = int32(i), c.nest.Append(c.text)
		c.at = append(c.at, len(c.text))
	}
	return v, nil
}

// unread is what parquet-go could not read. Its text may quote data.
func (c *nestedCells) unread(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &table.InputError{What: "column \"" + c.column.Name + "\" is nested, and cannot be read by its leaves",
		Hint: "leave it out with --drop", Err: err}
}

func (c *nestedCells) Bytes(i int) []byte { return c.text[c.at[i]:c.at[i+1]] }

func (c *nestedCells) Int(int) int64 { return 0 }

// A nestedLeaf reads the values of one leaf, row by row.
type nestedLeaf struct {
	pages  parquet.Pages
	values parquet.ValueReader
	block  [256]parquet.Value
	n, at  int
}

// row hands out the values of the next row that are no nulls, as texts.
func (l *nestedLeaf) row(each func(text []byte)) error {
	for first := true; ; first = false {
		ok, err := l.more()
		switch {
		case err != nil:
			return err
		case !ok && first:
			return io.ErrUnexpectedEOF
		case !ok || !first && l.block[l.at].RepetitionLevel() == 0:
			return nil
		}
		if v := &l.block[l.at]; !v.IsNull() {
			each([]byte(v.String()))
		}
		l.at++
	}
}

// more reports whether there is a value, which is then at hand.
func (l *nestedLeaf) more() (bool, error) {
	for l.at == l.n {
		if l.values == nil {
			page, err := l.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			l.values = page.Values()
		}
		n, err := l.values.ReadValues(l.block[:])
		l.n, l.at = n, 0
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if err != nil {
			l.values = nil
		}
	}
	return true, nil
}
