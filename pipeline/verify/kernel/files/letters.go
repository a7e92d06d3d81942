package files

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The kinds of private columns.
const (
	Text Kind = iota
	Binary
	Integer
	Boolean
	Date
	Timestamp // of bins only
	Float     // of bins only; a number is the bits of 64
	Decimal   // of bins only; Bytes of a Key are its digits
)

// A Label names a letter. Null is the letter without a text.
type Label struct {
	Text string
	Null bool
}

// Kind is what the values of a column are.
type Kind int

// A Type is the type of a column. Bits and Unsigned are of integers, Ticks,
// per second, of timestamps, Scale the digits behind the point of decimals. Bins are
// what the values are put into.
type Type struct {
	Kind     Kind
	Bits     int
	Unsigned bool
	Ticks    int64
	Scale    int
	Bins     *Bins
}

// A Key is the value that a label names: bytes, or a number (of an unsigned
// integer its bit pattern).
type Key struct {
	Bytes  string
	Number int64
}

// Letters is an alphabet by value: what the cells of a column are read as.
type Letters struct {
	Type Type
	null int32
	of   map[Key]int32                          // letters of values, of bins by their labels
	rest int32                                  // letter of every other value
	find func(number int64, bytes []byte) int32 // of one reader, which does not look up its cells as they are
}

// UnmarshalJSON reads a string, or null.
func (l *Label) UnmarshalJSON(data []byte) error {
	if *l = (Label{}); string(data) == "null" {
		l.Null = true
		return nil
	}
	return json.Unmarshal(data, &l.Text)
}

// Key reads a label; ok is false where it names no value of the type, or not
// in the one way that it is written.
func (t Type) Key(label string) (k Key, ok bool) {
	var err error
	switch {
	case t.Kind <= Binary:
		k.Bytes = label
		if raw, err := hex.DecodeString(strings.TrimPrefix(label, "0x")); err == nil && labelOf(string(raw)) == label {
			k.Bytes = string(raw)
		}
	case t.Kind == Boolean && label == "true":
		k.Number = 1
	case t.Kind == Date:
		var at time.Time
		at, err = time.Parse(time.DateOnly, label)
		k.Number = at.Unix() / 86400
	case t.Kind == Integer && t.Unsigned:
		var n uint64
		n, err = strconv.ParseUint(label, 10, t.Bits)
		k.Number = int64(n)
	case t.Kind == Integer:
		k.Number, err = strconv.ParseInt(label, 10, t.Bits)
	}
	return k, err == nil && t.Kind < Timestamp && t.text(k) == label
}

// text is the label of a value that may be private, or of a decimal.
func (t Type) text(k Key) string {
	switch {
	case t.Kind <= Binary || t.Kind == Decimal:
		return labelOf(k.Bytes)
	case t.Kind == Boolean:
		return strconv.FormatBool(k.Number != 0)
	case t.Kind == Date:
		return time.Unix(k.Number*86400, 0).UTC().Format(time.DateOnly)
	case t.Unsigned:
		return strconv.FormatUint(uint64(k.Number), 10)
	}
	return strconv.FormatInt(k.Number, 10)
}

// labelOf is the label of bytes: themselves where they are UTF-8 text, else
// 0x and hex. Text that reads like the hex of other bytes is written in hex,
// too, so that no two values share a label.
func labelOf(b string) string {
	if utf8.ValidString(b) {
		raw, isHex := strings.CutPrefix(b, "0x")
		if !isHex || len(raw) == 0 {
			return b
		}
		inner, err := hex.DecodeString(raw)
		if err != nil || strings.ToLower(raw) != raw || labelOf(string(inner)) != b {
			return b
		}
	}
	return "0x" + hex.EncodeToString([]byte(b))
}

// Compare orders values: numbers, dates and booleans by value, text by bytes.
func (t Type) Compare(a, b Key) int {
	switch {
	case t.Kind <= Binary:
		return strings.Compare(a.Bytes, b.Bytes)
	case t.Unsigned:
		return cmp.Compare(uint64(a.Number), uint64(b.Number))
	}
	return cmp.Compare(a.Number, b.Number)
}

// NewLetters are the letters that labels stand for; every other value is the letter rest, and so is
// null unless a label has it. It fails for a label that is no value of the type.
func NewLetters(t Type, letter map[Label]int32, rest int32) (*Letters, error) {
	l := &Letters{Type: t, null: max(rest, Null), rest: rest, of: map[Key]int32{}}
	for label, x := range letter {
		k, ok := t.Key(label.Text)
		switch {
		case label.Null:
			l.null = x
		case t.Bins != nil:
			l.of[Key{Bytes: label.Text}] = x
		case !ok:
			return nil, errorf("value %d is no value of the column's type", x+1)
		default:
			l.of[k] = x
		}
	}
	return l, nil
}

// NewTexts reads a column of ids: each letter is the place of the cell's text in texts, which
// grows [docs/draws.md, "The id"]. It belongs to one unit, and is for types that may be private columns.
func NewTexts(t Type, texts *[]string) *Letters {
	return &Letters{Type: t, null: Null, find: func(number int64, bytes []byte) int32 {
		text := string(bytes)
		if t.Kind != Text {
			text = t.text(Key{text, number})
		}
		*texts = append(*texts, text)
		return int32(len(*texts) - 1)
	}}
}

// IsNull reports whether a letter stands for null.
func (l *Letters) IsNull(letter int32) bool { return letter == l.null || letter == Null }

// key is the letter of a value.
func (l *Letters) key(k Key) int32 {
	if x, ok := l.of[k]; ok {
		return x
	}
	return l.rest
}

// bytes is the letter of a text, or of a decimal in two's complement.
func (l *Letters) bytes(b []byte) int32 {
	if l.find != nil {
		return l.find(0, b)
	}
	if x, ok := l.of[Key{Bytes: string(b)}]; ok { // which makes no string
		return x
	}
	return l.rest
}

// num is the letter of a number, of a float its bits.
func (l *Letters) num(v int64) int32 {
	if l.find != nil {
		return l.find(v, nil)
	}
	return l.key(Key{Number: v})
}

func (l *Letters) truth(v bool) int32 { return l.num(map[bool]int64{true: 1}[v]) }
