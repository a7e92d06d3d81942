package splice

import (
	"context"

	"github.com/parquet-go/parquet-go/format"
	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/table"
)

// A File reads private columns by their pages; all other columns are bytes to
// it.
type File struct {
	in     table.Input
	footer *meta.Footer
	index  *table.Index
	table.Choice
	request table.Request
	private []*table.PrivateColumn
	cells   []cellColumn // by private column
	beside  []cellColumn
	nested  *meta.Column // the one column that is read, by its leaves; nil for others
}

// Format is Parquet.
var Format = table.Format{Name: "parquet", Title: "Parquet", Magic: meta.Magic,
	Ends: ".parquet .parq .pq", Open: open}

// open checks that the columns of r exist and can be worked on.
func open(in table.Input, r table.Request) (_ table.File, err error) {
	defer table.Guard(decoding, &err)
	footer, err := meta.ReadFooter(in, in.Size())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range footer.Columns {
		names = append(names, c.Name)
	}
	p := &File{in: in, footer: footer, index: table.NewIndex(names), request: r}
	p.index.Below = map[string]string{}
	for i := range footer.Leaves {
		if l := &footer.Leaves[i]; len(l.Path) > 1 {
			p.index.Below[l.Name()] = l.Path[0]
		}
	}
	return p, p.choose()
}

// choose finds the columns of the request.
func (p *File) choose() (err error) {
	r := &p.request
	if p.Choice, err = p.index.Choose(r); err != nil {
		return err
	}
	for _, top := range p.Beside {
		c, err := p.cellColumn(top)
		if err != nil && (!r.Nested || c.nested == nil) {
			return err
		}
		p.beside = append(p.beside, c)
	}
	for i, top := range p.Private {
		c, cells, err := p.privateColumn(i, top)
		if err != nil {
			return err
		}
		p.private, p.cells = append(p.private, &c), append(p.cells, cells)
	}
	return nil
}

// Choose shares the footer.
func (p *File) Choose(r table.Request) (_ table.File, err error) {
	defer table.Guard(decoding, &err)
	q := &File{in: p.in, footer: p.footer, index: p.index, request: r}
	return q, q.choose()
}

// Format is "parquet".
func (p *File) Format() string { return Format.Name }

// Dialect is empty: the file says how it is written.
func (p *File) Dialect() table.Dialect { return table.Dialect{} }

// Columns are the top-level columns.
func (p *File) Columns() []table.Column {
	column := make([]table.Column, len(p.footer.Columns))
	for i := range column {
		c := &p.footer.Columns[i]
		column[i] = table.Column{Name: c.Name, Type: columnType(p.footer, c), Nullable: c.Repetition == format.Optional}
		if _, err := p.index.Find(c.Name); err == nil {
			_, unread := p.cellColumn(i)
			if column[i].Readable = unread == nil; !column[i].Readable {
				column[i].Leaves = leavesOf(c)
			}
		}
	}
	return column
}

// Units are the row groups.
func (p *File) Units() []int64 {
	rows := make([]int64, len(p.footer.Groups))
	for i := range rows {
		rows[i] = p.footer.Groups[i].Rows
	}
	return rows
}

// privateColumn is private column i of the request and its cells, whose values become letters,
// or those of its bins.
func (p *File) privateColumn(i, top int) (c table.PrivateColumn, cells cellColumn, err error) {
	column := &p.footer.Columns[top]
	c = table.PrivateColumn{Name: column.Name, Top: top, Leaf: column.Leaf, Null: column.Repetition == format.Optional}
	if !column.Flat || column.Repetition == format.Repeated {
		return c, cells, table.Errorf("make its values a column of their own",
			"column %q is nested or repeated (%s), which is not supported", c.Name, columnType(p.footer, column))
	}
	leaf := &p.footer.Leaves[column.Leaf]
	of, hint := "", ""
	c.Type, hint = leafType(leaf)
	cells, err = p.cellColumn(top)
	switch int96 := leaf.Physical == format.Int96; {
	case int96 && p.request.HasBins(i):
		return c, cells, table.Errorf("cast it to timestamp, of 64 bits", "column %q is of type %s, which has no bins",
			c.Name, leafTypeName(leaf))
	case err == nil:
		of = cells.typ.CellName()
	}
	c, err = p.request.PrivateColumn(i, c, of, leafTypeName(leaf), hint)
	return c, cells, err
}

// decoding is what fails where a file is damaged in a way that was not foreseen.
const decoding = "decoding the Parquet file"

// CheckKept looks at all columns that are neither private nor dropped.
func (p *File) CheckKept(ctx context.Context) (err error) {
	defer table.Guard(decoding, &err)
	if err := p.footer.CheckFile(); err != nil {
		return err
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(p.request.Workers())
	for at := range p.footer.Columns {
		if p.Role[at] != table.Kept {
			continue
		}
		work.Go(func() (err error) {
			defer table.Guard(decoding, &err)
			if err := ctx.Err(); err != nil {
				return err
			}
			return page.CheckKept(p.footer, p.in, at)
		})
	}
	return work.Wait()
}
