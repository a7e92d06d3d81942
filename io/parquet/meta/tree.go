package meta

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// A Value is a value of Thrift, in the compact protocol of Parquet's metadata. It keeps the
// bytes that it was read from and decodes the level below only when asked; what was not
// looked into by Get or At is written byte for byte as it was read, known or not. All
// accessors may be called on nil, which stands for an absent field, and on a value of
// another type, which has no such thing.
type Value struct {
	typ  thrift.Type // a boolean field has its value for type
	elem thrift.Type // of a list, TRUE or FALSE for booleans
	raw  []byte      // as it was read, without field header; a struct up to and with the stop byte
	open bool        // kids are what is written
	kids []Field     // of a struct, in the order they were read; of a list, without ids
}

// The types of what is written here.
const (
	I32, I64, Binary, Record = thrift.I32, thrift.I64, thrift.BINARY, thrift.STRUCT
)

// A Field is one field of a struct.
type Field struct {
	ID    int16
	Value *Value
}

// NewStruct is a struct of these fields, whose ids must ascend.
func NewStruct(field ...Field) *Value {
	return &Value{typ: thrift.STRUCT, kids: field, open: true}
}

// NewList is a list of these values, all of type elem.
func NewList(elem thrift.Type, item ...*Value) *Value {
	l := &Value{typ: thrift.LIST, elem: elem, open: true}
	for _, v := range item {
		l.Append(v)
	}
	return l
}

// Int is a value of type I16, I32 or I64.
func Int(t thrift.Type, v int64) *Value {
	return &Value{typ: t, raw: binary.AppendVarint(nil, v)}
}

// Bool is a boolean field.
func Bool(v bool) *Value {
	if v {
		return &Value{typ: thrift.TRUE}
	}
	return &Value{typ: thrift.FALSE}
}

// String is a value of type BINARY, UTF-8 or not.
func String(s string) *Value {
	raw := binary.AppendUvarint(make([]byte, 0, len(s)+5), uint64(len(s)))
	return &Value{typ: thrift.BINARY, raw: append(raw, s...)}
}

// Written is a struct with tags of Thrift, as parquet-go writes it.
func Written(from any) *Value {
	raw, err := thrift.Marshal(&compact, from)
	if err != nil {
		panic(err) // it is written to memory
	}
	return &Value{typ: thrift.STRUCT, raw: raw}
}

// Kind is the type of the value, STOP for an absent one.
func (v *Value) Kind() thrift.Type {
	if v == nil {
		return thrift.STOP
	}
	return v.typ
}

func (v *Value) isBool() bool { t := v.Kind(); return t == thrift.TRUE || t == thrift.FALSE }

func (v *Value) isList() bool { t := v.Kind(); return t == thrift.LIST || t == thrift.SET }

// Int is the integer; ok is false where v is absent or no integer.
func (v *Value) Int() (n int64, ok bool) {
	switch v.Kind() {
	case thrift.I16, thrift.I32, thrift.I64:
		n, size := binary.Varint(v.raw)
		return n, size > 0
	}
	return 0, false
}

// Bytes is the byte string; ok is false where v is absent or none. The caller
// must not change it.
func (v *Value) Bytes() (b []byte, ok bool) {
	if v.Kind() != thrift.BINARY {
		return nil, false
	}
	_, size := binary.Uvarint(v.raw)
	return v.raw[size:], true
}

// Decode fills a struct with tags of Thrift from the one that was read. If it is strict, fields
// must be of the types that the tags say; else those that are not are as if they were absent.
func (v *Value) Decode(to any, strict bool) error {
	if v.Kind() != thrift.STRUCT {
		return errNoStruct
	}
	d := thrift.NewDecoder(compact.NewReaderFromBytes(v.raw))
	d.SetStrict(strict)
	return d.Decode(to)
}

var errNoStruct = Damaged("metadata with a value where several are wanted")

// View is a struct or list of its own, whose level below is decoded without keeping it: for
// reading many structs in little memory, and by several goroutines. It is nil for other values.
func (v *Value) View() *Value {
	if v.Kind() != thrift.STRUCT && !v.isList() {
		return nil
	}
	own := *v
	own.unfold()
	own.kids = slices.Clone(own.kids)
	return &own
}

// Fields lists the fields of a struct. The caller must not change the slice.
func (v *Value) Fields() []Field {
	if v.Kind() != thrift.STRUCT {
		return nil
	}
	v.unfold()
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
	v.Delete(id)
	at := slices.IndexFunc(v.kids, func(f Field) bool { return f.ID > id })
	if at < 0 {
		at = len(v.kids)
	}
	v.kids = slices.Insert(v.kids, at, Field{id, to})
}

// Delete removes the field of that id, if there is one.
func (v *Value) Delete(id int16) {
	v.unfold()
	v.kids = slices.DeleteFunc(v.kids, func(f Field) bool { return f.ID == id })
}

// Elem is the type of the elements of a list.
func (v *Value) Elem() thrift.Type {
	v.unfold()
	return v.elem
}

// Len counts the elements of a list.
func (v *Value) Len() int {
	if !v.isList() {
		return 0
	}
	v.unfold()
	return len(v.kids)
}

// At is element i of a list. What is changed in it changes in the list.
func (v *Value) At(i int) *Value {
	v.unfold()
	return v.kids[i].Value
}

// Append adds an element of the list's type.
func (v *Value) Append(item *Value) {
	v.unfold()
	v.kids = append(v.kids, Field{Value: item})
}

// Encode appends v. Where nothing was looked into these are the bytes that it was read from.
func (v *Value) Encode(dst []byte) []byte {
	switch {
	case !v.open:
		return append(dst, v.raw...)
	case v.typ == thrift.STRUCT:
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
