package files

import (
	"encoding/binary"
	"io"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

const (
	maxFooter = 64 << 20  // bounds the footer that is read, in bytes
	maxDepth  = 64        // bounds how deep columns are nested
	maxPage   = 256 << 20 // bounds a page without compression, in bytes
)

// A parquetFile is a footer and the bytes that it is of. Pages are decoded by parquet-go, which is
// shown one column at a time.
type parquetFile struct {
	head
	in      io.ReaderAt
	lengths Lengths
	footer  footer
	raw     []byte          // the footer
	end     int64           // of the data, where the footer starts
	column  []parquetColumn // of the top level
	leaf    int             // of the private column
}

// A parquetColumn is a part of the schema, in depth-first order, and where its leaves are
// among all.
type parquetColumn struct {
	element       []part[element]
	first, leaves int
}

func openParquet(in io.ReaderAt, size int64, c Column) (_ File, err error) {
	defer guard(&err, "has a Parquet footer that cannot be decoded")
	p := &parquetFile{head: head{format: "parquet"}, in: in, lengths: c.Lengths}
	if err := p.read(size); err != nil {
		return nil, err
	}
	leaves, err := p.walk(c.Name)
	if err != nil {
		return nil, err
	}
	p.typ.Bins = c.Bins
	for _, g := range p.footer.Groups {
		p.rows = append(p.rows, g.Rows)
		if len(g.Chunks) != leaves || g.Rows < 0 {
			return nil, errorf("has row groups that are not of its schema")
		}
		for _, c := range g.Chunks { // before anything is allocated that a damaged length says
			m := &c.Meta.V
			if m.Size < 0 || m.Size > 0 && (m.at() < 4 || m.at() > p.end || m.Size > p.end-m.at()) {
				return nil, errorf("has column chunks that lie outside the file")
			}
		}
	}
	return p, nil
}

// read reads the footer: its length in 4 bytes and a mark stand behind it.
func (p *parquetFile) read(size int64) error {
	tail := make([]byte, 8)
	if n, _ := p.in.ReadAt(tail, size-8); n < 8 || string(tail[4:]) != "PAR1" {
		return errorf("does not end as a Parquet file does: it is cut short")
	}
	length, used := int64(binary.LittleEndian.Uint32(tail)), 0
	if p.end = size - 8 - length; length > maxFooter || p.end < 4 {
		return errorf("has a footer of an impossible length")
	}
	p.raw = make([]byte, length)
	if n, _ := p.in.ReadAt(p.raw, p.end); int64(n) < length {
		return errorf("has a footer that cannot be read")
	}
	if p.footer, used = parsed[footer](p.lengths, p.raw, false); used < len(p.raw) {
		return errorf("has a footer with bytes behind it")
	}
	return nil
}

// at is where the first page of a chunk begins.
func (m *columnMeta) at() int64 {
	if m.Dictionary > 0 && (m.Dictionary < m.Data || m.Data <= 0) {
		return m.Dictionary
	}
	return m.Data
}

// walk goes through the schema, a tree in depth-first order, and sets the private column.
func (p *parquetFile) walk(column string) (leaves int, err error) {
	list := p.footer.Schema
	if len(list) == 0 {
		return 0, errorf("has a Parquet footer without a schema")
	}
	next := 1
	for range list[0].V.Children.V {
		c := parquetColumn{first: leaves}
		end := below(list, next, 0, &leaves)
		c.element, c.leaves = list[next:end], leaves-c.first
		p.column, p.name = append(p.column, c), append(p.name, list[next].V.Name)
		next = end
	}
	if next != len(list) {
		return 0, errorf("has a schema that is no tree")
	}
	if err := p.find(column); err != nil {
		return 0, err
	}
	var ok bool
	if p.typ, ok = p.private().typeOf(); !ok || p.private().Repetition.V > format.Optional {
		return 0, errorf("has a column %q of a type that is never privatized", column)
	}
	p.leaf = p.column[p.at].first
	return leaves, nil
}

// private is the first element of the private column, its only one.
func (p *parquetFile) private() *element { return &p.column[p.at].element[0].V }

// below is the place behind an element and all below it, whose leaves it counts.
func below(list []part[element], at, depth int, leaves *int) int {
	e := &list[at].V
	if depth > maxDepth || e.Type.Valid && e.Children.V != 0 {
		panic("a schema that is too deep, or no tree")
	}
	if e.Type.Valid {
		*leaves++
	}
	at++
	for range e.Children.V {
		at = below(list, at, depth+1, leaves)
	}
	return at
}

// older are the members of LogicalType that ConvertedType says [LogicalTypes.md]; the scale of a
// decimal stands in the element.
var older = map[deprecated.ConvertedType]format.LogicalTypeValue{
	deprecated.UTF8: &format.StringType{}, deprecated.Enum: &format.EnumType{}, deprecated.Json: &format.JsonType{},
	deprecated.Bson: &format.BsonType{}, deprecated.Date: &format.DateType{}, deprecated.Decimal: &format.DecimalType{},
	deprecated.TimestampMillis: &format.TimestampType{Unit: format.TimeUnit{Value: &format.MilliSeconds{}}},
	deprecated.TimestampMicros: &format.TimestampType{Unit: format.TimeUnit{Value: &format.MicroSeconds{}}},

	deprecated.Uint8: &format.IntType{BitWidth: 8}, deprecated.Int8: &format.IntType{BitWidth: 8, IsSigned: true},
	deprecated.Uint16: &format.IntType{BitWidth: 16}, deprecated.Int16: &format.IntType{BitWidth: 16, IsSigned: true},
	deprecated.Uint32: &format.IntType{BitWidth: 32}, deprecated.Int32: &format.IntType{BitWidth: 32, IsSigned: true},
	deprecated.Uint64: &format.IntType{BitWidth: 64}, deprecated.Int64: &format.IntType{BitWidth: 64, IsSigned: true},
}

// typeOf is the type of a leaf; ok is false where no run privatizes it. The member of the union
// LogicalType counts, or else the older ConvertedType.
func (e *element) typeOf() (t Type, ok bool) {
	p, means := e.Type.V, e.Logical.V.V.Value
	if !e.Logical.Valid && e.Converted.Valid {
		means = older[e.Converted.V]
	}
	whole, bytes := p == format.Int32 || p == format.Int64, p == format.ByteArray
	switch plain := !e.Logical.Valid && !e.Converted.Valid; {
	case !e.Type.Valid:
		return t, false
	case p == format.Boolean:
		return Type{Kind: Boolean}, true
	case plain && whole:
		return Type{Kind: Integer, Bits: 32 * int(p)}, true
	case plain && bytes:
		return Type{Kind: Binary}, true
	case plain:
		return Type{Kind: Float}, p == format.Float || p == format.Double
	}
	switch m := means.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return Type{Kind: Text}, bytes
	case *format.BsonType:
		return Type{Kind: Binary}, bytes
	case *format.Float16Type:
		return Type{Kind: Float}, p == format.FixedLenByteArray && e.Length.V == 2
	case *format.DecimalType:
		scale := m.Scale
		if !e.Logical.Valid {
			scale = e.Scale.V
		}
		return Type{Kind: Decimal, Scale: int(scale)}, whole || bytes || p == format.FixedLenByteArray
	case *format.DateType:
		return Type{Kind: Date}, whole
	case *format.TimestampType:
		if unit, ok := m.Unit.Value.(interface{ Duration() time.Duration }); ok {
			return Type{Kind: Timestamp, Ticks: int64(time.Second / unit.Duration())}, p == format.Int64
		}
	case *format.IntType:
		return Type{Kind: Integer, Bits: int(m.BitWidth), Unsigned: !m.IsSigned}, whole && m.BitWidth > 0
	}
	return t, false
}
