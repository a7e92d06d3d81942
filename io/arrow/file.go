package arrow

import (
	"context"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tacet-privacy/tacet/io/table"
)

// A File hands out the cells of some columns and writes all of them again.
type File struct {
	*source
	request table.Request
	private []*column
	columns []*table.PrivateColumn // these
	beside  []*column
	role    []int     // of every column: its place in private, or kept, or dropped
	room    sync.Pool // for the buffers of a record batch

	letters, whole func() (*reader, error) // of the columns that are read, and of those that are written
}

const (
	kept    = -1
	dropped = -2
)

// Format is Arrow IPC.
var Format = table.Format{Name: "arrow", Title: "Arrow IPC", Magic: magic + "\x00\x00",
	Ends: ".arrow .feather .ipc", Open: openFile}

// openFile checks that the columns of r exist and can be worked on, and the head of every message.
func openFile(in table.Input, r table.Request) (table.File, error) {
	s, err := openSource(in, in.Size())
	if err == nil {
		err = s.heads()
	}
	if err != nil {
		return nil, err
	}
	return choose(s, r)
}

// Choose shares what was read of the file.
func (a *File) Choose(r table.Request) (table.File, error) { return choose(a.source, r) }

// choose finds the columns of r in the schema; nothing else is read.
func choose(s *source, r table.Request) (*File, error) {
	a := &File{source: s, request: r, role: slices.Repeat([]int{kept}, s.schema.arrow.NumFields())}
	for _, name := range r.Drop {
		top, err := a.place(name)
		if err != nil {
			return nil, err
		}
		a.role[top] = dropped
	}
	for _, name := range r.Beside {
		c, err := a.column(name)
		switch {
		case err == nil:
		case !r.Nested || c == nil || leaves(c.typ) == 0:
			return nil, err
		default:
			c.cell.Form = table.NestedCells
		}
		a.beside = append(a.beside, c)
	}
	for i, name := range r.Private {
		c, err := a.privateColumn(i, name)
		if err != nil {
			return nil, err
		}
		a.role[c.Top] = i
		a.private, a.columns = append(a.private, c), append(a.columns, &c.PrivateColumn)
	}
	a.letters = sync.OnceValues(func() (*reader, error) { return s.reader(a.taken(false)) })
	a.whole = sync.OnceValues(func() (*reader, error) { return s.reader(a.taken(true)) })
	return a, nil
}

// privateColumn is a column whose values become letters, or are put into bins that do.
func (a *File) privateColumn(at int, name string) (*column, error) {
	c, unread := a.column(name)
	if c == nil {
		return nil, unread
	}
	typ, hint := fieldType(c.typ, c.cell, unread == nil)
	of := typeName(c.field.Type)
	switch binned := a.request.HasBins(at); {
	case binned && unread != nil:
		return nil, table.Errorf(a.request.BinsHint(), "column %q is of type %s, which has no bins", name, of)
	case binned:
		var err error
		c.PrivateColumn, err = a.request.Binned(at, c.PrivateColumn, c.cell.CellName())
		return c, err
	case hint != "":
		return nil, table.Errorf(hint, "column %q is of type %s, which is not supported", name, of)
	}
	c.Type = typ
	return c, nil
}

// Format is "arrow".
func (a *File) Format() string { return Format.Name }

// Dialect is empty: the file says how it is written.
func (a *File) Dialect() table.Dialect { return table.Dialect{} }

// Columns are the top-level columns.
func (a *File) Columns() []table.Column {
	var list []table.Column
	for _, f := range a.schema.arrow.Fields() {
		c, err := a.column(f.Name)
		own := table.Column{Name: f.Name, Type: typeName(f.Type), Nullable: f.Nullable, Readable: err == nil}
		if err != nil && c != nil {
			own.Leaves = leaves(c.typ)
		}
		list = append(list, own)
	}
	return list
}

// Units are the record batches.
func (a *File) Units() []int64 { return slices.Clone(a.rows) }

// CheckKept has nothing to add: the heads of all messages are checked as the file is
// opened, and columns as they are written.
func (a *File) CheckKept(context.Context) error { return nil }

// Close does nothing: the input belongs to the caller.
func (a *File) Close() error { return nil }

// place finds the one top-level column of that name.
func (a *File) place(name string) (int, error) {
	if at, ok := a.schema.place[name]; ok && at >= 0 {
		return at, nil
	}
	var names []string
	for _, f := range a.schema.arrow.Fields() {
		names = append(names, f.Name)
	}
	return table.Place(names, name)
}

// taken are the columns that are read, and with written those that are kept.
func (a *File) taken(written bool) []bool {
	taken := make([]bool, len(a.role))
	for i, role := range a.role {
		taken[i] = role >= 0 || written && role == kept
	}
	for _, c := range a.beside {
		taken[c.Top] = true
	}
	return taken
}

// budget is that of a record batch, one of so many at once; its rows take memory for their outputs, too.
func (a *File) budget(m *message, batches int) *budget {
	return &budget{stored: m.body, taken: placeBytes * m.rows * int64(len(a.private)),
		most: unlikely / int64(batches)}
}

// load decodes a record batch whose buffers are read into room.
func (a *File) load(r *reader, unit int, room []byte) (columns []arrow.Array, _ []byte, err error) {
	err = a.each(a.batches[unit:unit+1], func(b block, m *message) (err error) {
		if m.rows != a.rows[unit] {
			return table.Errorf("write no file while it is read", "the file has changed")
		}
		columns, room, err = r.record(m, a.in, b.at+b.meta, room, a.budget(m, a.request.Workers()))
		return err
	})
	return columns, room, err
}
