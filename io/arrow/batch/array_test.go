package batch

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// textArray holds the texts as type code.
func textArray(code Code, text [][]byte) *Array {
	a := &Array{Len: len(text), typ: Type{Code: code}}
	switch code {
	case Utf8View:
		a.parts = [][]byte{nil}
		for _, s := range text {
			v := make([]byte, 16)
			binary.LittleEndian.PutUint32(v, uint32(len(s)))
			if copy(v[4:], s); len(s) > inlineView {
				binary.LittleEndian.PutUint32(v[8:], 0)
				binary.LittleEndian.PutUint32(v[12:], uint32(len(a.parts[0])))
				a.parts[0] = append(a.parts[0], s...)
			}
			a.fixed = append(a.fixed, v...)
		}
	default:
		for i := -1; i < len(text); i++ {
			if i >= 0 {
				a.data = append(a.data, text[i]...)
			}
			if code == Utf8 {
				a.fixed = binary.LittleEndian.AppendUint32(a.fixed, uint32(len(a.data)))
			} else {
				a.fixed = binary.LittleEndian.AppendUint64(a.fixed, uint64(len(a.data)))
			}
		}
	}
	return a
}

// Pack gives every text its own number, wherever it stands in the data.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, code := range []Code{Utf8, LargeUtf8, Utf8View} {
		for range 300 {
			var text [][]byte
			for range 1 + r.IntN(20) {
				text = append(text, bytes.Repeat([]byte{byte(r.IntN(3)) * 127}, r.IntN(20)))
			}
			a := textArray(code, text)
			key := make([]uint64, len(text))
			a.Pack(key, 0)
			for i, s := range text {
				if !bytes.Equal(a.Bytes(i), s) {
					t.Fatalf("type %d: row %d is another text", code, i)
				}
				if key[i] != PackBytes(s) || (key[i] == Unpacked) != (len(s) > MaxPacked) {
					t.Fatalf("type %d: key %x for %q", code, key[i], s)
				}
				for j := range i {
					if key[i] != Unpacked && (key[i] == key[j]) != bytes.Equal(s, text[j]) {
						t.Fatalf("%q and %q have the keys %x and %x", s, text[j], key[i], key[j])
					}
				}
			}
		}
	}
}

func TestChecksOffsetsAndViews(t *testing.T) {
	text := [][]byte{[]byte("one"), nil, []byte("a text that is too long for a view")}
	for _, code := range []Code{Utf8, LargeUtf8} {
		width := 4
		if code == LargeUtf8 {
			width = 8
		}
		if err := textArray(code, text).checkOffsets(); err != nil {
			t.Fatal(err)
		}
		for at, value := range map[int]byte{0: 4, 1: 1, 2: 250, 3: 250} {
			a := textArray(code, text)
			a.fixed[at*width] = value
			bad := at == 0 || at == 2 || at == 3
			if err := a.checkOffsets(); (err != nil) != bad {
				t.Errorf("type %d: offset %d set to %d: error %v", code, at, value, err)
			}
			a.fixed[at*width+width-1] = 0xff
			if err := a.checkOffsets(); err == nil {
				t.Errorf("type %d: negative offset %d passes", code, at)
			}
		}
		a := textArray(code, text)
		if a.fixed = a.fixed[1:]; a.checkOffsets() == nil {
			t.Errorf("type %d: too few offsets pass", code)
		}
	}
	if err := textArray(Utf8View, text).checkViews(); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{32, 40, 44, 47} { // length, buffer, offset of the long one
		a := textArray(Utf8View, text)
		if a.fixed[at]++; a.checkViews() == nil {
			t.Errorf("a view with byte %d changed passes", at)
		}
	}
}

func TestChecksNulls(t *testing.T) {
	bitmap := []byte{0b10110111, 0b11111101}
	for _, c := range []struct {
		nulls int64
		ok    bool
		found int
	}{{0, true, 0}, {3, true, 3}, {-1, true, 3}, {2, false, 3}, {4, false, 3}} {
		a := &Array{Len: 11}
		if err := a.setValid(bitmap, c.nulls); (err == nil) != c.ok || c.ok && a.Nulls != c.found {
			t.Errorf("%d nulls said: %d found, error %v", c.nulls, a.Nulls, err)
		}
	}
	a := &Array{Len: 17}
	if a.setValid(bitmap, 1) == nil {
		t.Error("a bitmap that is too short passes")
	}
}
