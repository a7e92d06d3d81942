package colfile

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/io/parquetraw"
)

// parquetType is the type of a private column, or what to cast it to.
func parquetType(l *parquetraw.Leaf) (t Type, hint string) {
	kind := l.Logical.Kind
	switch l.Physical {
	case parquetraw.ByteArray:
		switch kind {
		case parquetraw.Utf8, parquetraw.Enum, parquetraw.JSON:
			return Type{Kind: Text}, ""
		case parquetraw.Plain, parquetraw.Bson:
			return Type{Kind: Binary}, ""
		}
	case parquetraw.Boolean:
		if kind == parquetraw.Plain {
			return Type{Kind: Boolean}, ""
		}
	case parquetraw.Int32:
		bits := l.Logical.Bits
		switch {
		case kind == parquetraw.Plain:
			return Type{Kind: Integer, Bits: 32}, ""
		case kind == parquetraw.Date:
			return Type{Kind: Date}, ""
		case kind == parquetraw.Integer && (bits == 8 || bits == 16 || bits == 32):
			return Type{Integer, bits, !l.Logical.Signed}, ""
		}
	case parquetraw.Int64:
		switch {
		case kind == parquetraw.Plain:
			return Type{Kind: Integer, Bits: 64}, ""
		case kind == parquetraw.Integer && l.Logical.Bits == 64:
			return Type{Integer, 64, !l.Logical.Signed}, ""
		}
	}
	switch {
	case kind == parquetraw.Timestamp || l.Physical == parquetraw.Int96:
		return t, "cast it to date, or to string"
	case kind == parquetraw.Decimal, l.Physical == parquetraw.Float, l.Physical == parquetraw.Float64:
		return t, "cast it to int64, or to string"
	}
	return t, "cast it to string"
}

// logicalNames name the annotations that need no more than a name.
var logicalNames = map[parquetraw.LogicalKind]string{
	parquetraw.Utf8: "string", parquetraw.Map: "map", parquetraw.Listing: "list", parquetraw.Enum: "enum", parquetraw.Date: "date",
	parquetraw.Interval: "interval", parquetraw.Unknown: "null", parquetraw.JSON: "json", parquetraw.Bson: "bson",
	parquetraw.UUIDKind: "uuid", parquetraw.Float16: "float16", parquetraw.Variant: "variant",
	parquetraw.Geometry: "geometry", parquetraw.Geography: "geography",
}

// parquetTypeName is a leaf's type for people.
func parquetTypeName(l *parquetraw.Leaf) string {
	unit := [...]string{"?", "ms", "us", "ns"}[min(l.Logical.Unit&3, 3)]
	switch l.Logical.Kind {
	case parquetraw.Plain:
		return physicalName(l)
	case parquetraw.Decimal:
		return fmt.Sprintf("decimal(%d,%d)", l.Logical.Precise, l.Logical.Scale)
	case parquetraw.Time:
		return "time[" + unit + "]"
	case parquetraw.Timestamp:
		if l.Logical.UTC {
			unit += ", UTC"
		}
		return "timestamp[" + unit + "]"
	case parquetraw.Integer:
		return Type{Integer, l.Logical.Bits, !l.Logical.Signed}.String()
	}
	if name, ok := logicalNames[l.Logical.Kind]; ok {
		return name
	}
	return physicalName(l) + " (unknown annotation)"
}

func physicalName(l *parquetraw.Leaf) string {
	switch l.Physical {
	case parquetraw.Boolean:
		return "boolean"
	case parquetraw.Int32:
		return "int32"
	case parquetraw.Int64:
		return "int64"
	case parquetraw.Int96:
		return "timestamp (INT96)"
	case parquetraw.Float:
		return "float"
	case parquetraw.Float64:
		return "double"
	case parquetraw.ByteArray:
		return "binary"
	case parquetraw.FixedLen:
		return fmt.Sprintf("fixed_len_byte_array(%d)", l.Length)
	}
	return fmt.Sprintf("physical type %d", l.Physical)
}

// parquetColumnType is a top-level column's type for people.
func parquetColumnType(f *parquetraw.Footer, c *parquetraw.Column) string {
	if c.Flat {
		name := parquetTypeName(&f.Leaves[c.Leaf])
		if c.Repetition == parquetraw.Repeated {
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
