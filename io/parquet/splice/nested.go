package splice

import (
	"context"
	"errors"
	"io"
	"strconv"

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

// readNested hands out a nested column, which parquet-go reads leaf by leaf.
func (p *File) readNested(ctx context.Context, group int, f func(table.Batch) error) (err error) {
	defer recovered(&err)
	file, err := parquet.OpenFile(p.in, p.in.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return p.notNested(err)
	}
	chunks := file.RowGroups()[group].ColumnChunks()
	leaf := make([]nestedLeaf, p.nested.Leaves)
	for i := range leaf {
		leaf[i].pages = chunks[p.nested.Leaf+i].Pages()
		defer leaf[i].pages.Close()
	}
	cells := &nestedCells{}
	b := table.Batch{Unit: table.Unit{Group: group}, Beside: make([]table.Values, 1)}
	for _, g := range p.footer.Groups[:group] {
		b.Row += g.Rows
	}
	nest := &table.Nest{}
	for left := p.footer.Groups[group].Rows; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(left, table.BatchRows))
		cells.text, cells.at = cells.text[:0], append(cells.at[:0], 0)
		code := make([]int32, n)
		for i := range code {
			nest.Begin(len(leaf))
			for k := range leaf {
				if err := leaf[k].row(func(text []byte) { nest.Add(k, text) }); err != nil {
					return p.notNested(err)
				}
			}
			code[i] = int32(i)
			cells.text = nest.Append(cells.text)
			cells.at = append(cells.at, len(cells.text))
		}
		b.Beside[0] = table.Values{Type: table.CellType{Form: table.NestedCells}, Code: code, Source: cells}
		if err := f(b); err != nil {
			return err
		}
		left, b.Row = left-int64(n), b.Row+int64(n)
	}
	return nil
}

// notNested is what parquet-go could not read. Its text may quote data.
func (p *File) notNested(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &table.InputError{What: "column \"" + p.nested.Name + "\" is nested, and cannot be read by its leaves",
		Hint: "leave it out with --drop", Err: err}
}

// nestedCells are the cells of a batch.
type nestedCells struct {
	text []byte
	at   []int
}

func (c *nestedCells) Bytes(i int) []byte { return c.text[c.at[i]:c.at[i+1]] }

func (c *nestedCells) Int(int) int64 { return 0 }

// A nestedLeaf reads the values of one leaf, row by row.
type nestedLeaf struct {
	pages  parquet.Pages
	values parquet.ValueReader
	block  [256]parquet.Value
	n, at  int
	text   [32]byte
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
			each(l.textOf(v))
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

func (l *nestedLeaf) textOf(v *parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(l.text[:0], v.Boolean())
	case parquet.Int32:
		return strconv.AppendInt(l.text[:0], int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(l.text[:0], v.Int64(), 10)
	case parquet.Float:
		return strconv.AppendFloat(l.text[:0], float64(v.Float()), 'g', -1, 32)
	case parquet.Double:
		return strconv.AppendFloat(l.text[:0], v.Double(), 'g', -1, 64)
	case parquet.Int96:
		return []byte(v.Int96().String())
	}
	return v.ByteArray()
}
