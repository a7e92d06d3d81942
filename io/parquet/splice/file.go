package splice

import (
	"context"
	"slices"

	"github.com/parquet-go/parquet-go/format"
	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/table"
)

// A File reads private columns by their pages; all other columns are bytes to
// it.
type File struct {
	in      table.Input
	footer  *meta.Footer
	place   map[string]int // of top-level columns, by name; -1 where several have it
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
	p := &File{in: in, footer: footer, place: make(map[string]int, len(footer.Columns)), request: r}
	for i, c := range footer.Columns {
		if _, twice := p.place[c.Name]; twice {
			i = -1
		}
		p.place[c.Name] = i
	}
	return p, p.choose()
}

// choose finds the columns of the request.
func (p *File) choose() error {
	r := &p.request
	for _, name := range r.Drop {
		if _, err := p.column(name); err != nil {
			return err
		}
	}
	for _, name := range r.Beside {
		c, err := p.cellColumn(name)
		if err != nil && (!r.Nested || c.nested == nil) {
			return err
		}
		p.beside = append(p.beside, c)
	}
	for i, name := range r.Private {
		c, cells, err := p.privateColumn(i, name)
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
	q := &File{in: p.in, footer: p.footer, place: p.place, request: r}
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
		_, err := p.cellColumn(c.Name)
		column[i] = table.Column{Name: c.Name, Type: columnType(p.footer, c), Nullable: c.Repetition == format.Optional,
			Readable: err == nil}
		if err != nil {
			column[i].Leaves = leavesOf(c)
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

// Close does nothing: the input belongs to the caller.
func (p *File) Close() error { return nil }

// column finds the one top-level column of that name.
func (p *File) column(name string) (int, error) {
	if at, ok := p.place[name]; ok && at >= 0 {
		return at, nil
	}
	names := make([]string, len(p.footer.Columns))
	for i, c := range p.footer.Columns {
		names[i] = c.Name
	}
	at, err := table.Place(names, name)
	if at < 0 {
		for i := range p.footer.Leaves {
			if l := &p.footer.Leaves[i]; l.Name() == name {
				return 0, table.Errorf("make it a column of its own", "column %q is nested in %q", name, l.Path[0])
			}
		}
	}
	return at, err
}

// privateColumn is private column i of the request and its cells, whose values become letters,
// or those of its bins.
func (p *File) privateColumn(i int, name string) (c table.PrivateColumn, cells cellColumn, err error) {
	top, err := p.column(name)
	if err != nil {
		return c, cells, err
	}
	column := &p.footer.Columns[top]
	c = table.PrivateColumn{Name: name, Top: top, Leaf: column.Leaf, Null: column.Repetition == format.Optional}
	if !column.Flat || column.Repetition == format.Repeated {
		return c, cells, table.Errorf("make its values a column of their own",
			"column %q is nested or repeated (%s), which is not supported", name, columnType(p.footer, column))
	}
	leaf := &p.footer.Leaves[column.Leaf]
	hint := ""
	c.Type, hint = leafType(leaf)
	cells, err = p.cellColumn(name)
	switch int96 := leaf.Physical == format.Int96; {
	case p.request.HasBins(i) && err == nil && !int96:
		c, err = p.request.Binned(i, c, cells.typ.CellName())
	case p.request.HasBins(i):
		if hint = p.request.BinsHint(); int96 {
			hint = "cast it to timestamp, of 64 bits"
		}
		err = table.Errorf(hint, "column %q is of type %s, which has no bins", name, leafTypeName(leaf))
	case hint != "":
		err = table.Errorf(hint, "column %q is of type %s, which is not supported", name, leafTypeName(leaf))
	}
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
	gone := map[string]bool{}
	for _, name := range slices.Concat(p.request.Drop, p.request.Private) {
		gone[name] = true
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(p.request.Workers())
	for at := range p.footer.Columns {
		if gone[p.footer.Columns[at].Name] {
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
