package files

import (
	"bytes"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestKeys: every label names one value, in the one way it is written.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		typ   Type
		label string
		ok    bool
		key   Key
	}{
		{Type{Kind: Text}, "a", true, Key{Bytes: "a"}},
		{Type{Kind: Text}, "", true, Key{}},
		{Type{Kind: Text}, "0xff", true, Key{Bytes: "\xff"}},
		{Type{Kind: Text}, "0xFF", true, Key{Bytes: "0xFF"}},
		{Type{Kind: Text}, "0x61", true, Key{Bytes: "0x61"}},
		{Type{Kind: Text}, "0x", true, Key{Bytes: "0x"}},
		{Type{Kind: Binary}, "0x30786666", true, Key{Bytes: "0xff"}},
		{Type{Kind: Integer, Bits: 8}, "-128", true, Key{Number: -128}},
		{Type{Kind: Integer, Bits: 8}, "128", false, Key{}},
		{Type{Kind: Integer, Bits: 8}, "+1", false, Key{}},
		{Type{Kind: Integer, Bits: 8}, "01", false, Key{}},
		{Type{Kind: Integer, Bits: 64, Unsigned: true}, "18446744073709551615", true, Key{Number: -1}},
		{Type{Kind: Boolean}, "true", true, Key{Number: 1}},
		{Type{Kind: Boolean}, "false", true, Key{}},
		{Type{Kind: Boolean}, "TRUE", false, Key{}},
		{Type{Kind: Date}, "1969-12-31", true, Key{Number: -1}},
		{Type{Kind: Date}, "2024-02-30", false, Key{}},
	} {
		k, ok := c.typ.Key(c.label)
		if ok != c.ok || ok && k != c.key {
			t.Errorf("%v %q: %v %v", c.typ, c.label, k, ok)
		}
	}
	unsigned := Type{Kind: Integer, Bits: 64, Unsigned: true}
	if unsigned.Compare(Key{Number: -1}, Key{Number: 5}) <= 0 || (Type{Kind: Integer, Bits: 64}).Compare(Key{Number: -1},
		Key{Number: 5}) >= 0 {
		t.Error("order of numbers")
	}
}

// TestPacked: values are packed as Parquet packs them, bits from the lowest on, and groups of
// eight filled up with zeros.
func TestPacked(t *testing.T) {
	for _, c := range []struct {
		value []int32
		width int
		want  []byte
	}{
		{[]int32{0, 1, 1, 0, 1}, 1, []byte{3, 0b10110}},
		{[]int32{0, 1, 2, 3, 4, 5, 6, 7}, 3, []byte{3, 0x88, 0xc6, 0xfa}}, // Encodings.md, "RLE"
		{[]int32{1, 0, 0, 0, 0, 0, 0, 0, 1}, 2, []byte{5, 1, 0, 1, 0}},
		{[]int32{0x1234, 0xffff}, 16, append([]byte{3, 0x34, 0x12, 0xff, 0xff}, make([]byte, 12)...)},
	} {
		if got := packed(nil, c.value, c.width); !bytes.Equal(got, c.want) {
			t.Errorf("%v in %d bits: %v, want %v", c.value, c.width, got, c.want)
		}
	}
}

// TestArrowNumbers: values of every width are read from their bytes, from an offset on, too; floats as
// the bits of 64, days rounded down.
func TestArrowNumbers(t *testing.T) {
	bits := func(f float64) int64 { return int64(math.Float64bits(f)) }
	for _, c := range []struct {
		typ  arrow.DataType
		text string
		want int64
	}{
		{arrow.PrimitiveTypes.Int8, "-7", -7}, {arrow.PrimitiveTypes.Int16, "-300", -300},
		{arrow.PrimitiveTypes.Int32, "-70000", -70000}, {arrow.PrimitiveTypes.Int64, "-5000000000", -5000000000},
		{arrow.PrimitiveTypes.Uint8, "200", 200}, {arrow.PrimitiveTypes.Uint16, "60000", 60000},
		{arrow.PrimitiveTypes.Uint32, "4000000000", 4000000000}, {arrow.PrimitiveTypes.Uint64, "18446744073709551615", -1},
		{arrow.FixedWidthTypes.Float16, "-0.5", bits(-.5)}, {arrow.PrimitiveTypes.Float32, "0.25", bits(.25)},
		{arrow.PrimitiveTypes.Float64, "0.1", bits(.1)}, {arrow.FixedWidthTypes.Date32, "1969-12-31", -1},
		{arrow.FixedWidthTypes.Date64, "1969-12-31", -1}, {arrow.FixedWidthTypes.Timestamp_s, "1969-12-31T23:59:58Z", -2},
	} {
		b := array.NewBuilder(memory.DefaultAllocator, c.typ)
		b.AppendNull()
		must(t, b.AppendValueFromString(c.text))
		whole := b.NewArray()
		for i, a := range []arrow.Array{array.NewSlice(whole, 1, 2), whole} {
			if got := numberOf(a)(i); got != c.want {
				t.Errorf("%v: %s is read as %d, want %d", c.typ, c.text, got, c.want)
			}
		}
	}
}
