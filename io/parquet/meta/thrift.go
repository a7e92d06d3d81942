package meta

import (
	"encoding/binary"
	"slices"
)

// Trees in the compact protocol of Thrift, which Parquet's metadata are, are read,
// edited and written here. What is not changed, known or not, is written byte for
// byte as it was read.
//
// What is read is not trusted: all levels are checked, and lengths held
// against what is there, before anything is allocated.

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
// read. All accessors may be called on nil, which stands for an absent field, and on
// a value of another type, which has no such thing.
type Value struct {
	typ    WireType
	elem   WireType // of a list
	raw    []byte   // encoded, without field header; a struct up to and with the stop byte
	kids   []Field  // of a struct, in the order they were read; of a list, without ids
	opened bool     // kids were decoded
	edited bool
}

// A Field is one field of a struct.
type Field struct {
	ID    int16
	Value *Value
}

// ParseStruct checks the struct that b begins with, all levels of it, and
// returns it with the number of bytes it takes. It keeps b.
func ParseStruct(b []byte) (*Value, int, error) {
	s := scanner{b: b}
	if err := s.skipStruct(0); err != nil {
		return nil, 0, err
	}
	v := &Value{typ: Record, raw: b[:s.pos]}
	v.open()
	return v, s.pos, nil
}

// NewStruct is a struct of these fields, whose ids must ascend.
func NewStruct(field ...Field) *Value {
	return &Value{typ: Record, kids: field, opened: true, edited: true}
}

// NewList is a list of these values, all of type elem.
func NewList(elem WireType, item ...*Value) *Value {
	l := &Value{typ: ListOf, elem: elem, opened: true, edited: true}
	for _, v := range item {
		l.Append(v)
	}
	return l
}

// Numbered are fields of type I32 with ids from 1 on.
func Numbered(value ...int64) (field []Field) {
	for i, v := range value {
		field = append(field, Field{int16(i + 1), Int(I32, v)})
	}
	return field
}

// Int is a value of type I16, I32 or I64.
func Int(t WireType, v int64) *Value {
	if t != I16 && t != I32 && t != I64 {
		panic("thrift: not an integer type")
	}
	return &Value{typ: t, raw: binary.AppendVarint(nil, v)}
}

// Bool is a boolean field.
func Bool(v bool) *Value {
	if v {
		return &Value{typ: True}
	}
	return &Value{typ: False}
}

// String is a value of type Binary, UTF-8 or not.
func String(s string) *Value {
	raw := binary.AppendUvarint(make([]byte, 0, len(s)+5), uint64(len(s)))
	return &Value{typ: Binary, raw: append(raw, s...)}
}

// Kind is the type of the value, 0 for an absent one; a boolean has the type
// of its value.
func (v *Value) Kind() WireType {
	if v == nil {
		return 0
	}
	return v.typ
}

func (v *Value) isBool() bool { t := v.Kind(); return t == True || t == False }

func (v *Value) isList() bool { t := v.Kind(); return t == ListOf || t == SetOf }

// Int is the integer; ok is false where v is absent or no integer.
func (v *Value) Int() (n int64, ok bool) {
	switch v.Kind() {
	case I16, I32, I64:
		n, size := binary.Varint(v.raw)
		return n, size > 0
	case I8:
		return int64(int8(v.raw[0])), true
	}
	return 0, false
}

// Bool is the boolean; ok is false where v is absent or no boolean.
func (v *Value) Bool() (b, ok bool) {
	if !v.isBool() {
		return false, false
	}
	if len(v.raw) == 1 { // an element of a list
		return v.raw[0] == byte(True), true
	}
	return v.typ == True, true
}

// Bytes is the byte string; ok is false where v is absent or none. The caller
// must not change it.
func (v *Value) Bytes() (b []byte, ok bool) {
	if v.Kind() != Binary {
		return nil, false
	}
	_, size := binary.Uvarint(v.raw)
	return v.raw[size:], true
}

// View is a struct or list whose level below is decoded without keeping it: for reading
// many structs in little memory, and by several goroutines. It is nil for other values.
func (v *Value) View() *Value {
	if v.Kind() != Record && !v.isList() {
		return nil
	}
	own := *v
	own.open()
	return &own
}

// Fields lists the fields of a struct. The caller must not change the slice.
func (v *Value) Fields() []Field {
	if v.Kind() != Record {
		return nil
	}
	v.open()
	return v.kids
}

// Get is the field of that id, nil where it is absent. It is kept, so that what is changed
// in it is written.
func (v *Value) Get(id int16) *Value {
	for _, f := range v.Fields() {
		if f.ID == id {
			return f.Value
		}
	}
	return nil
}

// Set replaces the field of that id or puts it before the first greater one.
func (v *Value) Set(id int16, to *Value) {
	v.open()
	v.edited = true
	at := len(v.kids)
	for i := range v.kids {
		if v.kids[i].ID == id {
			v.kids[i].Value = to
			return
		}
		if v.kids[i].ID > id {
			at = min(at, i)
		}
	}
	v.kids = slices.Insert(v.kids, at, Field{id, to})
}

// Delete removes the field of that id, if there is one.
func (v *Value) Delete(id int16) {
	if i := slices.IndexFunc(v.Fields(), func(f Field) bool { return f.ID == id }); i >= 0 {
		v.Remove(i)
	}
}

// Elem is the type of the elements of a list.
func (v *Value) Elem() WireType {
	v.open()
	return v.elem
}

// Len counts the elements of a list, without decoding them.
func (v *Value) Len() int {
	if !v.isList() {
		return 0
	}
	if v.opened {
		return len(v.kids)
	}
	s := scanner{b: v.raw}
	_, n, _ := s.listHeader()
	return n
}

// At is element i of a list. What is changed in it changes in the list.
func (v *Value) At(i int) *Value {
	v.open()
	return v.kids[i].Value
}

// Append adds an element of the list's type.
func (v *Value) Append(item *Value) {
	if v.open(); item.typ != v.elem && !(item.isBool() && v.elem <= False) {
		panic("thrift: element of another type than the list")
	}
	v.kids, v.edited = append(v.kids, Field{Value: item}), true
}

// Remove removes element i of a list.
func (v *Value) Remove(i int) {
	v.open()
	v.kids, v.edited = slices.Delete(v.kids, i, i+1), true
}

// changed reports whether v is to be written otherwise than it was read.
func (v *Value) changed() bool {
	return v.edited || slices.ContainsFunc(v.kids, func(f Field) bool { return f.Value.changed() })
}

// Encode appends v. Where nothing changed these are the bytes that it was read from.
func (v *Value) Encode(dst []byte) []byte {
	if !v.changed() {
		return append(dst, v.raw...)
	}
	if v.typ == Record {
		id := int16(0)
		for _, f := range v.kids {
			if delta := int(f.ID) - int(id); delta >= 1 && delta <= 15 {
				dst = append(dst, byte(delta)<<4|byte(f.Value.typ))
			} else {
				dst = binary.AppendVarint(append(dst, byte(f.Value.typ)), int64(f.ID))
			}
			dst = f.Value.Encode(dst)
			id = f.ID
		}
		return append(dst, 0)
	}
	if n := len(v.kids); n < 15 {
		dst = append(dst, byte(n)<<4|byte(v.elem))
	} else {
		dst = binary.AppendUvarint(append(dst, 0xf0|byte(v.elem)), uint64(n))
	}
	for _, f := range v.kids {
		if f.Value.isBool() && len(f.Value.raw) == 0 {
			dst = append(dst, byte(f.Value.typ))
		}
		dst = f.Value.Encode(dst)
	}
	return dst
}
