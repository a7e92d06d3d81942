package batch

// Codes that are named only here.
const (
	null          Code = 1
	interval      Code = 11
	list          Code = 12
	Struct        Code = 13
	fixedSizeList Code = 16
	mapType       Code = 17
	largeList     Code = 21
	runEndEncoded Code = 22
	listView      Code = 25
	largeListView Code = 26
)

// A Param is how a type's parameter is stored in its table.
type Param uint8

// The ways in which parameters are stored.
const (
	ParamBool Param = iota
	ParamInt16
	ParamInt32
	ParamText
	ParamInt32s
)

// A Layout says what a type's table holds and what an array of it takes in a
// record batch: one field node always, so many buffers, and its children.
type Layout struct {
	Name     string
	Buffers  int
	Children int // -1: any number
	Views    bool
	Params   []Param
	Absent   [3]int32 // what a parameter is when its field is left out
}

// Layouts are those of "Buffer listing for each layout" in Columnar.html, and
// the tables of Schema.fbs.
var Layouts = [27]Layout{
	null:          {Name: "null"},
	Int:           {Name: "int", Buffers: 2, Params: []Param{ParamInt32, ParamBool}},
	FloatingPoint: {Name: "float", Buffers: 2, Params: []Param{ParamInt16}},
	BinaryType:    {Name: "binary", Buffers: 3},
	Utf8:          {Name: "utf8", Buffers: 3},
	Bool:          {Name: "bool", Buffers: 2},
	Decimal: {Name: "decimal", Buffers: 2, Params: []Param{ParamInt32, ParamInt32, ParamInt32},
		Absent: [3]int32{0, 0, 128}},
	Date: {Name: "date", Buffers: 2, Params: []Param{ParamInt16}, Absent: [3]int32{Millisecond}},
	TimeOfDay: {Name: "time", Buffers: 2, Params: []Param{ParamInt16, ParamInt32},
		Absent: [3]int32{Millisecond, 32}},
	Timestamp:       {Name: "timestamp", Buffers: 2, Params: []Param{ParamInt16, ParamText}},
	interval:        {Name: "interval", Buffers: 2, Params: []Param{ParamInt16}},
	list:            {Name: "list", Buffers: 2, Children: 1},
	Struct:          {Name: "struct", Buffers: 1, Children: -1},
	Union:           {Name: "union", Buffers: 1, Children: -1, Params: []Param{ParamInt16, ParamInt32s}},
	FixedSizeBinary: {Name: "fixed_size_binary", Buffers: 2, Params: []Param{ParamInt32}},
	fixedSizeList:   {Name: "fixed_size_list", Buffers: 1, Children: 1, Params: []Param{ParamInt32}},
	mapType:         {Name: "map", Buffers: 2, Children: 1, Params: []Param{ParamBool}},
	Duration:        {Name: "duration", Buffers: 2, Params: []Param{ParamInt16}, Absent: [3]int32{Millisecond}},
	LargeBinary:     {Name: "large_binary", Buffers: 3},
	LargeUtf8:       {Name: "large_utf8", Buffers: 3},
	largeList:       {Name: "large_list", Buffers: 2, Children: 1},
	runEndEncoded:   {Name: "run_end_encoded", Children: 2},
	BinaryView:      {Name: "binary_view", Buffers: 2, Views: true},
	Utf8View:        {Name: "utf8_view", Buffers: 2, Views: true},
	listView:        {Name: "list_view", Buffers: 3, Children: 1},
	largeListView:   {Name: "large_list_view", Buffers: 3, Children: 1},
}

// A Tally counts what arrays take in a record batch. Buffers are those apart
// from the variadic ones, whose number stands in the message.
type Tally struct{ Nodes, Buffers, Views int }

// ArrayTally counts for the array of a field, indices where it is dictionary
// encoded.
func ArrayTally(f *Field, version int16) Tally {
	if f.Dict != nil {
		return Tally{Nodes: 1, Buffers: 2}
	}
	return ValueTally(f, version)
}

// ValueTally counts for the field's values, as they stand in its dictionary
// where it has one.
func ValueTally(f *Field, version int16) Tally {
	l := Layouts[f.Type.Code]
	t := Tally{Nodes: 1, Buffers: l.Buffers}
	if l.Views {
		t.Views = 1
	}
	if f.Type.Code == Union {
		t.Buffers += int(f.Type.Num[0] & 1) // offsets of a dense one
		if version < V5 {
			t.Buffers++ // unions had a validity bitmap before V5
		}
	}
	for i := range f.Children {
		c := ArrayTally(&f.Children[i], version)
		t.Nodes, t.Buffers, t.Views = t.Nodes+c.Nodes, t.Buffers+c.Buffers, t.Views+c.Views
	}
	return t
}
