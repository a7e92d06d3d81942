package parquet

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/io/colfile/letter"
	"github.com/tacet-privacy/tacet/io/parquetraw"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
)

// leafType is the type of a private column, or what to cast it to.
func leafType(l *parquetraw.Leaf) (t letter.Type, hint string) {
	kind := l.Logical.Kind
	switch l.Physical {
	case format.ByteArray:
		switch kind {
		case format.Utf8, format.Enum, format.JSON:
			return letter.Type{Kind: letter.Text}, ""
		case format.Plain, format.Bson:
			return letter.Type{Kind: letter.Binary}, ""
		}
	case format.Boolean:
		if kind == format.Plain {
			return letter.Type{Kind: letter.Boolean}, ""
		}
	case format.Int32:
		bits := l.Logical.Bits
		switch {
		case kind == format.Plain:
			return letter.Type{Kind: letter.Integer, Bits: 32}, ""
		case kind == format.Date:
			return letter.Type{Kind: letter.Date}, ""
		case kind == format.Integer && (bits == 8 || bits == 16 || bits == 32):
			return letter.Type{Kind: letter.Integer, Bits: bits, Unsigned: !l.Logical.Signed}, ""
		}
	case format.Int64:
		switch {
		case kind == format.Plain:
			return letter.Type{Kind: letter.Integer, Bits: 64}, ""
		case kind == format.Integer && l.Logical.Bits == 64:
			return letter.Type{Kind: letter.Integer, Bits: 64, Unsigned: !l.Logical.Signed}, ""
		}
	}
	switch {
	case kind == format.Timestamp || l.Physical == format.Int96:
		return t, "cast it to date, or to string"
	case kind == format.Decimal, l.Physical == format.Float, l.Physical == format.Float64:
		return t, "cast it to int64, or to string"
	}
	return t, "cast it to string"
}

// logicalNames name the annotations that need no more than a name.
var logicalNames = map[format.LogicalKind]string{
	format.Utf8: "string", format.Map: "map", format.Listing: "list", format.Enum: "enum", format.Date: "date",
	format.Interval: "interval", format.Unknown: "null", format.JSON: "json", format.Bson: "bson",
	format.UUID: "uuid", format.Float16: "float16", format.Variant: "variant",
	format.Geometry: "geometry", format.Geography: "geography",
}

// leafTypeName is a leaf's type for people.
func leafTypeName(l *parquetraw.Leaf) string {
	unit := [...]string{"?", "ms", "us", "ns"}[min(l.Logical.Unit&3, 3)]
	switch l.Logical.Kind {
	case format.Plain:
		return physicalName(l)
	case format.Decimal:
		return fmt.Sprintf("decimal(%d,%d)", l.Logical.Precise, l.Logical.Scale)
	case format.Time:
		return "time[" + unit + "]"
	case format.Timestamp:
		if l.Logical.UTC {
			unit += ", UTC"
		}
		return "timestamp[" + unit + "]"
	case format.Integer:
		return letter.Type{Kind: letter.Integer, Bits: l.Logical.Bits, Unsigned: !l.Logical.Signed}.String()
	}
	if name, ok := logicalNames[l.Logical.Kind]; ok {
		return name
	}
	return physicalName(l) + " (unknown annotation)"
}

func physicalName(l *parquetraw.Leaf) string {
	switch l.Physical {
	case format.Boolean:
		return "boolean"
	case format.Int32:
		return "int32"
	case format.Int64:
		return "int64"
	case format.Int96:
		return "timestamp (INT96)"
	case format.Float:
		return "float"
	case format.Float64:
		return "double"
	case format.ByteArray:
		return "binary"
	case format.FixedLen:
		return fmt.Sprintf("fixed_len_byte_array(%d)", l.Length)
	}
	return fmt.Sprintf("physical type %d", l.Physical)
}

// columnType is a top-level column's type for people.
func columnType(f *parquetraw.Footer, c *parquetraw.Column) string {
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
