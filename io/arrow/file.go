package arrow

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/table"
)

// A File hands out the cells of some columns and writes all of them again.
type File struct {
	*source
	size    int64
	request table.Request
	rows    []int64 // of every record batch; of a stream none
	private []*column
	beside  []*column
	role    []int         // of every column: its place in private, or kept, or dropped
	codec   codec         // of the last record batch
	lexica  table.Lexicon // of the alphabets asked for last
	room    sync.Pool     // for the buffers of a record batch

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
	if err != nil {
		return nil, err
	}
	a, err := choose(s, r)
	if err != nil {
		return nil, err
	}
	a.size = in.Size()
	a.letters = sync.OnceValues(func() (*reader, error) { return s.reader(a.taken(false)) })
	a.whole = sync.OnceValues(func() (*reader, error) { return s.reader(a.taken(true)) })
	return a, a.heads()
}

// Heads finds every length that a file states possible, for readers that believe them, as arrow-go
// does. It has the rows of the record batches, and how the last is compressed as Message.fbs
// numbers that, -1 where it is not.
func Heads(in io.ReaderAt, size int64) (rows []int64, compression int, err error) {
	s, err := openSource(in, size)
	if err != nil {
		return nil, 0, err
	}
	a := &File{source: s, codec: none}
	if err := a.heads(); err != nil {
		return nil, 0, err
	}
	return a.rows, int(a.codec), s.each(slices.Concat(s.dicts, s.batches), func(b block, m *message) error {
		return m.plausible(in, b.at+b.meta)
	})
}

// heads reads the heads of all messages.
func (a *File) heads() error {
	first := map[int64]bool{}
	return a.each(slices.Concat(a.dicts, a.batches), func(b block, m *message) error {
		if b.kind == ipc.MessageRecordBatch {
			nulls := m.fit(a.schema.columns, nil)
			a.rows, a.codec = append(a.rows, m.rows), m.codec
			for _, c := range a.private {
				c.Null = c.Null || nulls[c.Top] != 0
			}
			return nil
		}
		hold(m.delta || !first[m.id], "the dictionary is replaced within the file")
		first[m.id] = true
		if values, known := a.schema.values[m.id]; known && m.fit([]tally{values}, nil)[0] != 0 {
			for _, c := range a.private {
				ids := a.schema.columns[c.Top].ids
				c.Null = c.Null || len(ids) > 0 && ids[0] == m.id
			}
		}
		return nil
	})
}

// choose finds the columns of r in the schema; nothing else is read.
func choose(s *source, r table.Request) (*File, error) {
	a := &File{source: s, request: r, role: slices.Repeat([]int{kept}, s.schema.arrow.NumFields()), codec: none}
	for _, name := range r.Drop {
		top, err := a.place(name)
		if err != nil {
			return nil, err
		}
		a.role[top] = dropped
	}
	for _, name := range r.Beside {
		c, err := a.column(name)
		if err != nil {
			return nil, err
		}
		a.beside = append(a.beside, c)
	}
	for i, name := range r.Private {
		c, err := a.privateColumn(i, name)
		if err != nil {
			return nil, err
		}
		a.role[c.Top] = i
		a.private = append(a.private, c)
	}
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

// Only shares what was read of the file.
func (a *File) Only(beside []string) (table.File, error) {
	q := &File{source: a.source, role: slices.Repeat([]int{kept}, len(a.role)), codec: a.codec, size: a.size,
		rows: a.rows}
	for _, name := range beside {
		c, err := a.column(name)
		if c == nil || err != nil && leaves(c.typ) == 0 {
			return nil, err
		}
		if err != nil {
			c.cell.Form = table.NestedCells
		}
		q.beside = append(q.beside, c)
	}
	q.letters = sync.OnceValues(func() (*reader, error) { return a.reader(q.taken(false)) })
	return q, nil
}

// Takes looks at the schema.
func (a *File) Takes(r table.Request) error {
	_, err := choose(a.source, r)
	return err
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
