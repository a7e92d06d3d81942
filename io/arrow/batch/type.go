package batch

import (
	"fmt"
	"slices"
	"strings"
)

// A Code names a type as Schema.fbs numbers the union Type.
type Code uint8

// The types that are decoded; the others are only walked over.
const (
	Int             Code = 2
	FloatingPoint   Code = 3
	BinaryType      Code = 4
	Utf8            Code = 5
	Bool            Code = 6
	Decimal         Code = 7
	Date            Code = 8
	TimeOfDay       Code = 9
	Timestamp       Code = 10
	Union           Code = 14
	FixedSizeBinary Code = 15
	Duration        Code = 18
	LargeBinary     Code = 19
	LargeUtf8       Code = 20
	BinaryView      Code = 23
	Utf8View        Code = 24
)

// Units of a Date.
const (
	Day         = 0
	Millisecond = 1
)

// PerDay is how many milliseconds a day has.
const PerDay = 86400_000

// A Type is a type without its children. Num are its parameters in the order
// of their fields in Schema.fbs: bit width and sign of an Int, the unit of a
// Date, unit of a Timestamp, precision, scale and width of a Decimal, and so on; parameters that are no numbers are in
// Zone and IDs.
type Type struct {
	Code Code
	Num  [3]int32
	Zone string
	IDs  []int32 // type ids of a Union
}

// IntType is the integer type of these bits.
func IntType(bits int, signed bool) Type {
	t := Type{Code: Int, Num: [3]int32{int32(bits)}}
	if signed {
		t.Num[1] = 1
	}
	return t
}

// Equal reports whether two types have the same code and parameters.
func (t Type) Equal(u Type) bool {
	return t.Code == u.Code && t.Num == u.Num && t.Zone == u.Zone && slices.Equal(t.IDs, u.IDs)
}

// String spells the type as Arrow's libraries do.
func (t Type) String() string {
	switch t.Code {
	case Int:
		sign := "int"
		if t.Num[1] == 0 {
			sign = "uint"
		}
		return fmt.Sprintf("%s%d", sign, t.Num[0])
	case FloatingPoint:
		return fmt.Sprintf("float%d", 16<<(t.Num[0]&3))
	case Decimal:
		return fmt.Sprintf("decimal%d(%d, %d)", t.Num[2], t.Num[0], t.Num[1])
	case Date:
		return [2]string{"date32", "date64"}[t.Num[0]&1]
	case TimeOfDay:
		return fmt.Sprintf("time%d[%s]", t.Num[1], unitName(t.Num[0]))
	case Timestamp:
		if t.Zone != "" {
			return fmt.Sprintf("timestamp[%s, %s]", unitName(t.Num[0]), t.Zone)
		}
		return fmt.Sprintf("timestamp[%s]", unitName(t.Num[0]))
	case Duration:
		return fmt.Sprintf("duration[%s]", unitName(t.Num[0]))
	case FixedSizeBinary, fixedSizeList:
		return fmt.Sprintf("%s[%d]", Layouts[t.Code].Name, t.Num[0])
	case Union:
		return [2]string{"sparse_union", "dense_union"}[t.Num[0]&1]
	}
	return Layouts[t.Code].Name
}

// String spells the field's type with its children and dictionary.
func (f *Field) String() string {
	s := f.Type.String()
	if len(f.Children) > 0 {
		child := make([]string, len(f.Children))
		for i := range f.Children {
			child[i] = f.Children[i].String()
		}
		s += "<" + strings.Join(child, ", ") + ">"
	}
	if f.Dict != nil {
		return "dictionary<" + f.Dict.Index.String() + ", " + s + ">"
	}
	return s
}

func unitName(unit int32) string { return [4]string{"s", "ms", "us", "ns"}[unit&3] }
