package cells

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// maxFooter bounds the footer that is read, in bytes.
const maxFooter = 64 << 20

// A parquetFile is read by arrow-go; footer is the same metadata as this
// package reads it.
type parquetFile struct {
	in     io.ReaderAt
	footer *node
	end    int64 // of the data, where the footer starts
	reader *file.Reader
	name   []string // of the top-level columns
	leaf   int      // of the private column
	typ    Type
	null   bool
}

func openParquet(in io.ReaderAt, size int64, column string) (_ File, err error) {
	defer guard(&err, "has a Parquet footer that cannot be decoded")
	p := &parquetFile{in: in, leaf: -1}
	tail := make([]byte, 8)
	if n, _ := in.ReadAt(tail, size-8); n < 8 || string(tail[4:]) != "PAR1" {
		return nil, errorf("does not end as a Parquet file does: it is cut short")
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if p.end = size - 8 - length; length > maxFooter || p.end < 4 {
		return nil, errorf("has a footer of an impossible length")
	}
	raw := make([]byte, length)
	if n, _ := in.ReadAt(raw, p.end); int64(n) < length {
		return nil, errorf("has a footer that cannot be read")
	}
	var used int
	if p.footer, used = parseThrift(raw); int64(used) != length {
		return nil, errorf("has a footer with bytes behind it")
	}
	if p.reader, err = file.NewParquetReader(io.NewSectionReader(in, 0, size)); err != nil {
		return nil, errorf("has a Parquet footer that cannot be decoded")
	}
	if !p.sound() {
		return nil, errorf("has column chunks that lie outside the file")
	}
	return p, p.find(column)
}

// find sets the private column.
func (p *parquetFile) find(column string) error {
	s := p.reader.MetaData().Schema
	for i := range s.Root().NumFields() {
		f := s.Root().Field(i)
		p.name = append(p.name, f.Name())
		leaf, flat := f.(*schema.PrimitiveNode)
		if f.Name() != column || !flat {
			continue
		}
		if p.leaf >= 0 {
			return errorf("has two columns %q", column)
		}
		p.leaf = s.ColumnIndexByNode(leaf)
		c := s.Column(p.leaf)
		p.null = c.MaxDefinitionLevel() == 1
		var ok bool
		if p.typ, ok = parquetType(c); !ok || c.MaxRepetitionLevel() > 0 {
			return errorf("has a column %q of a type that is never privatized", column)
		}
	}
	if p.leaf < 0 {
		return errorf("has no column %q", column)
	}
	return nil
}

func parquetType(c *schema.Column) (Type, bool) {
	logical := c.LogicalType()
	switch c.PhysicalType() {
	case parquet.Types.ByteArray:
		switch logical.(type) {
		case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
			return Type{Kind: Text}, true
		case schema.BSONLogicalType:
			return Type{Kind: Binary}, true
		}
		return Type{Kind: Binary}, logical.IsNone()
	case parquet.Types.Boolean:
		return Type{Kind: Boolean}, true
	case parquet.Types.Int32, parquet.Types.Int64:
		bits := 32
		if c.PhysicalType() == parquet.Types.Int64 {
			bits = 64
		}
		switch l := logical.(type) {
		case schema.DateLogicalType:
			return Type{Kind: Date}, true
		case schema.IntLogicalType:
			return Type{Kind: Integer, Bits: int(l.BitWidth()), Unsigned: !l.IsSigned()}, true
		case schema.TimestampLogicalType:
			ticks := map[schema.TimeUnitType]int64{schema.TimeUnitMillis: 1e3, schema.TimeUnitMicros: 1e6, schema.TimeUnitNanos: 1e9}[l.TimeUnit()]
			return Type{Kind: Timestamp, Ticks: ticks}, ticks > 0 && bits == 64
		}
		return Type{Kind: Integer, Bits: bits}, logical.IsNone()
	}
	return Type{}, false
}

func (p *parquetFile) Format() string    { return "parquet" }
func (p *parquetFile) Columns() []string { return p.name }
func (p *parquetFile) Type() Type        { return p.typ }

func (p *parquetFile) Units() []int64 {
	rows := []int64{}
	for _, g := range p.footer.items(4) {
		rows = append(rows, g.num(3))
	}
	return rows
}
