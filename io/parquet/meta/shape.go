package meta

import (
	"math"
	"slices"
)

// A shape says of which types the fields of a struct are. What is not in it is
// not looked at.
type shape map[int16]wanted

// wanted is the type of a field, of the elements of a list, and the shape of
// these or of the field itself.
type wanted struct {
	typ, elem WireType // True stands for a boolean
	of        shape
	required  bool
}

var (
	metaShape = shape{
		MetaVersion: {typ: I32, required: true}, MetaRows: {typ: I64, required: true}, MetaCreatedBy: {typ: Binary},
		MetaSchema:       {typ: ListOf, elem: Record, required: true},
		MetaGroups:       {typ: ListOf, elem: Record, required: true},
		MetaKeyValue:     {typ: ListOf, elem: Record, of: shape{1: {typ: Binary, required: true}, 2: {typ: Binary}}},
		MetaColumnOrders: {typ: ListOf, elem: Record, of: shape{1: {typ: Record}}},
	}
	groupShape = shape{
		GroupRows: {typ: I64, required: true}, GroupOrdinal: {typ: I16},
		GroupChunks: {typ: ListOf, elem: Record, required: true},
		GroupSorting: {typ: ListOf, elem: Record,
			of: shape{1: {typ: I32, required: true}, 2: {typ: True, required: true}, 3: {typ: True, required: true}}},
	}
	elementShape = shape{
		ElementPhysical: {typ: I32}, ElementLength: {typ: I32}, ElementRepetition: {typ: I32},
		ElementName: {typ: Binary, required: true}, ElementChildren: {typ: I32}, ElementConverted: {typ: I32},
		ElementScale: {typ: I32}, ElementPrecision: {typ: I32}, ElementFieldID: {typ: I32},
		ElementLogical: {typ: Record},
	}
	columnShape = shape{
		ColumnPhysical: {typ: I32, required: true}, ColumnEncodings: {typ: ListOf, elem: I32, required: true},
		ColumnPath: {typ: ListOf, elem: Binary, required: true}, ColumnCodec: {typ: I32, required: true},
		ColumnValues: {typ: I64, required: true}, ColumnUncompressedSize: {typ: I64, required: true},
		ColumnSize:     {typ: I64, required: true},
		ColumnDataPage: {typ: I64, required: true}, ColumnDictionaryPage: {typ: I64},
		ColumnStatistics: {typ: Record, of: shape{1: {typ: Binary}, 2: {typ: Binary}, 3: {typ: I64}, 4: {typ: I64},
			5: {typ: Binary}, 6: {typ: Binary}, 7: {typ: True}, 8: {typ: True}}},
		ColumnEncodingStats: {typ: ListOf, elem: Record,
			of: shape{1: {typ: I32, required: true}, 2: {typ: I32, required: true}, 3: {typ: I32, required: true}}},
		ColumnSizeStatistics: {typ: Record, of: shape{1: {typ: I64}, 2: {typ: ListOf, elem: I64},
			3: {typ: ListOf, elem: I64}}},
	}
)

// fits reports whether the fields of a struct are of these types, each at most
// once.
func (of shape) fits(s *Value) bool {
	if s == nil {
		return false
	}
	for i, f := range s.Fields() {
		want, known := of[f.ID]
		if known && !want.fits(f.Value) || slices.ContainsFunc(s.Fields()[:i], func(e Field) bool { return e.ID == f.ID }) {
			return false
		}
	}
	for id, want := range of {
		if want.required && s.Get(id) == nil {
			return false
		}
	}
	return true
}

func (w wanted) fits(v *Value) bool {
	kind := v.Kind()
	if kind == False {
		kind = True
	}
	if kind != w.typ {
		return false
	}
	if w.typ != ListOf {
		return w.of == nil || w.of.fits(v.View())
	}
	l := v.View()
	if l.Elem() != w.elem && (l.Len() > 0 || l.Elem() != 0) { // an empty list may name no type
		return false
	}
	for i := range l.Len() {
		if w.of != nil && !w.of.fits(l.At(i).View()) {
			return false
		}
	}
	return true
}

// logicalShapes are those of the members of LogicalType that have fields.
var logicalShapes = map[LogicalKind]shape{
	Decimal: {1: {typ: I32, required: true}, 2: {typ: I32, required: true}},
	Time: {1: {typ: True, required: true},
		2: {typ: Record, required: true, of: shape{1: {typ: Record}, 2: {typ: Record}, 3: {typ: Record}}}},
	Timestamp: {1: {typ: True, required: true},
		2: {typ: Record, required: true, of: shape{1: {typ: Record}, 2: {typ: Record}, 3: {typ: Record}}}},
	Integer: {1: {typ: I8, required: true}, 2: {typ: True, required: true}},
}

// logicalFits reports whether a LogicalType, nil for none, is one that can be. A
// member of the union that there is not yet may be any struct.
func logicalFits(union *Value) bool {
	if union == nil {
		return true
	}
	if len(union.Fields()) != 1 || union.Fields()[0].Value.Kind() != Record {
		return false
	}
	member := union.Fields()[0]
	return member.ID > 0 && logicalShapes[LogicalKind(member.ID)].fits(member.Value.View())
}

// suits reports whether values of a logical type can be stored so. What is not
// known passes.
func suits(l Logical, p Physical, length int64) bool {
	if p == FixedLen && length < 1 {
		return false
	}
	switch l.Kind {
	case Map, Listing, -1:
		return false
	case Utf8, Enum, JSON, Bson, Geometry, Geography:
		return p == ByteArray
	case Decimal:
		return l.Scale >= 0 && l.Precise >= 1 && l.Scale <= l.Precise && l.Precise <= digits(p, length)
	case Date:
		return p == Int32
	case Time:
		return l.Unit == 1 && p == Int32 || (l.Unit == 2 || l.Unit == 3) && p == Int64
	case Timestamp:
		return l.Unit >= 1 && l.Unit <= 3 && p == Int64
	case Integer:
		return l.Bits == 64 && p == Int64 || (l.Bits == 8 || l.Bits == 16 || l.Bits == 32) && p == Int32
	case UUID:
		return p == FixedLen && length == 16
	case Float16:
		return p == FixedLen && length == 2
	case Interval:
		return p == FixedLen && length == 12
	}
	return true
}

// digits is how many decimal digits such values hold.
func digits(p Physical, length int64) int64 {
	switch p {
	case Int32:
		return 9
	case Int64:
		return 18
	case FixedLen:
		return int64(math.Floor(float64(8*length-1) * math.Log10(2)))
	case ByteArray:
		return math.MaxInt32
	}
	return 0
}
