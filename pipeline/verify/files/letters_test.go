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
