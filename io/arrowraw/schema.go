package arrowraw

import (
	"encoding/binary"
	"strconv"
)

const (
	versionV4 = 3 // MetadataVersion in Schema.fbs
	versionV5 = 4

	maxDepth = 64 // of nested fields, as in Arrow's libraries
)

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

func readSchema(t table) (*Schema, error) {
	if t.int16(0, 0) != 0 {
		return nil, &FormatError{"the file is big-endian, which is not supported", "write it again on a little-endian machine"}
	}
	fields, err := readFields(t.tables(1), 0)
	if err != nil {
		return nil, err
	}
	return &Schema{fields, readMetadata(t, 2), t.int64s(3, 1)}, nil
}

func readFields(list []table, depth int) ([]Field, error) {
	if depth > maxDepth {
		return nil, formatErrorf("fields are nested more than %d deep", maxDepth)
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

func readField(t table, depth int) (Field, error) {
	f := Field{Name: t.text(0), Nullable: t.flag(1), Metadata: readMetadata(t, 6)}
	code := Code(t.byte(2))
	if int(code) >= len(layouts) || layouts[code].name == "" {
		return f, &FormatError{"column " + strconv.Quote(f.Name) + " has a type this version does not know", "cast or drop the column before"}
	}
	sub, ok := t.sub(3)
	if !ok {
		return f, formatErrorf("column %q has no type", f.Name)
	}
	f.Type = readType(code, sub)
	if d, ok := t.sub(4); ok {
		index := IntType(32, true)
		if sub, ok := d.sub(1); ok {
			index = readType(Int, sub)
		}
		if d.int16(3, 0) != 0 || !validInt(index) {
			return f, formatErrorf("column %q has an unknown kind of dictionary encoding", f.Name)
		}
		f.Dict = &DictEncoding{d.int64(0), index, d.flag(2)}
	}
	var err error
	f.Children, err = readFields(t.tables(5), depth+1)
	if err != nil {
		return f, err
	}
	if want := layouts[code].children; want >= 0 && len(f.Children) != want {
		return f, formatErrorf("column %q: a %s has %d children, not %d", f.Name, layouts[code].name, want, len(f.Children))
	}
	return f, nil
}

func readType(code Code, t table) Type {
	typ := Type{Code: code}
	for i, p := range layouts[code].params {
		absent := layouts[code].absent[i]
		switch p {
		case paramBool:
			if t.flag(i) {
				typ.Num[i] = 1
			}
		case paramInt16:
			typ.Num[i] = int32(t.int16(i, int16(absent)))
		case paramInt32:
			typ.Num[i] = t.int32(i, absent)
		case paramText:
			typ.Zone = t.text(i)
		case paramInt32s:
			from, n := t.vector(i, 4)
			for j := range n {
				typ.IDs = append(typ.IDs, int32(binary.LittleEndian.Uint32(t.buf[from+4*j:])))
			}
		}
	}
	return typ
}

func validInt(t Type) bool {
	switch t.Num[0] {
	case 8, 16, 32, 64:
		return true
	}
	return false
}

func readMetadata(t table, slot int) []KeyValue {
	var kv []KeyValue
	for _, e := range t.tables(slot) {
		kv = append(kv, KeyValue{e.text(0), e.text(1)})
	}
	return kv
}
