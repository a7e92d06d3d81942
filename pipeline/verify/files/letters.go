package files

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"math/big"
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
	Timestamp // of columns beside the private one, and of bins
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

// A Type is the type of a column. Bits are of integers and floats, Unsigned of integers, Ticks,
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

// Letters is an alphabet by value.
type Letters struct {
	Type   Type
	Len    int // null included
	null   int32
	text   map[string]int32
	number map[int64]int32
	rest   int32               // letter of every other value plus one; 0 where that is a stranger
	part   func(v int64) int32 // instead of number; nil but for parts of dates
	bins   *binIndex           // instead of text and number; nil but for bins
	texts  *[]string           // takes the text of every value in place of letters; nil but for ids
}

// MarshalJSON writes what UnmarshalJSON reads.
func (l Label) MarshalJSON() ([]byte, error) {
	if l.Null {
		return []byte("null"), nil
	}
	return json.Marshal(l.Text)
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
	switch t.Kind {
	case Text, Binary:
		if raw, isHex := strings.CutPrefix(label, "0x"); isHex {
			if b, err := hex.DecodeString(raw); err == nil && labelOf(string(b)) == label {
				return Key{Bytes: string(b)}, true
			}
		}
		return Key{Bytes: label}, labelOf(label) == label
	case Boolean:
		k.Number = map[string]int64{"true": 1}[label]
		return k, label == "true" || label == "false"
	case Date:
		d, err := time.Parse(time.DateOnly, label)
		k.Number = d.Unix() / 86400
		return k, err == nil && d.Unix()%86400 == 0
	case Float, Decimal, Timestamp:
		k, _, ok = t.exactKey(label)
		return k, ok
	}
	if t.Unsigned {
		v, err := strconv.ParseUint(label, 10, t.Bits)
		return Key{Number: int64(v)}, err == nil && strconv.FormatUint(v, 10) == label
	}
	v, err := strconv.ParseInt(label, 10, t.Bits)
	return Key{Number: v}, err == nil && strconv.FormatInt(v, 10) == label
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

// NewLetters are the letters with these labels, in their order. It fails for
// a label that is no value of the type or stands twice, by its place.
func NewLetters(t Type, labels []Label) (*Letters, error) {
	l := &Letters{Type: t, Len: len(labels), null: Null, text: map[string]int32{}, number: map[int64]int32{}}
	if t.Bins != nil {
		return l, l.binned(labels)
	}
	for i, label := range labels {
		if label.Null {
			if l.null != Null {
				return nil, errorf("value %d is a second null", i+1)
			}
			l.null = int32(i)
			continue
		}
		k, ok := t.Key(label.Text)
		if !ok {
			return nil, errorf("value %d is no value of the column's type", i+1)
		}
		if l.of(k) != Stranger {
			return nil, errorf("value %d stands twice", i+1)
		}
		if t.Kind <= Binary || t.Kind == Decimal {
			l.text[k.Bytes] = int32(i)
		} else {
			l.number[k.Number] = int32(i)
		}
	}
	return l, nil
}

// binned are letters that name bins.
func (l *Letters) binned(labels []Label) error {
	seen := map[Label]bool{}
	for i, label := range labels {
		if seen[label] {
			return errorf("letter %d stands twice", i+1)
		}
		if seen[label] = true; label.Null {
			l.null = int32(i)
		}
	}
	l.bins = newBinIndex(l.Type, labels)
	return nil
}

// IsNull reports whether a letter stands for null.
func (l *Letters) IsNull(letter int32) bool { return letter == l.null || letter == Null }

func (l *Letters) of(k Key) int32 {
	switch {
	case l.Type.Kind == Decimal:
		return l.digits(k.Bytes)
	case l.Type.Kind <= Binary:
		return l.bytes([]byte(k.Bytes))
	}
	return l.num(k.Number)
}

func (l *Letters) bytes(b []byte) int32 {
	if l.texts != nil {
		return l.take(l.Type.textOf(b))
	}
	if l.bins != nil && l.Type.Kind == Text {
		return l.bins.written(string(b))
	}
	if l.bins != nil {
		return l.bins.rational(new(big.Rat).SetInt(signed(b)))
	}
	if l.Type.Kind == Decimal {
		return l.digits(signed(b).String())
	}
	return l.digits(string(b))
}

// digits is the letter of a decimal without its point, or of a text as it is.
func (l *Letters) digits(of string) int32 {
	if x, ok := l.text[of]; ok {
		return x
	}
	return l.other()
}

func (l *Letters) num(v int64) int32 {
	if l.texts != nil {
		return l.take(l.Type.numberText(v))
	}
	if l.part != nil {
		return l.part(v)
	}
	if l.bins != nil {
		return l.bins.num(v)
	}
	if l.Type.Kind == Decimal {
		return l.digits(strconv.FormatInt(v, 10))
	}
	if x, ok := l.number[v]; ok {
		return x
	}
	return l.other()
}

// float is the letter of a float, which stands for its bits.
func (l *Letters) float(v float64) int32 { return l.num(int64(math.Float64bits(v))) }

func (l *Letters) truth(v bool) int32 {
	if v {
		return l.num(1)
	}
	return l.num(0)
}

// NewTexts reads a column of ids: each letter is the place of the cell's text
// in texts, which grows. It belongs to one unit, and is for types that may be
// private columns.
func NewTexts(t Type, texts *[]string) *Letters {
	return &Letters{Type: t, null: Null, texts: texts}
}

func (l *Letters) take(text string) int32 {
	*l.texts = append(*l.texts, text)
	return int32(len(*l.texts) - 1)
}

// textOf is the text of bytes: docs/draws.md, "The id".
func (t Type) textOf(b []byte) string {
	if t.Kind == Text {
		return string(b)
	}
	return labelOf(string(b))
}

func (t Type) numberText(v int64) string {
	switch {
	case t.Kind == Boolean:
		return strconv.FormatBool(v != 0)
	case t.Kind == Date:
		return time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
	case t.Unsigned:
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

// OpenBeside opens a file for a column that is published beside the private
// one: it may be a timestamp, too.
func OpenBeside(in io.ReaderAt, size int64, column string, d Dialect) (File, error) {
	f, err := open(in, size, column, d, nil)
	if err == nil && f.Type().Kind > Timestamp {
		return nil, errorf("has a column %q of a type that is never privatized", column)
	}
	return f, err
}

// NewParts are letters that stand for parts of a date or timestamp: part is
// given the day since 1970-01-01 and the second of the day.
func NewParts(t Type, null int32, part func(day, second int64) int32) *Letters {
	return &Letters{Type: t, null: null, part: func(v int64) int32 {
		if t.Kind == Date {
			return part(v, 0)
		}
		seconds := down(v, t.Ticks)
		day := down(seconds, 86400)
		return part(day, seconds-day*86400)
	}}
}

// NewStrata are letters that stand for the places of labels in groups; every
// other value is the letter rest.
func NewStrata(t Type, groups [][]Label, rest int32) (*Letters, error) {
	l := &Letters{Type: t, null: rest, rest: rest + 1, text: map[string]int32{}, number: map[int64]int32{}}
	for g, labels := range groups {
		for _, label := range labels {
			if label.Null {
				l.null = int32(g)
				continue
			}
			k, ok := t.Key(label.Text)
			switch {
			case !ok || t.Kind == Timestamp:
				return nil, errorf("a stratum is no value of the column's type")
			case t.Kind <= Binary:
				l.text[k.Bytes] = int32(g)
			default:
				l.number[k.Number] = int32(g)
			}
		}
	}
	return l, nil
}

// other is the letter of a value that is none.
func (l *Letters) other() int32 {
	if l.rest > 0 {
		return l.rest - 1
	}
	return Stranger
}

// down is n/m rounded down.
func down(n, m int64) int64 {
	q := n / m
	if n%m < 0 {
		q--
	}
	return q
}
