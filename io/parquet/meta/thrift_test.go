package meta

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/table"
)

func TestThriftEditsOneFieldOnly(t *testing.T) {
	// 1: i32 7, 3: true, 4: list<binary>["a" "b"], 400 (long header): double, 401: {2: i16 -1}
	raw := []byte{0x15, 14, 0x21, 0x19, 0x28, 1, 'a', 1, 'b', 0x07, 0xa0, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0x1c, 0x24, 1,
		0, 0}
	s, n, err := ParseStruct(append(raw, 0xff))
	if err != nil || n != len(raw) {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if v, ok := s.Get(1).Int(); v != 7 || !ok {
		t.Errorf("field 1: %d", v)
	}
	if k := s.Get(3).Kind(); k != thrift.TRUE {
		t.Errorf("field 3: %v", k)
	}
	if l := s.Get(4); l.Len() != 2 {
		t.Errorf("field 4: %d elements", l.Len())
	} else if b, ok := l.At(1).Bytes(); string(b) != "b" || !ok {
		t.Errorf("field 4: %q", b)
	}
	if v, ok := s.Get(401).Get(2).Int(); v != -1 || !ok {
		t.Errorf("field 401: %d", v)
	}
	for _, absent := range []*Value{nil, s.Get(2), s.Get(400)} {
		if _, ok := absent.Int(); ok || absent.Get(1) != nil || absent.View() != nil || absent.Len() != 0 {
			t.Errorf("a field that is no such thing: %v", absent)
		}
	}
	s.Set(2, String("new"))
	s.Get(4).Append(String("c"))
	s.Delete(3)
	want := []byte{0x15, 14, 0x18, 3, 'n', 'e', 'w', 0x29, 0x38, 1, 'a', 1, 'b', 1, 'c', 0x07, 0xa0, 0x06, 1, 2, 3, 4,
		5, 6, 7, 8, 0x1c, 0x24, 1, 0, 0}
	if got := s.Encode(nil); !bytes.Equal(got, want) {
		t.Errorf("edited\n got %x\nwant %x", got, want)
	}
}

func TestThriftBuilds(t *testing.T) {
	s := NewStruct(Field{1, Int(I64, -5)}, Field{2, Bool(false)},
		Field{40, NewList(thrift.TRUE, Bool(true), Bool(false))}, Field{41, NewStruct()})
	got, n, err := ParseStruct(s.Encode(nil))
	if err != nil || n != len(s.Encode(nil)) {
		t.Fatal(err)
	}
	if v, _ := got.Get(1).Int(); v != -5 {
		t.Errorf("field 1: %d", v)
	}
	var bools struct {
		Of []bool `thrift:"40"`
	}
	if err := got.Decode(&bools, true); err != nil || !slices.Equal(bools.Of, []bool{true, false}) {
		t.Errorf("booleans: %v, %v", bools, err)
	}
	long := NewList(I32)
	for i := range 100 {
		long.Append(Int(I32, int64(i)))
	}
	s.Set(3, long)
	got, _, err = ParseStruct(s.Encode(nil))
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := got.Get(3).At(99).Int(); v != 99 || got.Get(3).Len() != 100 {
		t.Errorf("last of %d elements: %d", got.Get(3).Len(), v)
	}
}

func TestThriftRefuses(t *testing.T) {
	deep := bytes.Repeat([]byte{0x1c}, 100)
	for name, raw := range map[string][]byte{
		"nothing":            {},
		"no stop":            {0x15, 14},
		"long list":          {0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 1, 0},
		"long string":        {0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0},
		"long map":           {0x1b, 0xff, 0xff, 0xff, 0x7f, 0x55, 0},
		"depth":              append(deep, make([]byte, 101)...),
		"depth of lists":     append(append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 100)...), make([]byte, 101)...),
		"unknown type":       {0x1e, 0},
		"type of no field":   {0x10, 0},
		"field twice":        {0x15, 2, 0x05, 2, 2, 0},
		"field out of range": {0x05, 0x80, 0x80, 0x08, 2, 0},
		"overlong varint":    {0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0},
	} {
		var f *table.InputError
		if _, _, err := ParseStruct(raw); !errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Bytes that are no struct are not decoded as one: nothing has checked the lengths in them.
func TestDecodesStructsAlone(t *testing.T) {
	// 1: list<binary> of one that, with its length of 0x48, spells {4: ""}
	s, _, err := ParseStruct(append([]byte{0x19, 0x18, 0x48}, make([]byte, 0x48+1)...))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Get(1).At(0).Decode(new(format.SchemaElement), false); err == nil {
		t.Error("a text was decoded as a struct")
	}
}

func FuzzThrift(f *testing.F) {
	file := smallFile(f, 2, 3)
	end := len(file) - 8
	footer := file[end-int(binary.LittleEndian.Uint32(file[end:])) : end]
	if s, n, err := ParseStruct(footer); err != nil || n != len(footer) || s.Get(4).Len() != 2 {
		f.Fatalf("a footer of %d bytes: %v", len(footer), err)
	}
	f.Add(footer)
	f.Add(file[4:])
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, n, err := ParseStruct(raw)
		if err != nil {
			return
		}
		if !bytes.Equal(s.Encode(nil), raw[:n]) {
			t.Fatal("an unchanged struct is written differently")
		}
		touch(s)
		touched, _, err := ParseStruct(s.Encode(nil))
		if err != nil {
			t.Fatal(err)
		}
		touch(touched)
		if !bytes.Equal(touched.Encode(nil), s.Encode(nil)) {
			t.Fatal("a struct that was looked into is another one")
		}
		s.Set(1000, Int(I32, 1))
		again, _, err := ParseStruct(s.Encode(nil))
		if err != nil {
			t.Fatal(err)
		}
		again.Delete(1000)
		s.Delete(1000)
		if !bytes.Equal(again.Encode(nil), s.Encode(nil)) {
			t.Fatal("an edit taken back leaves a trace")
		}
	})
}

// touch opens every level.
func touch(v *Value) {
	v.Int()
	v.Bytes()
	for _, f := range v.Fields() {
		touch(f.Value)
	}
	for i := range v.Len() {
		touch(v.At(i))
	}
}
