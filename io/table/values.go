package table

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"
)

// Form is what the cells of a column that is read beside are.
type Form uint8

// The forms of cells.
const (
	TextCells        Form = iota // Bytes, UTF-8
	BinaryCells                  // Bytes
	IntegerCells                 // Int
	UnsignedCells                // Int, by its bit pattern
	BooleanCells                 // Int, 0 or 1
	DateCells                    // Int, days since 1970-01-01
	TimeCells                    // Int, ticks since midnight
	TimestampCells               // Int, ticks since 1970-01-01
	FloatCells                   // Int, the bits of a float64
	DecimalCells                 // Int, without the point; WideDecimal where that does not fit
	WideDecimalCells             // Bytes, big-endian two's complement without the point
	NestedCells                  // Bytes: the leaves of a row as Nest writes them
)

// A CellType is the type of a column that is read beside.
type CellType struct {
	Form  Form
	Ticks int64 // in a second, of times and timestamps
	Scale int   // digits behind the point, of decimals
}

// Numeric reports whether Float orders the cells by their size.
func (t CellType) Numeric() bool {
	return t.Form >= IntegerCells && t.Form != BooleanCells && t.Form != NestedCells
}

// bytewise reports whether cells are Bytes.
func (t CellType) bytewise() bool {
	return t.Form <= BinaryCells || t.Form >= WideDecimalCells
}

// What comes before each element of a leaf of nested cells, and between leaves.
const (
	NestElement = 0x1e
	NestLeaf    = 0x1f
)

// A Nest gathers the leaves of a nested cell.
type Nest struct{ leaf [][]byte }

// Begin empties it for so many leaves.
func (n *Nest) Begin(leaves int) {
	if len(n.leaf) < leaves {
		n.leaf = make([][]byte, leaves)
	}
	n.leaf = n.leaf[:leaves]
	for i := range n.leaf {
		n.leaf[i] = n.leaf[i][:0]
	}
}

// Add adds an element to a leaf, at most mostNested bytes of it.
func (n *Nest) Add(leaf int, text []byte) {
	if len(n.leaf[leaf]) < mostNested {
		n.leaf[leaf] = append(append(n.leaf[leaf], NestElement), text[:min(len(text), mostNested)]...)
	}
}

// mostNested bounds the text of a leaf, and that of one element.
const mostNested = 512

// Append appends the cell.
func (n *Nest) Append(to []byte) []byte {
	for i, b := range n.leaf {
		if i > 0 {
			to = append(to, NestLeaf)
		}
		to = append(to, b...)
	}
	return to
}

// Values are cells of one column for the rows of a batch, good until the
// batch is given back.
type Values struct {
	Type CellType
	// Code numbers the cell of each row, -1 is a null. Equal codes are equal
	// cells. Codes below Entries keep their meaning in all batches of a unit.
	Code    []int32
	Entries int
	Source  CellSource // the cells by code
	Whole   []int64    // what Int of Source is by code, where it is at hand; nil else
}

// A CellSource has the cells of a column by code.
type CellSource interface {
	Bytes(code int) []byte // the caller must not change it
	Int(code int) int64
}

// Null reports whether row i is null.
func (v *Values) Null(i int) bool { return v.Code[i] < 0 }

// Int is the cell of row i of a form that has it.
func (v *Values) Int(i int) int64 {
	if v.Whole != nil {
		return v.Whole[v.Code[i]]
	}
	return v.Source.Int(int(v.Code[i]))
}

// Bytes is the cell of row i of a form that has it. The caller must not
// change it.
func (v *Values) Bytes(i int) []byte { return v.Source.Bytes(int(v.Code[i])) }

// Float is the size of row i, of a numeric type.
func (v *Values) Float(i int) float64 {
	switch v.Type.Form {
	case FloatCells:
		return math.Float64frombits(uint64(v.Int(i)))
	case UnsignedCells:
		return float64(uint64(v.Int(i)))
	case DecimalCells:
		return float64(v.Int(i)) / math.Pow10(v.Type.Scale)
	case WideDecimalCells:
		f, _ := new(big.Float).SetInt(bigInt(v.Bytes(i))).Float64()
		return f / math.Pow10(v.Type.Scale)
	}
	return float64(v.Int(i))
}

// AppendText appends the one text of row i, which is not null. It is the same
// for equal cells of any two columns of one form, however wide their type is
// and in whatever format they are stored: numbers in plain decimal, dates as
// YYYY-MM-DD, times and timestamps with as many digits behind the second as
// are not zero, false and true, floats as the shortest text that reads back,
// text as it is, other bytes as 0x and hex.
func (v *Values) AppendText(to []byte, i int) []byte {
	switch v.Type.Form {
	case TextCells:
		return append(to, v.Bytes(i)...)
	case BinaryCells:
		if b := v.Bytes(i); utf8.Valid(b) && !IsHexLabel(string(b)) {
			return append(to, b...)
		}
		return hex.AppendEncode(append(to, "0x"...), v.Bytes(i))
	case IntegerCells:
		return strconv.AppendInt(to, v.Int(i), 10)
	case UnsignedCells:
		return strconv.AppendUint(to, uint64(v.Int(i)), 10)
	case BooleanCells:
		return strconv.AppendBool(to, v.Int(i) != 0)
	case DateCells:
		return time.Unix(v.Int(i)*86400, 0).UTC().AppendFormat(to, time.DateOnly)
	case TimeCells, TimestampCells:
		layout := "2006-01-02T15:04:05.999999999"
		if v.Type.Form == TimeCells {
			layout = "15:04:05.999999999"
		}
		n, per := v.Int(i), v.Type.Ticks
		second, rest := n/per, n%per
		return time.Unix(second, rest*(1e9/per)).UTC().AppendFormat(to, layout)
	case FloatCells:
		return strconv.AppendFloat(to, v.Float(i), 'g', -1, 64)
	case DecimalCells:
		return appendDecimal(to, big.NewInt(v.Int(i)), v.Type.Scale)
	}
	return appendDecimal(to, bigInt(v.Bytes(i)), v.Type.Scale)
}

// bigInt reads a big-endian two's complement.
func bigInt(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// appendDecimal appends n with scale digits behind the point, and leaves out
// the zeros at its end.
func appendDecimal(to []byte, n *big.Int, scale int) []byte {
	if n.Sign() < 0 {
		to = append(to, '-')
	}
	digits := new(big.Int).Abs(n).Append(nil, 10)
	for len(digits) <= scale {
		digits = append([]byte{'0'}, digits...)
	}
	point := len(digits) - max(scale, 0)
	end := len(digits)
	for end > point && digits[end-1] == '0' {
		end--
	}
	to = append(to, digits[:point]...)
	if end > point {
		to = append(append(to, '.'), digits[point:end]...)
	}
	for range -min(scale, 0) {
		to = append(to, '0')
	}
	return to
}

// Half is a number of 16 bits: sign, 5 bits of exponent, 10 of fraction.
func Half(b uint16) float64 {
	v := float64(math.Float32frombits(uint32(b&0x7fff)<<13)) * 0x1p112 // whose exponent counts from 127, not from 15
	switch {
	case b&0x7fff > 0x7c00:
		return math.NaN()
	case b&0x7fff == 0x7c00:
		v = math.Inf(1)
	}
	if b>>15 != 0 {
		return -v
	}
	return v
}
