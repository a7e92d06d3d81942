package files

import "testing"

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
	for _, twice := range [][]Label{{{Text: "a"}, {Text: "a"}}, {{Null: true}, {Null: true}}} {
		if _, err := NewLetters(Type{}, twice); err == nil {
			t.Errorf("%v is taken", twice)
		}
	}
}

// TestRuns: what is packed as Parquet packs it is counted to its end, and
// anything behind or between is found.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		b            []byte
		width, count int
		want         int
	}{
		{[]byte{3, 0b10110}, 1, 5, 3},
		{[]byte{3, 0b110110}, 1, 5, -1},      // a bit behind the last value
		{[]byte{3, 0b10110, 0}, 1, 5, -1},    // a byte behind the last run
		{[]byte{5, 0b10110, 0}, 1, 5, -1},    // a group behind the last value
		{[]byte{10, 1}, 1, 5, 5},             // a repeated run
		{[]byte{12, 1}, 1, 5, -1},            // of more than there are
		{[]byte{4, 0, 3, 0b111}, 1, 5, 3},    // a run and a group
		{[]byte{3, 1, 2, 3}, 3, 8, 0},        // three bits each
		{[]byte{3, 1, 2}, 3, 8, -1},          // cut short
		{[]byte{0, 1}, 1, 5, -1},             // an empty run
		{[]byte{1}, 1, 5, -1},                // an empty group
		{nil, 1, 5, -1},                      // nothing
		{nil, 1, 0, 0},                       // nothing for nothing
		{[]byte{0xff, 0xff, 0xff}, 1, 5, -1}, // a length without end
	} {
		if got := runs(c.b, c.width, c.count); got != c.want {
			t.Errorf("%v: %d, want %d", c.b, got, c.want)
		}
	}
}
