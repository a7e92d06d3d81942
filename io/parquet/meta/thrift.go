package meta

import "slices"

// Trees in the compact protocol of Thrift, which Parquet's metadata are, are read,
// edited and written here. What is not changed, known or not, is written byte for
// byte as it was read.
//
// What is read is not trusted: all levels are checked, and lengths held
// against what is there, before anything is allocated.
//
// parquet-go 0.32 reads and writes the same protocol, into the structs of its
// package format. It is not used here because
//   - it allocates the length that a list claims, and follows nesting without
//     a bound: a footer of 8 bytes, or one of structs in structs, ends the process
//     in a way that no recover sees;
//   - it writes statistics that are absent as a null_count of 0, in columns and in
//     the headers of pages, by which readers skip rows where a cell IS NULL;
//   - a member of LogicalType or ColumnOrder that it does not know becomes none,
//     so that values would be read as what they are not.

// WireType is a type of the compact protocol.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type WireType uint8

// The types of the compact protocol. A boolean field has its value for type;
// lists of booleans have True or False for element type.
const (
	True     WireType = 1
	False    WireType = 2
	I8       WireType = 3
	I16      WireType = 4
	I32      WireType = 5
	I64      WireType = 6
	Double   WireType = 7
	Binary   WireType = 8
	ListOf   WireType = 9
	SetOf    WireType = 10
	MapOf    WireType = 11
	Record   WireType = 12
	WireUUID WireType = 13
)

// A Value is a Thrift value. It keeps the bytes it was read from and decodes
// the level below only when asked; what was not changed is written as it was
// read. All accessors may be called on nil, which stands for an absent field.
type Value struct {
	typ    WireType
	raw    []byte // encoded, without field header
	record *Struct
	list   *List
}

// A Field is one field of a Struct.
type Field struct {
	ID    int16
	Value *Value
}

// A Struct is a Thrift struct or union, fields in the order they were read.
type Struct struct {
	raw    []byte // up to and with the stop byte; nil for a new struct
	field  []Field
	edited bool
}

// A List is a Thrift list or set.
type List struct {
	raw    []byte
	elem   WireType
	item   []Value
	edited bool
}

// ParseStruct checks the struct that b begins with, all levels of it, and
// returns it with the number of bytes it takes. It keeps b.
func ParseStruct(b []byte) (*Struct, int, error) {
	s := scanner{b: b}
	if err := s.skipStruct(0); err != nil {
		return nil, 0, err
	}
	return openStruct(b[:s.pos]), s.pos, nil
}

// NewStruct is a struct of these fields, whose ids must ascend.
func NewStruct(field ...Field) *Struct { return &Struct{field: field, edited: true} }

// Numbered are fields of type I32 with ids from 1 on.
func Numbered(value ...int64) (field []Field) {
	for i, v := range value {
		field = append(field, Field{int16(i + 1), Int(I32, v)})
	}
	return field
}

// Fields lists the fields. The caller must not change the slice.
func (s *Struct) Fields() []Field { return s.field }

// Get is the field of that id, nil where it is absent or s is nil.
func (s *Struct) Get(id int16) *Value {
	if s == nil {
		return nil
	}
	for i := range s.field {
		if s.field[i].ID == id {
			return s.field[i].Value
		}
	}
	return nil
}

// Set replaces the field of that id or puts it before the first greater one.
func (s *Struct) Set(id int16, v *Value) {
	s.edited = true
	at := len(s.field)
	for i := range s.field {
		if s.field[i].ID == id {
			s.field[i].Value = v
			return
		}
		if s.field[i].ID > id {
			at = min(at, i)
		}
	}
	s.field = slices.Insert(s.field, at, Field{id, v})
}

// Delete removes the field of that id, if there is one.
func (s *Struct) Delete(id int16) {
	if i := slices.IndexFunc(s.field, func(f Field) bool { return f.ID == id }); i >= 0 {
		s.field, s.edited = slices.Delete(s.field, i, i+1), true
	}
}

// NewList is a list of these values, all of type elem.
func NewList(elem WireType, item ...*Value) *List {
	l := &List{elem: elem, edited: true}
	for _, v := range item {
		l.Append(v)
	}
	return l
}

// Elem is the type of the elements.
func (l *List) Elem() WireType { return l.elem }

// Len counts the elements; a nil list has none.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return len(l.item)
}

// At is element i. What is changed in it changes in the list.
func (l *List) At(i int) *Value { return &l.item[i] }

// Append adds an element of the list's type.
func (l *List) Append(v *Value) {
	if v.typ != l.elem && !(v.isBool() && l.elem <= False) {
		panic("thrift: element of another type than the list")
	}
	l.item = append(l.item, *v)
	l.edited = true
}

// Delete removes element i.
func (l *List) Delete(i int) {
	l.item, l.edited = slices.Delete(l.item, i, i+1), true
}
