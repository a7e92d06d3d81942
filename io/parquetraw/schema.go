package parquetraw

import (
	"strings"

	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

// A Leaf is a column of values.
type Leaf struct {
	Path       []string // from the top level down
	Top        int      // index of the top-level column it belongs to
	Repetition format.Repetition
	Physical   format.Physical
	Length     int64 // of FixedLen values, in bytes
	Logical    Logical
}

// A Column is a top-level column: one leaf, or a group of them.
type Column struct {
	Name       string
	Repetition format.Repetition
	Leaf       int // index of its first leaf
	Leaves     int // how many it has
	Flat       bool
	Logical    Logical // of the group, where it is not flat
	Element    int     // index in the schema list of the footer
	Elements   int     // how many elements of that list it takes
}

// Name is the path with dots.
func (l *Leaf) Name() string { return strings.Join(l.Path, ".") }

// readSchema walks the list of schema elements, a tree in depth-first order.
func (f *Footer) readSchema() error {
	list := f.Meta.Get(format.MetaSchema).ViewList()
	if list.Len() == 0 {
		return fault.Damaged("it has no schema")
	}
	children, _ := list.At(0).View().Get(format.ElementChildren).Int()
	if children < 0 || children >= int64(list.Len()) && children > 0 {
		return fault.Damaged("its schema is no tree")
	}
	w := schemaWalk{f, list, 1}
	for range children {
		element, leaf := w.next, len(f.Leaves)
		if err := w.node(nil, 0); err != nil {
			return err
		}
		root := list.At(element).View()
		c := Column{Leaf: leaf, Leaves: len(f.Leaves) - leaf, Element: element, Elements: w.next - element}
		name, _ := root.Get(format.ElementName).Bytes()
		repetition, _ := root.Get(format.ElementRepetition).Int()
		c.Name, c.Repetition, c.Logical = string(name), format.Repetition(repetition), readLogical(root)
		n, _ := root.Get(format.ElementChildren).Int()
		c.Flat = n == 0 && c.Leaves == 1 && root.Get(format.ElementPhysical) != nil
		f.Columns = append(f.Columns, c)
	}
	if w.next != list.Len() {
		return fault.Damaged("its schema is no tree")
	}
	return nil
}

type schemaWalk struct {
	f    *Footer
	list *thrift.List
	next int
}

// node reads the element that comes next and all below it.
func (w *schemaWalk) node(path []string, depth int) error {
	if w.next >= w.list.Len() {
		return fault.Damaged("its schema is no tree")
	}
	if depth > 64 {
		return fault.Unsupported("", "the schema is nested more than 64 levels deep")
	}
	s := w.list.At(w.next).View()
	w.next++
	name, ok := s.Get(format.ElementName).Bytes()
	if !ok {
		return fault.Damaged("a column has no name")
	}
	path = append(path[:len(path):len(path)], string(name))
	repetition, ok := s.Get(format.ElementRepetition).Int()
	if !ok || repetition < 0 || repetition > 2 {
		return fault.Damaged("column %q is neither required nor optional nor repeated", strings.Join(path, "."))
	}
	children, ok := s.Get(format.ElementChildren).Int()
	physical, leaf := s.Get(format.ElementPhysical).Int()
	switch {
	case children < 0 || children > int64(w.list.Len()-w.next):
		return fault.Damaged("its schema is no tree")
	case leaf && children == 0:
		length, _ := s.Get(format.ElementLength).Int()
		w.f.Leaves = append(w.f.Leaves, Leaf{
			Path: path, Top: len(w.f.Columns), Repetition: format.Repetition(repetition),
			Physical: format.Physical(physical), Length: length, Logical: readLogical(s),
		})
	case leaf || !ok:
		return fault.Damaged("column %q has a type and columns below it, or neither", strings.Join(path, "."))
	}
	for range children {
		if err := w.node(path, depth+1); err != nil {
			return err
		}
	}
	return nil
}
