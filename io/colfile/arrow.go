package colfile

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

// An arrowFile reads private columns by their buffers; all other columns are
// bytes to it.
type arrowFile struct {
	in      Input
	raw     *arrowraw.File
	request Request
	rows    []int64 // of every record batch
	private []*arrowColumn
	beside  []*arrowBeside
	role    []int   // of every column: its place in private, or kept, or dropped
	lexica  lexicon // of the alphabets asked for last
}

const (
	kept    = -1
	dropped = -2
)

// An arrowColumn is a private column.
type arrowColumn struct {
	privateColumn
	field *arrowraw.Field
	dict  func() (*arrowDictionary, error) // reads it once; nil where there is none
	built lookups
}

func openArrow(in Input, r Request) (File, error) {
	raw, err := arrowraw.Open(in, in.Size())
	if err != nil {
		return nil, arrowError(err)
	}
	a := &arrowFile{in: in, raw: raw, request: r}
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
		if slices.Contains(r.Private[:i], name) {
			return nil, inputErrorf("name it once", "column %q is named twice", name)
		}
		if slices.Contains(r.Drop, name) {
			return nil, inputErrorf("", "column %q cannot be privatized and dropped", name)
		}
		c, err := a.privateColumn(name)
		if err != nil {
			return nil, err
		}
		a.role[c.top] = i
		a.private = append(a.private, c)
	}
	for i := range raw.Batches {
		b, err := raw.Batch(i)
		if err != nil {
			return nil, arrowError(fmt.Errorf("record batch %d: %w", i, err))
		}
		a.rows = append(a.rows, b.Rows)
		for _, c := range a.private {
			c.null = c.null || b.Columns[c.top].Nodes[0].Nulls != 0
		}
	}
	return a, nil
}

// Format is "arrow".
func (a *arrowFile) Format() string { return "arrow" }

// Columns are the top-level columns.
func (a *arrowFile) Columns() []Column {
	column := make([]Column, len(a.raw.Schema.Fields))
	for i := range column {
		f := &a.raw.Schema.Fields[i]
		column[i] = Column{f.Name, f.String(), f.Nullable, a.readable(f.Name)}
	}
	return column
}

// Units are the record batches.
func (a *arrowFile) Units() []int64 { return slices.Clone(a.rows) }

// Close does nothing: the input belongs to the caller.
func (a *arrowFile) Close() error { return nil }

// column finds the one top-level column of that name.
func (a *arrowFile) column(name string) (int, error) {
	at := -1
	for i := range a.raw.Schema.Fields {
		switch {
		case a.raw.Schema.Fields[i].Name != name:
		case at >= 0:
			return 0, inputErrorf("rename one of them", "the file has two columns named %q", name)
		default:
			at = i
		}
	}
	if at < 0 {
		return 0, inputErrorf(a.columnHint(), "the file has no column %q", name)
	}
	return at, nil
}

// columnHint lists the first columns by name.
func (a *arrowFile) columnHint() string {
	var name []string
	for i := range a.raw.Schema.Fields {
		if i == 20 {
			name = append(name, "...")
			break
		}
		name = append(name, a.raw.Schema.Fields[i].Name)
	}
	return "its columns are " + strings.Join(name, ", ")
}

func (a *arrowFile) privateColumn(name string) (*arrowColumn, error) {
	top, err := a.column(name)
	if err != nil {
		return nil, err
	}
	f := &a.raw.Schema.Fields[top]
	typ, hint := arrowFieldType(f)
	if hint != "" {
		return nil, inputErrorf(hint, "column %q is of type %s, which is not supported", name, f)
	}
	c := &arrowColumn{privateColumn: privateColumn{name: name, top: top, typ: typ, null: f.Nullable}, field: f}
	if f.Dict != nil {
		c.dict = a.dictionary(c)
	}
	return c, nil
}

func (a *arrowFile) threads() int {
	if a.request.Threads > 0 {
		return a.request.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// arrowFieldType is the type of a private column, or what to cast it to.
func arrowFieldType(f *arrowraw.Field) (t Type, hint string) {
	switch f.Type.Code {
	case arrowraw.Utf8, arrowraw.LargeUtf8, arrowraw.Utf8View:
		t = Type{Kind: Text}
	case arrowraw.BinaryType, arrowraw.LargeBinary, arrowraw.BinaryView:
		t = Type{Kind: Binary}
	case arrowraw.Int:
		t = Type{Integer, int(f.Type.Num[0]), f.Type.Num[1] == 0}
	case arrowraw.Bool:
		t = Type{Kind: Boolean}
	case arrowraw.Date:
		t = Type{Kind: Date}
	case arrowraw.Timestamp:
		return t, "cast it to date32, or to utf8"
	}
	switch {
	case len(f.Children) > 0:
		return t, "make its values a column of their own"
	case f.Type.Code == arrowraw.Date && !arrowraw.Decodes(f.Type):
		return t, "cast it to date32"
	case !arrowraw.Decodes(f.Type):
		return t, "cast it to int64, or to utf8"
	}
	return t, ""
}

// arrowError makes what arrowraw found wrong an InputError; failures to read
// stay what they are.
func arrowError(err error) error {
	var f *arrowraw.FormatError
	if !errors.As(err, &f) {
		return err
	}
	if f.Hint == "" {
		f = &arrowraw.FormatError{What: f.What, Hint: "write the file again"}
	}
	return &InputError{What: err.Error(), Hint: f.Hint}
}
