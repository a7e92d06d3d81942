package arrowraw

// Codes that are named only here.
const (
	null          Code = 1
	interval      Code = 11
	list          Code = 12
	structType    Code = 13
	fixedSizeList Code = 16
	mapType       Code = 17
	largeList     Code = 21
	runEndEncoded Code = 22
	listView      Code = 25
	largeListView Code = 26
)

// A param is how a type's parameter is stored in its table.
type param uint8

const (
	paramBool param = iota
	paramInt16
	paramInt32
	paramText
	paramInt32s
)

// A layout says what a type's table holds and what an array of it takes in a
// record batch: one field node always, so many buffers, and its children.
type layout struct {
	name     string
	buffers  int
	children int // -1: any number
	views    bool
	params   []param
	absent   [3]int32 // what a parameter is when its field is left out
}

// layouts are those of "Buffer listing for each layout" in Columnar.html, and
// the tables of Schema.fbs.
var layouts = [27]layout{
	null:            {name: "null"},
	Int:             {name: "int", buffers: 2, params: []param{paramInt32, paramBool}},
	FloatingPoint:   {name: "float", buffers: 2, params: []param{paramInt16}},
	BinaryType:      {name: "binary", buffers: 3},
	Utf8:            {name: "utf8", buffers: 3},
	Bool:            {name: "bool", buffers: 2},
	Decimal:         {name: "decimal", buffers: 2, params: []param{paramInt32, paramInt32, paramInt32}, absent: [3]int32{0, 0, 128}},
	Date:            {name: "date", buffers: 2, params: []param{paramInt16}, absent: [3]int32{Millisecond}},
	TimeOfDay:       {name: "time", buffers: 2, params: []param{paramInt16, paramInt32}, absent: [3]int32{Millisecond, 32}},
	Timestamp:       {name: "timestamp", buffers: 2, params: []param{paramInt16, paramText}},
	interval:        {name: "interval", buffers: 2, params: []param{paramInt16}},
	list:            {name: "list", buffers: 2, children: 1},
	structType:      {name: "struct", buffers: 1, children: -1},
	Union:           {name: "union", buffers: 1, children: -1, params: []param{paramInt16, paramInt32s}},
	FixedSizeBinary: {name: "fixed_size_binary", buffers: 2, params: []param{paramInt32}},
	fixedSizeList:   {name: "fixed_size_list", buffers: 1, children: 1, params: []param{paramInt32}},
	mapType:         {name: "map", buffers: 2, children: 1, params: []param{paramBool}},
	Duration:        {name: "duration", buffers: 2, params: []param{paramInt16}, absent: [3]int32{Millisecond}},
	LargeBinary:     {name: "large_binary", buffers: 3},
	LargeUtf8:       {name: "large_utf8", buffers: 3},
	largeList:       {name: "large_list", buffers: 2, children: 1},
	runEndEncoded:   {name: "run_end_encoded", children: 2},
	BinaryView:      {name: "binary_view", buffers: 2, views: true},
	Utf8View:        {name: "utf8_view", buffers: 2, views: true},
	listView:        {name: "list_view", buffers: 3, children: 1},
	largeListView:   {name: "large_list_view", buffers: 3, children: 1},
}

// A tally counts what arrays take in a record batch. Buffers are those apart
// from the variadic ones, whose number stands in the message.
type tally struct{ nodes, buffers, views int }

// arrayTally counts for the array of a field, indices where it is dictionary
// encoded.
func arrayTally(f *Field, version int16) tally {
	if f.Dict != nil {
		return tally{nodes: 1, buffers: 2}
	}
	return valueTally(f, version)
}

// valueTally counts for the field's values, as they stand in its dictionary
// where it has one.
func valueTally(f *Field, version int16) tally {
	l := layouts[f.Type.Code]
	t := tally{nodes: 1, buffers: l.buffers}
	if l.views {
		t.views = 1
	}
	if f.Type.Code == Union {
		t.buffers += int(f.Type.Num[0] & 1) // offsets of a dense one
		if version < versionV5 {
			t.buffers++ // unions had a validity bitmap before V5
		}
	}
	for i := range f.Children {
		c := arrayTally(&f.Children[i], version)
		t.nodes, t.buffers, t.views = t.nodes+c.nodes, t.buffers+c.buffers, t.views+c.views
	}
	return t
}
