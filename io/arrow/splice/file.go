package splice

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// A File reads private columns by their buffers; all other columns are bytes
// to it.
type File struct {
	raw     *batch.File
	size    int64 // of the file
	request table.Request
	rows    []int64 // of every record batch; of a stream none
	before  int64   // rows of a stream before its record batch
	private []*privateColumn
	beside  []*besideColumn
	role    []int         // of every column: its place in private, or kept, or dropped
	lexica  table.Lexicon // of the alphabets asked for last
}

const (
	kept    = -1
	dropped = -2
)

// A privateColumn is one whose values become letters.
type privateColumn struct {
	table.PrivateColumn
	field *batch.Field
	dict  func() (*dictionary, error) // reads it once; nil where there is none
	built lookups
	cells *besideColumn // nil without bins
}

// Format is Arrow IPC.
var Format = table.Format{Name: "arrow", Title: "Arrow IPC", Magic: batch.Magic + "\x00\x00", Open: open}

// open checks that the columns of r exist and can be worked on.
func open(in table.Input, r table.Request) (table.File, error) {
	raw, err := batch.Open(in, in.Size())
	if err != nil {
		return nil, inputError(err)
	}
	a, err := choose(raw, r)
	if err != nil {
		return nil, err
	}
	a.size = in.Size()
	for i := range raw.Batches {
		b, err := raw.Batch(i)
		if err != nil {
			return nil, inputError(fmt.Errorf("record batch %d: %w", i, err))
		}
		a.rows = append(a.rows, b.Rows)
		for _, c := range a.private {
			c.Null = c.Null || b.Columns[c.Top].Nodes[0].Nulls != 0
		}
	}
	return a, nil
}

// choose finds the columns of r in the schema; nothing else is read.
func choose(raw *batch.File, r table.Request) (*File, error) {
	a := &File{raw: raw, request: r}
	a.role = slices.Repeat([]int{kept}, len(raw.Schema.Fields))
	for _, name := range r.Drop {
		top, err := a.column(name)
		if err != nil {
			return nil, err
		}
		a.role[top] = dropped
	}
	for _, name := range r.Beside {
		c, err := a.besideColumn(name)
		if err != nil {
			return nil, err
		}
		a.beside = append(a.beside, c)
	}
	for i, name := range r.Private {
		cells := table.CellType{}
		if beside, err := a.besideColumn(name); err == nil {
			cells = beside.typ
		}
		binned := r.InBins(i, cells)
		c, err := a.privateColumn(name, !binned)
		if err == nil && binned {
			err = a.bin(i, c)
		}
		if err != nil {
			return nil, err
		}
		a.role[c.Top] = i
		a.private = append(a.private, c)
	}
	return a, nil
}

// Format is "arrow".
func (a *File) Format() string { return Format.Name }

// Dialect is empty: the file says how it is written.
func (a *File) Dialect() table.Dialect { return table.Dialect{} }

// Columns are the top-level columns.
func (a *File) Columns() []table.Column {
	column := make([]table.Column, len(a.raw.Schema.Fields))
	for i := range column {
		f := &a.raw.Schema.Fields[i]
		column[i] = table.Column{Name: f.Name, Type: f.String(), Nullable: f.Nullable, Readable: a.readable(f.Name)}
	}
	return column
}

// Units are the record batches.
func (a *File) Units() []int64 { return slices.Clone(a.rows) }

// Close does nothing: the input belongs to the caller.
func (a *File) Close() error { return nil }

// column finds the one top-level column of that name.
func (a *File) column(name string) (int, error) {
	names := make([]string, len(a.raw.Schema.Fields))
	for i, f := range a.raw.Schema.Fields {
		names[i] = f.Name
	}
	return table.Place(names, name)
}

// privateColumn is a column whose values become letters, or those of bins where they
// are not letters themselves.
func (a *File) privateColumn(name string, letters bool) (*privateColumn, error) {
	top, err := a.column(name)
	if err != nil {
		return nil, err
	}
	f := &a.raw.Schema.Fields[top]
	typ, hint := fieldType(f)
	if letters && hint != "" {
		return nil, table.Errorf(hint, "column %q is of type %s, which is not supported", name, f)
	}
	c := &privateColumn{PrivateColumn: table.PrivateColumn{Name: name, Top: top, Type: typ, Null: f.Nullable}, field: f}
	if f.Dict != nil {
		c.dict = a.dictionary(c)
	}
	return c, nil
}

// bin gives the private column at a place its bins.
func (a *File) bin(at int, c *privateColumn) (err error) {
	if c.cells, err = a.besideColumn(c.Name); err != nil {
		return table.Errorf(a.request.BinsHint(), "column %q is of type %s, which has no bins", c.Name, c.field)
	}
	if c.dict != nil { // read once, for its values and for what is written
		c.dict = c.cells.dict
	}
	c.PrivateColumn, err = a.request.Binned(at, c.PrivateColumn, c.cells.typ, c.Type)
	return err
}

// fieldType is the type of a private column, or what to cast it to.
func fieldType(f *batch.Field) (t table.Type, hint string) {
	switch f.Type.Code {
	case batch.Utf8, batch.LargeUtf8, batch.Utf8View:
		t = table.Type{Kind: table.Text}
	case batch.BinaryType, batch.LargeBinary, batch.BinaryView:
		t = table.Type{Kind: table.Binary}
	case batch.Int:
		t = table.Type{Kind: table.Integer, Bits: int(f.Type.Num[0]), Unsigned: f.Type.Num[1] == 0}
	case batch.Bool:
		t = table.Type{Kind: table.Boolean}
	case batch.Date:
		t = table.Type{Kind: table.Date}
	case batch.Timestamp:
		return t, "cast it to date32, or to utf8"
	}
	switch {
	case len(f.Children) > 0:
		return t, "make its values a column of their own"
	case f.Type.Code == batch.Date && !batch.Decodes(f.Type):
		return t, "cast it to date32"
	case !batch.Decodes(f.Type):
		return t, "cast it to int64, or to utf8"
	}
	return t, ""
}

// inputError makes what package meta found wrong a table.InputError; failures to read
// stay what they are.
func inputError(err error) error {
	var f *batch.Error
	if !errors.As(err, &f) {
		return err
	}
	if f.Hint == "" {
		f = &batch.Error{What: f.What, Hint: "write the file again"}
	}
	return &table.InputError{What: err.Error(), Hint: f.Hint}
}

// CheckKept has nothing to add: the layout of all columns is checked as the
// file is opened.
func (a *File) CheckKept(context.Context) error { return nil }
