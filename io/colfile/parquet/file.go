package parquet

import (
	"errors"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/colfile/input"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
	"github.com/tacet-privacy/tacet/io/parquetraw"
	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
)

// A File reads private columns by their pages; all other columns are bytes to
// it.
type File struct {
	in      input.Source
	footer  *parquetraw.Footer
	request input.Request
	private []letter.Column
	beside  []besideColumn
	lexica  letter.Lexicon // of the alphabets asked for last
}

// Open checks that the columns of r exist and can be worked on.
func Open(in input.Source, r input.Request) (_ *File, err error) {
	defer recovered(&err)
	footer, err := parquetraw.ReadFooter(in, in.Size())
	if err != nil {
		return nil, inputError(err)
	}
	p := &File{in: in, footer: footer, request: r}
	for _, name := range r.Drop {
		if _, err := p.column(name); err != nil {
			return nil, err
		}
	}
	for _, name := range r.Beside {
		c, err := p.besideColumn(name)
		if err != nil {
			return nil, err
		}
		p.beside = append(p.beside, c)
	}
	for i, name := range r.Private {
		if slices.Contains(r.Private[:i], name) {
			return nil, input.Errorf("name it once", "column %q is named twice", name)
		}
		if slices.Contains(r.Drop, name) {
			return nil, input.Errorf("", "column %q cannot be privatized and dropped", name)
		}
		c, err := p.privateColumn(name)
		if err != nil {
			return nil, err
		}
		p.private = append(p.private, c)
	}
	return p, nil
}

// Format is "parquet".
func (p *File) Format() string { return "parquet" }

// Columns are the top-level columns.
func (p *File) Columns() []input.Column {
	column := make([]input.Column, len(p.footer.Columns))
	for i := range column {
		c := &p.footer.Columns[i]
		_, err := p.besideColumn(c.Name)
		column[i] = input.Column{Name: c.Name, Type: columnType(p.footer, c), Nullable: c.Repetition == format.Optional, Readable: err == nil}
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
	at := -1
	for i := range p.footer.Columns {
		switch c := &p.footer.Columns[i]; {
		case c.Name != name:
		case at >= 0:
			return 0, input.Errorf("rename one of them", "the file has two columns named %q", name)
		default:
			at = i
		}
	}
	if at >= 0 {
		return at, nil
	}
	for i := range p.footer.Leaves {
		if l := &p.footer.Leaves[i]; l.Name() == name {
			return 0, input.Errorf("make it a column of its own", "column %q is nested in %q", name, l.Path[0])
		}
	}
	return 0, input.Errorf(p.columnHint(), "the file has no column %q", name)
}

// columnHint lists the first columns by name.
func (p *File) columnHint() string {
	var name []string
	for i := range p.footer.Columns {
		if i == 20 {
			name = append(name, "...")
			break
		}
		name = append(name, p.footer.Columns[i].Name)
	}
	return "its columns are " + strings.Join(name, ", ")
}

func (p *File) privateColumn(name string) (c letter.Column, err error) {
	top, err := p.column(name)
	if err != nil {
		return c, err
	}
	column := &p.footer.Columns[top]
	c = letter.Column{Name: name, Top: top, Leaf: column.Leaf, Null: column.Repetition == format.Optional}
	if !column.Flat || column.Repetition == format.Repeated {
		return c, input.Errorf("make its values a column of their own", "column %q is nested or repeated (%s), which is not supported", name, columnType(p.footer, column))
	}
	leaf := &p.footer.Leaves[column.Leaf]
	var hint string
	if c.Type, hint = leafType(leaf); hint != "" {
		return c, input.Errorf(hint, "column %q is of type %s, which is not supported", name, leafTypeName(leaf))
	}
	for group := range p.footer.Groups {
		if err := p.footer.CheckChunk(group, column.Leaf); err != nil {
			return c, inputError(err)
		}
	}
	return c, nil
}

// inputError makes what is wrong with the file an input.Error; failures to
// read stay what they are.
func inputError(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return &input.Error{What: f.What, Hint: f.Hint}
	}
	return err
}

// recovered turns a panic into an error that does not print it, since it may
// quote data.
func recovered(err *error) {
	if recover() != nil {
		*err = input.Errorf("write the file again", "the Parquet file cannot be decoded; it is damaged in a way that was not foreseen")
	}
}
