package meta

import (
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Leaf is a column of values.
type Leaf struct {
	Path       []string // from the top level down
	Top        int      // index of the top-level column it belongs to
	Repetition format.FieldRepetitionType
	Most       Levels
	Physical   format.Type
	Length     int64 // of FixedLenByteArray values, in bytes
	Logical    Logical
}

// A Column is a top-level column: one leaf, or a group of them.
type Column struct {
	Name       string
	Repetition format.FieldRepetitionType
	Leaf       int // index of its first leaf
	Leaves     int // how many it has
	Flat       bool
	Logical    Logical // of the group, where it is not flat
	Element    int     // index in the schema list of the footer
	Elements   int     // how many elements of that list it takes

	sound bool // whether readers of a copy can make something of its elements
}

// Levels are the largest repetition and definition level of a column.
type Levels struct{ Repetition, Definition int32 }

// Name is the path with dots.
func (l *Leaf) Name() string { return strings.Join(l.Path, ".") }

// CheckSchema reports why a copy of the column could not be read, as far as the schema says.
func (c *Column) CheckSchema() error {
	if !c.sound {
		return Damaged("the schema of column %q is invalid", c.Name)
	}
	return nil
}

// An element is a node of the schema.
type element struct {
	format.SchemaElement
	logical Logical
}

// children counts the elements right below.
func (e *element) children() int64 { return int64(e.NumChildren.V) }

// leaf reports whether it is a column of values.
func (e *element) leaf() bool { return e.Type.Valid && e.children() == 0 }

// schemaWalk goes along the list of elements, a tree in depth-first order.
type schemaWalk struct {
	f    *Footer
	list []element
	next int
}

func (f *Footer) readSchema() error {
	schema := f.Meta.Get(MetaSchema).View()
	if schema.Len() == 0 {
		return Damaged("it has no schema")
	}
	w := schemaWalk{f: f, next: 1}
	for i := range schema.Len() {
		e, err := f.readElement(schema.At(i), i)
		if err != nil {
			return err
		}
		w.list = append(w.list, e)
	}
	children := w.list[0].children()
	if children < 0 || children >= int64(len(w.list)) && children > 0 {
		return Damaged("its schema is not a tree")
	}
	for range children {
		at, leaf := w.next, len(f.Leaves)
		sound, err := w.node(nil, Levels{}, Plain)
		if err != nil {
			return err
		}
		e := &w.list[at]
		f.Columns = append(f.Columns, Column{
			Name: e.Name, Repetition: e.RepetitionType.V, Leaf: leaf, Leaves: len(f.Leaves) - leaf, Flat: e.leaf(),
			Logical: e.logical, Element: at, Elements: w.next - at, sound: sound,
		})
	}
	if w.next != len(w.list) {
		return Damaged("its schema is not a tree")
	}
	return nil
}

// readElement takes element i of the schema. It need not be as the format says, where nobody
// takes it over.
func (f *Footer) readElement(v *Value, i int) (e element, err error) {
	fault := Damaged("element %d of its schema is invalid", i)
	ok := v.Decode(&e.SchemaElement, true) == nil
	if !ok {
		if e = (element{}); v.Decode(&e.SchemaElement, false) != nil {
			return e, fault
		}
	}
	union := v.View().Get(ElementLogical).View()
	e.logical = readLogical(&e.SchemaElement, union.Fields())
	ok = ok && (union == nil || len(union.Fields()) == 1 && union.Fields()[0].ID > 0 &&
		union.Fields()[0].Value.Kind() == thrift.STRUCT)
	if (!ok || i > 0 && !e.RepetitionType.Valid) && f.fault == nil {
		f.fault = fault
	}
	return e, nil
}

// node takes the element that comes next and all below it. In is what it stands in: only the
// elements of a list may be lists or maps that are repeated. Sound reports whether readers of
// a copy can make something of them.
func (w *schemaWalk) node(path []string, above Levels, in LogicalKind) (sound bool, err error) {
	if w.next >= len(w.list) {
		return false, Damaged("its schema is not a tree")
	}
	if len(path) > 64 {
		return false, Unsupported("", "the schema is nested more than 64 levels deep")
	}
	e := &w.list[w.next]
	w.next++
	path = append(path[:len(path):len(path)], e.Name)
	switch repetition := e.RepetitionType.V; {
	case !e.RepetitionType.Valid || repetition < format.Required || repetition > format.Repeated:
		return false, Damaged("column %q is neither required nor optional nor repeated", strings.Join(path, "."))
	case repetition == format.Repeated:
		above.Repetition++
		above.Definition++
	case repetition == format.Optional:
		above.Definition++
	}
	switch children := e.children(); {
	case children < 0 || children > int64(len(w.list)-w.next):
		return false, Damaged("its schema is not a tree")
	case e.leaf():
		w.f.Leaves = append(w.f.Leaves, Leaf{
			Path: path, Top: len(w.f.Columns), Repetition: e.RepetitionType.V, Most: above,
			Physical: e.Type.V, Length: int64(e.TypeLength.V), Logical: e.logical,
		})
		return e.Type.V >= 0 && e.Type.V <= format.FixedLenByteArray &&
			suits(e.logical, e.Type.V, int64(e.TypeLength.V)), nil
	case e.Type.Valid || !e.NumChildren.Valid:
		return false, Damaged("column %q has a type and columns below it, or neither", strings.Join(path, "."))
	}
	sound = w.groups(e, in)
	for range e.children() {
		below, err := w.node(path, above, e.logical.Kind)
		if err != nil {
			return false, err
		}
		sound = sound && below
	}
	return sound, nil
}

// groups reports whether a group that was annotated so, and stands in another, may hold the
// elements that come next.
func (w *schemaWalk) groups(e *element, in LogicalKind) bool {
	kind := e.logical.Kind
	switch kind {
	case Plain, Variant:
		return true
	case Map, Listing:
	default:
		return kind > Geography // one that there is not yet
	}
	// The repeated group of a map is annotated as MAP_KEY_VALUE by some writers.
	if e.ConvertedType.Valid && e.ConvertedType.V == 2 && e.LogicalType.Value == nil {
		return true
	}
	if e.RepetitionType.V == format.Repeated && in != Listing || e.children() != 1 || w.next >= len(w.list) {
		return false
	}
	inner := &w.list[w.next]
	fields := inner.children()
	return inner.RepetitionType.V == format.Repeated && (kind == Listing || fields == 1 || fields == 2)
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
var converted = [...]Logical{
	{Kind: Utf8}, {Kind: Map}, {Kind: Map}, {Kind: Listing}, {Kind: Enum}, {Kind: Decimal}, {Kind: Date},
	{Kind: Time, Unit: 1, UTC: true}, {Kind: Time, Unit: 2, UTC: true},
	{Kind: Timestamp, Unit: 1, UTC: true}, {Kind: Timestamp, Unit: 2, UTC: true},
	{Kind: Integer, Bits: 8}, {Kind: Integer, Bits: 16}, {Kind: Integer, Bits: 32}, {Kind: Integer, Bits: 64},
	{Kind: Integer, Bits: 8, Signed: true}, {Kind: Integer, Bits: 16, Signed: true},
	{Kind: Integer, Bits: 32, Signed: true}, {Kind: Integer, Bits: 64, Signed: true},
	{Kind: JSON}, {Kind: Bson}, {Kind: Interval},
}

// readLogical takes the newer annotation, whose members these are, where both stand. A member
// that parquet-go does not know keeps its number.
func readLogical(e *format.SchemaElement, newer []Field) (l Logical) {
	unit := func(u format.TimeUnit) uint8 {
		if u.Value == nil {
			return 0
		}
		return uint8(u.Value.FieldID())
	}
	if len(newer) > 0 {
		l.Kind = LogicalKind(newer[0].ID)
		switch t := e.LogicalType.Value.(type) {
		case *format.DecimalType:
			l.Scale, l.Precise = int64(t.Scale), int64(t.Precision)
		case *format.TimeType:
			l.UTC, l.Unit = t.IsAdjustedToUTC, unit(t.Unit)
		case *format.TimestampType:
			l.UTC, l.Unit = t.IsAdjustedToUTC, unit(t.Unit)
		case *format.IntType:
			l.Bits, l.Signed = int(t.BitWidth), t.IsSigned
		}
		return l
	}
	if c := e.ConvertedType; c.Valid {
		if c.V < 0 || int(c.V) >= len(converted) {
			return Logical{Kind: -1}
		}
		if l = converted[c.V]; l.Kind == Decimal {
			l.Scale, l.Precise = int64(e.Scale.V), int64(e.Precision.V)
		}
	}
	return l
}
