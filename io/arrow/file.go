package arrow

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tacet-privacy/tacet/io/table"
)

// A File hands out the cells of some columns and writes all of them again.
type File struct {
	*source
	table.Choice
	request table.Request
	private []*column
	columns []*table.PrivateColumn // these
	beside  []*column
	room    sync.Pool // for the buffers of a record batch

	letters, whole func() (*reader, error) // of the columns that are read, and of those that are written
}

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

// Heads finds every length that a file states possible, for readers that believe them, as arrow-go
// does. It has the rows of the record batches, and how the last is compressed as Message.fbs
// numbers that, -1 where it is not.
func Heads(in io.ReaderAt, size int64) (rows []int64, compression int, err error) {
	s, err := openSource(in, size)
	if err == nil {
		err = s.heads()
	}
	if err != nil {
		return nil, 0, err
	}
	return s.rows, int(s.codec), s.each(slices.Concat(s.dicts, s.batches), func(b block, m *message) error {
		return m.plausible(in, b.at+b.meta)
	})
}

// Choose shares what was read of the file.
func (a *File) Choose(r table.Request) (table.File, error) { return choose(a.source, r) }

// choose finds the columns of r in the schema; nothing else is read.
func choose(s *source, r table.Request) (a *File, err error) {
	a = &File{source: s, request: r}
	if a.Choice, err = s.schema.index.Choose(&r); err != nil {
		return nil, err
	}
	for _, top := range a.Beside {
		c, err := a.column(top)
		switch {
		case err == nil:
		case !r.Nested || leaves(c.typ) == 0:
			return nil, err
		default:
			c.cell.Form = table.NestedCells
		}
		a.beside = append(a.beside, c)
	}
	for i, top := range a.Private {
		c, err := a.privateColumn(i, top)
		if err != nil {
			return nil, err
		}
		a.private, a.columns = append(a.private, c), append(a.columns, &c.PrivateColumn)
	}
	a.letters = sync.OnceValues(func() (*reader, error) { return s.reader(a.taken(false)) })
	a.whole = sync.OnceValues(func() (*reader, error) { return s.reader(a.taken(true)) })
	return a, nil
}

// privateColumn is a column whose values become letters, or are put into bins that do.
func (a *File) privateColumn(at, top int) (_ *column, err error) {
	c, unread := a.column(top)
	cells, hint := "", ""
	if unread == nil {
		cells = c.cell.CellName()
	}
	c.Type, hint = fieldType(c.typ, c.cell, unread == nil)
	c.PrivateColumn, err = a.request.PrivateColumn(at, c.PrivateColumn, cells, typeName(c.field.Type), hint)
	return c, err
}

// Format is "arrow".
func (a *File) Format() string { return Format.Name }

// Dialect is empty: the file says how it is written.
func (a *File) Dialect() table.Dialect { return table.Dialect{} }

// Columns are the top-level columns.
func (a *File) Columns() []table.Column {
	var list []table.Column
	for i, f := range a.schema.arrow.Fields() {
		own := table.Column{Name: f.Name, Type: typeName(f.Type), Nullable: f.Nullable}
		if _, err := a.schema.index.Find(f.Name); err == nil {
			c, unread := a.column(i)
			if own.Readable = unread == nil; !own.Readable {
				own.Leaves = leaves(c.typ)
			}
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

// taken are the columns that are read, and with written those that are kept.
func (a *File) taken(written bool) []bool {
	taken := make([]bool, len(a.Role))
	for i, role := range a.Role {
		taken[i] = role >= 0 || written && role == table.Kept
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
