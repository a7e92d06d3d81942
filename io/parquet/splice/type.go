package splice

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// leafType is the type of a private column, or what to cast it to.
func leafType(l *meta.Leaf) (t table.Type, hint string) {
	kind, bits := l.Logical.Kind, l.Logical.Bits
	switch cells, _, ok := cellType(l); cells.Form {
	case table.TextCells: // or none
		if ok {
			return table.Type{Kind: table.Text}, ""
		}
	case table.BinaryCells:
		if l.Physical == format.ByteArray {
			return table.Type{Kind: table.Binary}, ""
		}
	case table.BooleanCells:
		if kind == meta.Plain {
			return table.Type{Kind: table.Boolean}, ""
		}
	case table.DateCells:
		if l.Physical == format.Int32 {
			return table.Type{Kind: table.Date}, ""
		}
	case table.IntegerCells, table.UnsignedCells:
		narrow := bits == 8 || bits == 16 || bits == 32
		if wide := l.Physical == format.Int64; kind == meta.Plain ||
			kind == meta.Integer && (wide && bits == 64 || !wide && narrow) {
			return integerType(l), ""
		}
	}
	switch {
	case l.Physical == format.Int96:
		return t, "cast it to date, or to a timestamp of 64 bits"
	case kind == meta.Timestamp:
		return t, "put it into bins, such as --bins day, or cast it to date"
	case kind == meta.Decimal, l.Physical == format.Float, l.Physical == format.Double:
		return t, "put it into bins, such as --bins 0,10,20,inf (tacet inspect proposes some), or cast it to int64"
	}
	return t, "cast it to string"
}

// logicalNames name the annotations that need no more than a name.
var logicalNames = map[meta.LogicalKind]string{
	meta.Utf8: "string", meta.Map: "map", meta.Listing: "list", meta.Enum: "enum", meta.Date: "date",
	meta.Interval: "interval", meta.Unknown: "null", meta.JSON: "json", meta.Bson: "bson",
	meta.UUID: "uuid", meta.Float16: "float16", meta.Variant: "variant",
	meta.Geometry: "geometry", meta.Geography: "geography",
}

// leafTypeName is a leaf's type for people.
func leafTypeName(l *meta.Leaf) string {
	unit := [...]string{"?", "ms", "us", "ns"}[min(l.Logical.Unit&3, 3)]
	switch l.Logical.Kind {
	case meta.Plain:
		return physicalName(l)
	case meta.Decimal:
		return fmt.Sprintf("decimal(%d,%d)", l.Logical.Precise, l.Logical.Scale)
	case meta.Time:
		return "time[" + unit + "]"
	case meta.Timestamp:
		if l.Logical.UTC {
			unit += ", UTC"
		}
		return "timestamp[" + unit + "]"
	case meta.Integer:
		return table.Type{Kind: table.Integer, Bits: l.Logical.Bits, Unsigned: !l.Logical.Signed}.String()
	}
	if name, ok := logicalNames[l.Logical.Kind]; ok {
		return name
	}
	return physicalName(l) + " (unknown annotation)"
}

func physicalName(l *meta.Leaf) string {
	switch l.Physical {
	case format.Int96:
		return "timestamp (INT96)"
	case format.ByteArray:
		return "binary"
	case format.FixedLenByteArray:
		return fmt.Sprintf("fixed_len_byte_array(%d)", l.Length)
	}
	return strings.ToLower(l.Physical.String())
}

// columnType is a top-level column's type for people.
func columnType(f *meta.Footer, c *meta.Column) string {
	if c.Flat {
		name := leafTypeName(&f.Leaves[c.Leaf])
		if c.Repetition == format.Repeated {
			return "list of " + name
		}
		return name
	}
	if name, ok := logicalNames[c.Logical.Kind]; ok {
		return name
	}
	var below []string
	for i := c.Leaf; i < c.Leaf+c.Leaves; i++ {
		if path := f.Leaves[i].Path; len(path) > 1 && (len(below) == 0 || below[len(below)-1] != path[1]) {
			below = append(below, path[1])
		}
	}
	return "struct(" + strings.Join(below, ", ") + ")"
}
