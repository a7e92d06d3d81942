package files

import (
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

// An arrowField is a column of an Arrow schema, or one below it. Of a type
// only its number and parameters are read, so that columns of any type can be
// walked over.
type arrowField struct {
	name     string
	nullable bool
	code     int    // of the union Type in Schema.fbs
	params   string // of the type, spelled
	first    uint64 // its first parameter
	second   uint64 // and its second
	third    uint64
	signed   bool // the second, where that is a flag
	dict     *arrowEncoding
	below    []arrowField
	metadata []pair
}

// An arrowEncoding says by which dictionary a field's indices are read.
type arrowEncoding struct {
	id      int64
	index   arrowField // its type only
	ordered bool
}

// A pair is an entry of custom metadata.
type pair struct{ key, value string }

// An arrowLayout is what an array of a type takes in a record batch beside its
// children, and how many bytes each parameter of the type has (0: a text, -4:
// a list of 4 bytes each) with what it is where it is absent. It is the table
// "Buffer listing for each layout" of
// https://arrow.apache.org/docs/format/Columnar.html, and Schema.fbs.
type arrowLayout struct {
	buffers int
	views   bool
	size    []int
	absent  []uint64
}

// Numbers of the union Type that are named here.
const (
	codeInt         = 2
	codeFloat       = 3
	codeBinary      = 4
	codeText        = 5
	codeBool        = 6
	codeDecimal     = 7
	codeDate        = 8
	codeTimestamp   = 10
	codeUnion       = 14
	codeDuration    = 18
	codeLargeBinary = 19
	codeLargeText   = 20
	codeBinaryView  = 23
	codeTextView    = 24
)

var arrowLayouts = map[int]arrowLayout{
	1:               {}, // null
	codeInt:         {buffers: 2, size: []int{4, 1}, absent: []uint64{0, 0}},
	codeFloat:       {buffers: 2, size: []int{2}, absent: []uint64{0}},
	codeBinary:      {buffers: 3},
	codeText:        {buffers: 3},
	codeBool:        {buffers: 2},
	codeDecimal:     {buffers: 2, size: []int{4, 4, 4}, absent: []uint64{0, 0, 128}},
	codeDate:        {buffers: 2, size: []int{2}, absent: []uint64{1}},
	9:               {buffers: 2, size: []int{2, 4}, absent: []uint64{1, 32}}, // time
	codeTimestamp:   {buffers: 2, size: []int{2, 0}, absent: []uint64{0, 0}},
	11:              {buffers: 2, size: []int{2}, absent: []uint64{0}}, // interval
	12:              {buffers: 2},                                      // list
	13:              {buffers: 1},                                      // struct
	codeUnion:       {buffers: 1, size: []int{2, -4}, absent: []uint64{0, 0}},
	15:              {buffers: 2, size: []int{4}, absent: []uint64{0}}, // fixed size binary
	16:              {buffers: 1, size: []int{4}, absent: []uint64{0}}, // fixed size list
	17:              {buffers: 2, size: []int{1}, absent: []uint64{0}}, // map
	codeDuration:    {buffers: 2, size: []int{2}, absent: []uint64{1}},
	codeLargeBinary: {buffers: 3},
	codeLargeText:   {buffers: 3},
	21:              {buffers: 2}, // large list
	22:              {},           // run-end encoded
	codeBinaryView:  {buffers: 2, views: true},
	codeTextView:    {buffers: 2, views: true},
	25:              {buffers: 3}, // list view
	26:              {buffers: 3}, // large list view
}

// maxFields bounds the fields of a schema: objects may be referred to more
// than once, so that a few bytes could unfold into very many.
const maxFields = 1 << 20

// arrowFields are the columns of a schema. It panics where they are none that
// are known.
func arrowFields(schema table) []arrowField {
	left := maxFields
	return fieldsBelow(schema.tables(1), 0, &left)
}

func fieldsBelow(list []table, depth int, left *int) []arrowField {
	if *left -= len(list); *left < 0 || depth > maxDepth {
		panic("more fields than a file has")
	}
	fields := make([]arrowField, len(list))
	for i, t := range list {
		f := &fields[i]
		f.name, f.nullable, f.metadata = t.text(0), t.word(1, 1, 0) != 0, t.pairs(6)
		f.typed(int(t.word(2, 1, 0)), t.sub(3))
		if t.slot(4) > 0 {
			d := t.sub(4)
			f.dict = &arrowEncoding{id: int64(d.word(0, 8, 0)), ordered: d.word(2, 1, 0) != 0}
			if f.dict.index.first, f.dict.index.signed = 32, true; d.slot(1) > 0 {
				f.dict.index.typed(codeInt, d.sub(1))
			}
		}
		f.below = fieldsBelow(t.tables(5), depth+1, left)
	}
	return fields
}

// typed sets the type from its table.
func (f *arrowField) typed(code int, t table) {
	l, ok := arrowLayouts[code]
	if !ok {
		panic("a type that is not known")
	}
	f.code = code
	for i, size := range l.size {
		switch size {
		case 0:
			f.params += fmt.Sprintf(" %q", t.text(i))
		case -4:
			at, n := t.vector(i)
			f.params += fmt.Sprintf(" %x", t.b[at:at+4*n])
		default:
			v := t.word(i, size, l.absent[i])
			f.params += fmt.Sprintf(" %d", v)
			switch i {
			case 0:
				f.first = v
			case 1:
				f.second, f.signed = v, size == 1 && v != 0
			case 2:
				f.third = v
			}
		}
	}
}

// pairs are the custom metadata in field i.
func (t table) pairs(i int) []pair {
	list := t.tables(i)
	if len(list) > maxFields {
		panic("more metadata than a file has")
	}
	pairs := make([]pair, len(list))
	for k, e := range list {
		pairs[k] = pair{e.text(0), e.text(1)}
	}
	return pairs
}

// same reports whether two fields are of one type and say the same of it.
func (f *arrowField) same(g *arrowField) bool {
	if (f.dict == nil) != (g.dict == nil) || f.dict != nil && (f.dict.id != g.dict.id ||
		f.dict.ordered != g.dict.ordered || f.dict.index.params != g.dict.index.params) {
		return false
	}
	return f.name == g.name && f.nullable == g.nullable && f.code == g.code && f.params == g.params &&
		slices.Equal(f.metadata, g.metadata) &&
		slices.EqualFunc(f.below, g.below, func(a, b arrowField) bool { return a.same(&b) })
}

// said are the metadata of a field and of those below it.
func (f *arrowField) said() []pair {
	all := slices.Clone(f.metadata)
	for i := range f.below {
		all = append(all, f.below[i].said()...)
	}
	return all
}

// dictionaries are the ids of those that a field and those below it use.
func (f *arrowField) dictionaries() (ids []int64) {
	if f.dict != nil {
		ids = append(ids, f.dict.id)
	}
	for i := range f.below {
		ids = append(ids, f.below[i].dictionaries()...)
	}
	return ids
}

// A tally counts what arrays take in a record batch: field nodes, buffers
// apart from those of views, and view arrays.
type tally struct{ nodes, buffers, views int }

// tally counts for the array of a field in a message of that version:
// indices, where it is dictionary encoded.
func (f *arrowField) tally(version uint64) tally {
	if f.dict != nil {
		return tally{1, 2, 0}
	}
	return f.valueTally(version)
}

// valueTally counts for the values of a field.
func (f *arrowField) valueTally(version uint64) tally {
	l := arrowLayouts[f.code]
	n := tally{1, l.buffers, 0}
	if l.views {
		n.views = 1
	}
	if f.code == codeUnion {
		n.buffers += int(f.first & 1) // the offsets of a dense one
		if version < 4 {
			n.buffers++ // a validity bitmap, before metadata version 5
		}
	}
	for i := range f.below {
		c := f.below[i].tally(version)
		n.nodes, n.buffers, n.views = n.nodes+c.nodes, n.buffers+c.buffers, n.views+c.views
	}
	return n
}

// private is the type of the values of a private column and how arrow-go calls
// it; ok is false where no run privatizes it.
func (f *arrowField) private() (t Type, as arrow.DataType, ok bool) {
	if len(f.below) > 0 {
		return t, nil, false
	}
	switch f.code {
	case codeText:
		return Type{Kind: Text}, arrow.BinaryTypes.String, true
	case codeLargeText:
		return Type{Kind: Text}, arrow.BinaryTypes.LargeString, true
	case codeTextView:
		return Type{Kind: Text}, arrow.BinaryTypes.StringView, true
	case codeBinary:
		return Type{Kind: Binary}, arrow.BinaryTypes.Binary, true
	case codeLargeBinary:
		return Type{Kind: Binary}, arrow.BinaryTypes.LargeBinary, true
	case codeBinaryView:
		return Type{Kind: Binary}, arrow.BinaryTypes.BinaryView, true
	case codeBool:
		return Type{Kind: Boolean}, arrow.FixedWidthTypes.Boolean, true
	case codeDate:
		if f.first == 1 { // milliseconds
			return Type{Kind: Date}, arrow.FixedWidthTypes.Date64, true
		}
		return Type{Kind: Date}, arrow.FixedWidthTypes.Date32, f.first == 0 // days
	case codeFloat:
		if f.first > 2 {
			return t, nil, false
		}
		return Type{Kind: Float, Bits: 16 << f.first}, []arrow.DataType{arrow.FixedWidthTypes.Float16,
			arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64}[f.first], true
	case codeDecimal:
		as, err := arrow.NewDecimalType(map[uint64]arrow.Type{32: arrow.DECIMAL32, 64: arrow.DECIMAL64, 128: arrow.DECIMAL128,
			256: arrow.DECIMAL256}[f.third], int32(f.first), int32(f.second))
		return Type{Kind: Decimal, Scale: int(int32(f.second))}, as, err == nil
	case codeTimestamp:
		if f.first > 3 {
			return t, nil, false
		}
		unit := arrow.TimeUnit(f.first)
		return Type{Kind: Timestamp, Ticks: int64(time.Second / unit.Multiplier())}, &arrow.TimestampType{Unit: unit}, true
	case codeDuration:
		if f.first > 3 {
			return t, nil, false
		}
		return Type{Kind: Integer, Bits: 64}, &arrow.DurationType{Unit: arrow.TimeUnit(f.first)}, true
	case codeInt:
		as, ok = f.integer()
		return Type{Kind: Integer, Bits: int(f.first), Unsigned: !f.signed}, as, ok
	}
	return t, nil, false
}

// integer is how arrow-go calls an integer type.
func (f *arrowField) integer() (arrow.DataType, bool) {
	signed := map[uint64]arrow.DataType{8: arrow.PrimitiveTypes.Int8, 16: arrow.PrimitiveTypes.Int16,
		32: arrow.PrimitiveTypes.Int32, 64: arrow.PrimitiveTypes.Int64}
	unsigned := map[uint64]arrow.DataType{8: arrow.PrimitiveTypes.Uint8, 16: arrow.PrimitiveTypes.Uint16,
		32: arrow.PrimitiveTypes.Uint32, 64: arrow.PrimitiveTypes.Uint64}
	if f.signed {
		as, ok := signed[f.first]
		return as, ok
	}
	as, ok := unsigned[f.first]
	return as, ok
}
