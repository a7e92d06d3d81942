package batch

import "strconv"

// The values of MetadataVersion that are read.
const (
	V4 = 3
	V5 = 4
)

const maxDepth = 64 // of nested fields, as in Arrow's libraries

// A KeyValue is one entry of custom metadata.
type KeyValue struct{ Key, Value string }

// A Schema is the schema of a file.
type Schema struct {
	Fields   []Field
	Metadata []KeyValue
	Features []int64
}

// A Field is a column or a child of one. Type and Children are those of the
// values where it is dictionary encoded.
type Field struct {
	Name     string
	Nullable bool
	Type     Type
	Dict     *DictEncoding // nil where the field is not dictionary encoded
	Children []Field
	Metadata []KeyValue
}

// A DictEncoding says by which dictionary a field's indices are read.
type DictEncoding struct {
	ID      int64
	Index   Type
	Ordered bool
}

// ReadSchema reads the table of a schema.
func ReadSchema(t FlatTable) (*Schema, error) {
	if t.Int16(0, 0) != 0 {
		return nil, &Error{What: "the file is big-endian, which is not supported",
			Hint: "write it again on a little-endian machine"}
	}
	fields, err := readFields(t.Tables(1), 0)
	if err != nil {
		return nil, err
	}
	return &Schema{fields, ReadMetadata(t, 2), t.Int64s(3, 1)}, nil
}

func readFields(list []FlatTable, depth int) ([]Field, error) {
	if depth > maxDepth {
		return nil, Errorf("fields are nested more than %d deep", maxDepth)
	}
	fields := make([]Field, len(list))
	for i, t := range list {
		var err error
		if fields[i], err = readField(t, depth); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func readField(t FlatTable, depth int) (Field, error) {
	f := Field{Name: t.Text(0), Nullable: t.Flag(1), Metadata: ReadMetadata(t, 6)}
	code := Code(t.Byte(2))
	if int(code) >= len(Layouts) || Layouts[code].Name == "" {
		return f, &Error{What: "column " + strconv.Quote(f.Name) + " has a type this version does not know",
			Hint: "cast or drop the column before"}
	}
	sub, ok := t.Sub(3)
	if !ok {
		return f, Errorf("column %q has no type", f.Name)
	}
	f.Type = readType(code, sub)
	if d, ok := t.Sub(4); ok {
		index := IntType(32, true)
		if sub, ok := d.Sub(1); ok {
			index = readType(Int, sub)
		}
		if d.Int16(3, 0) != 0 || !ValidInt(index) {
			return f, Errorf("column %q has an unknown kind of dictionary encoding", f.Name)
		}
		f.Dict = &DictEncoding{d.Int64(0), index, d.Flag(2)}
	}
	var err error
	f.Children, err = readFields(t.Tables(5), depth+1)
	if err != nil {
		return f, err
	}
	if want := Layouts[code].Children; want >= 0 && len(f.Children) != want {
		return f, Errorf("column %q: a %s has %d children, not %d", f.Name, Layouts[code].Name, want, len(f.Children))
	}
	return f, nil
}

func readType(code Code, t FlatTable) Type {
	typ := Type{Code: code}
	for i, p := range Layouts[code].Params {
		absent := Layouts[code].Absent[i]
		switch p {
		case ParamBool:
			if t.Flag(i) {
				typ.Num[i] = 1
			}
		case ParamInt16:
			typ.Num[i] = int32(t.Int16(i, int16(absent)))
		case ParamInt32:
			typ.Num[i] = t.Int32(i, absent)
		case ParamText:
			typ.Zone = t.Text(i)
		case ParamInt32s:
			typ.IDs = t.Int32s(i)
		}
	}
	return typ
}

// ValidInt reports whether an Int has a width that there is.
func ValidInt(t Type) bool {
	switch t.Num[0] {
	case 8, 16, 32, 64:
		return true
	}
	return false
}

// ReadMetadata reads the custom metadata in a field of a table.
func ReadMetadata(t FlatTable, slot int) []KeyValue {
	var kv []KeyValue
	for _, e := range t.Tables(slot) {
		kv = append(kv, KeyValue{e.Text(0), e.Text(1)})
	}
	return kv
}

// Dictionaries calls add with the id of every dictionary that the field or its
// children need.
func (f *Field) Dictionaries(add func(id int64, values *Field)) {
	if f.Dict != nil {
		add(f.Dict.ID, f)
	}
	for i := range f.Children {
		f.Children[i].Dictionaries(add)
	}
}
