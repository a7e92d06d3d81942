package parquetraw

import "strings"

// Physical is how values are stored.
type Physical int32

// The physical types of parquet.thrift.
const (
	Boolean   Physical = 0
	Int32     Physical = 1
	Int64     Physical = 2
	Int96     Physical = 3
	Float     Physical = 4
	Float64   Physical = 5
	ByteArray Physical = 6
	FixedLen  Physical = 7
)

// Repetition says how often a field stands in its parent.
type Repetition int32

// The repetitions of parquet.thrift.
const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// A Leaf is a column of values.
type Leaf struct {
	Path       []string // from the top level down
	Top        int      // index of the top-level column it belongs to
	Repetition Repetition
	Physical   Physical
	Length     int64 // of FixedLen values, in bytes
	Logical    Logical
}

// A Column is a top-level column: one leaf, or a group of them.
type Column struct {
	Name       string
	Repetition Repetition
	Leaf       int // index of its first leaf
	Leaves     int // how many it has
	Flat       bool
	Logical    Logical // of the group, where it is not flat
	Element    int     // index in the schema list of the footer
	Elements   int     // how many elements of that list it takes
}

// Name is the path with dots.
func (l *Leaf) Name() string { return strings.Join(l.Path, ".") }

const (
	elementPhysical, elementLength, elementRepetition, elementName, elementChildren = 1, 2, 3, 4, 5
	elementConverted, elementScale, elementPrecision, elementLogical                = 6, 7, 8, 10
)

// readSchema walks the list of schema elements, a tree in depth-first order.
func (f *Footer) readSchema() error {
	list := f.Meta.Get(MetaSchema).viewList()
	if list.Len() == 0 {
		return damaged("it has no schema")
	}
	children, _ := list.At(0).view().Get(elementChildren).Int()
	if children < 0 || children >= int64(list.Len()) && children > 0 {
		return damaged("its schema is no tree")
	}
	w := schemaWalk{f, list, 1}
	for range children {
		element, leaf := w.next, len(f.Leaves)
		if err := w.node(nil, 0); err != nil {
			return err
		}
		root := list.At(element).view()
		c := Column{Leaf: leaf, Leaves: len(f.Leaves) - leaf, Element: element, Elements: w.next - element}
		name, _ := root.Get(elementName).Bytes()
		repetition, _ := root.Get(elementRepetition).Int()
		c.Name, c.Repetition, c.Logical = string(name), Repetition(repetition), readLogical(root)
		n, _ := root.Get(elementChildren).Int()
		c.Flat = n == 0 && c.Leaves == 1 && root.Get(elementPhysical) != nil
		f.Columns = append(f.Columns, c)
	}
	if w.next != list.Len() {
		return damaged("its schema is no tree")
	}
	return nil
}

type schemaWalk struct {
	f    *Footer
	list *List
	next int
}

// node reads the element that comes next and all below it.
func (w *schemaWalk) node(path []string, depth int) error {
	if w.next >= w.list.Len() {
		return damaged("its schema is no tree")
	}
	if depth > 64 {
		return unsupported("", "the schema is nested more than 64 levels deep")
	}
	s := w.list.At(w.next).view()
	w.next++
	name, ok := s.Get(elementName).Bytes()
	if !ok {
		return damaged("a column has no name")
	}
	path = append(path[:len(path):len(path)], string(name))
	repetition, ok := s.Get(elementRepetition).Int()
	if !ok || repetition < 0 || repetition > 2 {
		return damaged("column %q is neither required nor optional nor repeated", strings.Join(path, "."))
	}
	children, ok := s.Get(elementChildren).Int()
	physical, leaf := s.Get(elementPhysical).Int()
	switch {
	case children < 0 || children > int64(w.list.Len()-w.next):
		return damaged("its schema is no tree")
	case leaf && children == 0:
		length, _ := s.Get(elementLength).Int()
		w.f.Leaves = append(w.f.Leaves, Leaf{
			Path: path, Top: len(w.f.Columns), Repetition: Repetition(repetition),
			Physical: Physical(physical), Length: length, Logical: readLogical(s),
		})
	case leaf || !ok:
		return damaged("column %q has a type and columns below it, or neither", strings.Join(path, "."))
	}
	for range children {
		if err := w.node(path, depth+1); err != nil {
			return err
		}
	}
	return nil
}
