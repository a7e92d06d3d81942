package meta

import "encoding/binary"

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

// StructValue makes a field of s.
func StructValue(s *Struct) *Value { return &Value{typ: Record, record: s} }

// ListValue makes a field of l.
func ListValue(l *List) *Value { return &Value{typ: ListOf, list: l} }

// Kind is the type of the value, 0 for an absent one; a boolean has the type
// of its value.
func (v *Value) Kind() WireType {
	if v == nil {
		return 0
	}
	return v.typ
}

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

// Struct is the struct, nil where v is absent or none. It is kept, so that
// what is changed in it is written.
func (v *Value) Struct() *Struct {
	if v.Kind() != Record {
		return nil
	}
	if v.record == nil {
		v.record = openStruct(v.raw)
	}
	return v.record
}

// List is the list or set, nil where v is absent or none. It is kept, so that
// what is changed in it is written.
func (v *Value) List() *List {
	if t := v.Kind(); t != ListOf && t != SetOf {
		return nil
	}
	if v.list == nil {
		v.list = openList(v.raw)
	}
	return v.list
}

// View is Struct without keeping it: for reading many structs in little
// memory.
func (v *Value) View() *Struct {
	if v.Kind() != Record || v.record != nil {
		return v.Struct()
	}
	return openStruct(v.raw)
}

// ViewList is List without keeping it.
func (v *Value) ViewList() *List {
	if t := v.Kind(); t != ListOf && t != SetOf || v.list != nil {
		return v.List()
	}
	return openList(v.raw)
}

// ListLen is the length of the list without decoding its elements.
func (v *Value) ListLen() int {
	if t := v.Kind(); t != ListOf && t != SetOf {
		return 0
	}
	if v.list != nil {
		return v.list.Len()
	}
	s := scanner{b: v.raw}
	_, n, _ := s.listHeader()
	return n
}

func (v *Value) isBool() bool { t := v.Kind(); return t == True || t == False }
