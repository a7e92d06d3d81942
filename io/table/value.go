package table

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Kind is what the values of a private column are.
type Kind uint8

// The kinds a private column may have.
const (
	Text    Kind = iota // UTF-8 strings
	Binary              // byte strings
	Integer             // signed or unsigned, 8 to 64 bits
	Boolean
	Date // days since 1970-01-01
)

// A Type is the type of a private column: it orders values, and turns them
// into labels and back.
type Type struct {
	Kind     Kind
	Bits     int  // of an Integer: 8, 16, 32, 64
	Unsigned bool // of an Integer
	// Bins are what the cells of the column are put into, nil for none. The kind is Text then: a
	// value is the label of a bin.
	Bins *Bins
}

// A Value is one cell: Bytes for Text and Binary, Int for the rest (uint64 by
// its bit pattern, false and true as 0 and 1, dates as days since 1970).
type Value struct {
	Bytes string
	Int   int64
}

// String is the type's name for people.
func (t Type) String() string {
	switch t.Kind {
	case Text:
		return "string"
	case Binary:
		return "binary"
	case Boolean:
		return "boolean"
	case Date:
		return "date"
	}
	sign := "int"
	if t.Unsigned {
		sign = "uint"
	}
	return sign + strconv.Itoa(t.Bits)
}

// ParseType is the type that String calls so.
func ParseType(name string) (t Type, ok bool) {
	all := []Type{{Kind: Text}, {Kind: Binary}, {Kind: Boolean}, {Kind: Date}}
	for _, bits := range []int{8, 16, 32, 64} {
		all = append(all, Type{Kind: Integer, Bits: bits}, Type{Kind: Integer, Bits: bits, Unsigned: true})
	}
	for _, t := range all {
		if t.String() == name {
			return t, true
		}
	}
	return t, false
}

// Compare orders values: numbers, dates and booleans by value, bins by what they
// hold, other text by bytes.
func (t Type) Compare(a, b Value) int {
	switch {
	case t.Bins != nil:
		return t.Bins.compare(a.Bytes, b.Bytes)
	case t.Kind <= Binary:
		return strings.Compare(a.Bytes, b.Bytes)
	case t.Unsigned && uint64(a.Int) < uint64(b.Int), !t.Unsigned && a.Int < b.Int:
		return -1
	case a.Int == b.Int:
		return 0
	}
	return 1
}

// Label is the text by which specs and reports name v: integers in plain
// decimal, dates as YYYY-MM-DD, false and true, bytes as they are when they
// are UTF-8 and else as 0x and hex. Different values have different labels.
func (t Type) Label(v Value) string {
	switch t.Kind {
	case Text, Binary:
		if !utf8.ValidString(v.Bytes) || IsHexLabel(v.Bytes) {
			return "0x" + hex.EncodeToString([]byte(v.Bytes))
		}
		return v.Bytes
	case Boolean:
		return strconv.FormatBool(v.Int != 0)
	case Date:
		return time.Unix(v.Int*86400, 0).UTC().Format(time.DateOnly)
	}
	if t.Unsigned {
		return strconv.FormatUint(uint64(v.Int), 10)
	}
	return strconv.FormatInt(v.Int, 10)
}

// Parse is the inverse of Label. Its error does not quote the label.
func (t Type) Parse(label string) (Value, error) {
	switch t.Kind {
	case Text, Binary:
		if IsHexLabel(label) {
			raw, _ := hex.DecodeString(label[2:])
			return Value{Bytes: string(raw)}, nil
		}
		return Value{Bytes: label}, nil
	case Boolean:
		if label == "true" || label == "false" {
			return Value{Int: int64(len("false") - len(label))}, nil
		}
	case Date:
		if d, err := time.Parse(time.DateOnly, label); err == nil {
			return Value{Int: int64(math.Floor(float64(d.Unix()) / 86400))}, nil
		}
	case Integer:
		if t.Unsigned {
			if n, err := strconv.ParseUint(label, 10, t.Bits); err == nil {
				return Value{Int: int64(n)}, nil
			}
		} else if n, err := strconv.ParseInt(label, 10, t.Bits); err == nil {
			return Value{Int: n}, nil
		}
	}
	return Value{}, fmt.Errorf("label is not a %s", t)
}

// IsHexLabel reports whether s reads as the hex label of bytes that cannot be
// their own label: bytes that are no UTF-8, or that look like a hex label.
func IsHexLabel(s string) bool {
	if len(s) < 4 || len(s)%2 != 0 || s[:2] != "0x" || strings.ToLower(s) != s {
		return false
	}
	raw, err := hex.DecodeString(s[2:])
	return err == nil && (!utf8.Valid(raw) || IsHexLabel(string(raw)))
}
