package meta

import "strings"

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

// readSchema walks the list of schema elements, a tree in depth-first order.
func (f *Footer) readSchema() error {
	list := f.Meta.Get(MetaSchema).View()
	if list.Len() == 0 {
		return Damaged("it has no schema")
	}
	children, _ := list.At(0).View().Get(ElementChildren).Int()
	if children < 0 || children >= int64(list.Len()) && children > 0 {
		return Damaged("its schema is not a tree")
	}
	w := schemaWalk{f, list, 1}
	for range children {
		element, leaf := w.next, len(f.Leaves)
		if err := w.node(nil, 0); err != nil {
			return err
		}
		root := list.At(element).View()
		c := Column{Leaf: leaf, Leaves: len(f.Leaves) - leaf, Element: element, Elements: w.next - element}
		name, _ := root.Get(ElementName).Bytes()
		repetition, _ := root.Get(ElementRepetition).Int()
		c.Name, c.Repetition, c.Logical = string(name), Repetition(repetition), readLogical(root)
		n, _ := root.Get(ElementChildren).Int()
		c.Flat = n == 0 && c.Leaves == 1 && root.Get(ElementPhysical) != nil
		f.Columns = append(f.Columns, c)
	}
	if w.next != list.Len() {
		return Damaged("its schema is not a tree")
	}
	return nil
}

type schemaWalk struct {
	f    *Footer
	list *Value
	next int
}

// node reads the element that comes next and all below it.
func (w *schemaWalk) node(path []string, depth int) error {
	if w.next >= w.list.Len() {
		return Damaged("its schema is not a tree")
	}
	if depth > 64 {
		return Unsupported("", "the schema is nested more than 64 levels deep")
	}
	s := w.list.At(w.next).View()
	w.next++
	name, ok := s.Get(ElementName).Bytes()
	if !ok {
		return Damaged("a column has no name")
	}
	path = append(path[:len(path):len(path)], string(name))
	repetition, ok := s.Get(ElementRepetition).Int()
	if !ok || repetition < 0 || repetition > 2 {
		return Damaged("column %q is neither required nor optional nor repeated", strings.Join(path, "."))
	}
	children, ok := s.Get(ElementChildren).Int()
	physical, leaf := s.Get(ElementPhysical).Int()
	switch {
	case children < 0 || children > int64(w.list.Len()-w.next):
		return Damaged("its schema is not a tree")
	case leaf && children == 0:
		length, _ := s.Get(ElementLength).Int()
		w.f.Leaves = append(w.f.Leaves, Leaf{
			Path: path, Top: len(w.f.Columns), Repetition: Repetition(repetition),
			Physical: Physical(physical), Length: length, Logical: readLogical(s),
		})
	case leaf || !ok:
		return Damaged("column %q has a type and columns below it, or neither", strings.Join(path, "."))
	}
	for range children {
		if err := w.node(path, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Logical is what values mean.
type Logical struct {
	Kind    LogicalKind
	Bits    int   // of an Integer
	Signed  bool  // of an Integer
	Unit    uint8 // of Time and Timestamp: 1 ms, 2 us, 3 ns
	UTC     bool  // of Time and Timestamp
	Scale   int64 // of a Decimal
	Precise int64 // digits of a Decimal
}

// converted is ConvertedType, the older annotation, in terms of the newer.
var converted = map[int64]Logical{
	0: {Kind: Utf8}, 1: {Kind: Map}, 2: {Kind: Map}, 3: {Kind: Listing}, 4: {Kind: Enum}, 5: {Kind: Decimal},
	6: {Kind: Date},
	7: {Kind: Time, Unit: 1, UTC: true}, 8: {Kind: Time, Unit: 2, UTC: true},
	9: {Kind: Timestamp, Unit: 1, UTC: true}, 10: {Kind: Timestamp, Unit: 2, UTC: true},
	11: {Kind: Integer, Bits: 8}, 12: {Kind: Integer, Bits: 16}, 13: {Kind: Integer, Bits: 32},
	14: {Kind: Integer, Bits: 64},
	15: {Kind: Integer, Bits: 8, Signed: true}, 16: {Kind: Integer, Bits: 16, Signed: true},
	17: {Kind: Integer, Bits: 32, Signed: true}, 18: {Kind: Integer, Bits: 64, Signed: true},
	19: {Kind: JSON}, 20: {Kind: Bson}, 21: {Kind: Interval},
}

// readLogical takes the newer annotation where both stand.
func readLogical(element *Value) Logical {
	l := Logical{}
	if u := element.Get(ElementLogical).View(); u != nil && len(u.Fields()) > 0 {
		member := u.Fields()[0]
		l = Logical{Kind: LogicalKind(member.ID)}
		s := member.Value.View()
		switch l.Kind {
		case Decimal:
			l.Scale, _ = s.Get(1).Int()
			l.Precise, _ = s.Get(2).Int()
		case Time, Timestamp:
			l.UTC, _ = s.Get(1).Bool()
			if unit := s.Get(2).View(); unit != nil && len(unit.Fields()) > 0 {
				l.Unit = uint8(unit.Fields()[0].ID)
			}
		case Integer:
			bits, _ := s.Get(1).Int()
			l.Bits = int(bits)
			l.Signed, _ = s.Get(2).Bool()
		}
		return l
	}
	if c, ok := element.Get(ElementConverted).Int(); ok {
		if l, ok = converted[c]; !ok {
			l.Kind = -1
		}
		if l.Kind == Decimal {
			l.Scale, _ = element.Get(ElementScale).Int()
			l.Precise, _ = element.Get(ElementPrecision).Int()
		}
	}
	return l
}

// Levels are the largest repetition and definition level of a column.
type Levels struct{ Repetition, Definition int32 }
