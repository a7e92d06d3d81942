package splice

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/table"
)

// A cellColumn is a column whose values are handed out as they are.
type cellColumn struct {
	leaf   int
	typ    table.CellType
	read   storedCells  // how stored numbers are read
	nested *meta.Column // that it is, by its leaves; nil for a flat one
}

// columnCells are those of a column in one row group.
type columnCells interface {
	// next are the cells of the next n rows.
	next(n int) (table.Values, error)
	close()
}

// chunkCells is one chunk of a flat column.
type chunkCells struct {
	*cellColumn
	chunk *page.Reader
	code  []int32
}

// cellColumn is a top-level column whose cells are read.
func (p *File) cellColumn(top int) (c cellColumn, err error) {
	column := &p.footer.Columns[top]
	c = cellColumn{leaf: column.Leaf}
	ok := column.Flat && column.Repetition != format.Repeated
	if ok {
		c.typ, c.read, ok = cellType(&p.footer.Leaves[column.Leaf])
	}
	if !ok {
		if leavesOf(column) > 0 {
			c.nested = column
		}
		return c, table.Errorf("name a column of numbers, text, dates or times",
			"column %q is of type %s, whose values cannot be read", column.Name, columnType(p.footer, column))
	}
	for group := range p.footer.Groups {
		if err := p.footer.CheckValues(group, column.Leaf); err != nil {
			return c, err
		}
	}
	return c, nil
}

// openCells begins a column in a row group.
func (p *File) openCells(group int, c *cellColumn) (columnCells, error) {
	if c.nested != nil {
		return p.openNested(group, c.nested)
	}
	r, err := page.OpenChunk(p.footer, p.in, group, c.leaf)
	if err != nil {
		return nil, err
	}
	return &chunkCells{cellColumn: c, chunk: r, code: make([]int32, table.BatchRows)}, nil
}

func (c *chunkCells) close() { c.chunk.Close() }

func (c *chunkCells) next(n int) (v table.Values, err error) {
	defer table.Guard(decoding, &err)
	if cap(c.code) < n {
		c.code = make([]int32, n)
	}
	if _, err := c.chunk.Next(c.code[:n]); err != nil {
		return v, err
	}
	cells := c.read
	cells.Reader = c.chunk
	v = table.Values{Type: c.typ, Code: c.code[:n], Entries: c.chunk.Entries(), Source: &cells}
	if c.read.stored() {
		v.Whole = c.chunk.Ints()
	}
	return v, nil
}

// storedCells reads stored numbers as table.CellType has them.
type storedCells struct {
	*page.Reader
	as  table.Number
	typ table.Type // of integers that may be narrow or unsigned
}

// asInt96 are timestamps of 12 bytes, and epochDay is the Julian day of 1970-01-01.
const (
	asInt96  table.Number = 0xff
	epochDay              = 2_440_588
)

// stored reports whether numbers are read as they are stored.
func (p *storedCells) stored() bool {
	return p.as == table.AsStored || p.as == table.AsInteger && (p.typ.Bits == 64 || !p.typ.Unsigned)
}

func (p *storedCells) Int(code int) int64 {
	switch p.as {
	case table.AsFloat:
		return int64(math.Float64bits(float64(math.Float32frombits(uint32(p.Reader.Int(code))))))
	case table.AsHalf:
		return int64(math.Float64bits(table.Half(binary.LittleEndian.Uint16(p.Reader.Bytes(code)))))
	case asInt96:
		b := p.Reader.Bytes(code) // nanoseconds of the day, then the Julian day
		day := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epochDay
		return day*86400_000_000 + int64(binary.LittleEndian.Uint64(b))/1000
	case table.AsInteger:
		if p.typ.Unsigned && p.typ.Bits < 64 {
			return int64(uint32(p.Reader.Int(code)))
		}
	}
	return p.Reader.Int(code)
}

// cellType is the type of a leaf's cells; ok is false where they cannot
// be read.
func cellType(l *meta.Leaf) (t table.CellType, read storedCells, ok bool) {
	number := l.Physical == format.Int32 || l.Physical == format.Int64
	ticks := [...]int64{0, 1e3, 1e6, 1e9}[l.Logical.Unit&3]
	switch kind := l.Logical.Kind; {
	case l.Physical == format.Boolean:
		t.Form = table.BooleanCells
	case l.Physical == format.Int96:
		t, read.as = table.CellType{Form: table.TimestampCells, Ticks: 1e6}, asInt96
	case l.Physical == format.Float:
		t.Form, read.as = table.FloatCells, table.AsFloat
	case l.Physical == format.Double:
		t.Form = table.FloatCells
	case kind == meta.Float16 && l.Physical == format.FixedLenByteArray && l.Length == 2:
		t.Form, read.as = table.FloatCells, table.AsHalf
	case kind == meta.Decimal && number:
		t = table.CellType{Form: table.DecimalCells, Scale: int(l.Logical.Scale)}
	case kind == meta.Decimal && (l.Physical == format.FixedLenByteArray || l.Physical == format.ByteArray):
		t = table.CellType{Form: table.WideDecimalCells, Scale: int(l.Logical.Scale)}
	case kind == meta.Date && number:
		t.Form = table.DateCells
	case kind == meta.Time && number && ticks > 0:
		t = table.CellType{Form: table.TimeCells, Ticks: ticks}
	case kind == meta.Timestamp && number && ticks > 0:
		t = table.CellType{Form: table.TimestampCells, Ticks: ticks}
	case number:
		t.Form = table.IntegerCells
		read.as, read.typ = table.AsInteger, table.Type{Kind: table.Integer, Bits: 32 << (l.Physical - format.Int32)}
		if kind == meta.Integer {
			read.typ.Bits, read.typ.Unsigned = l.Logical.Bits, !l.Logical.Signed
		}
		if read.typ.Unsigned {
			t.Form = table.UnsignedCells
		}
	case l.Physical == format.ByteArray && (kind == meta.Utf8 || kind == meta.Enum || kind == meta.JSON):
		t.Form = table.TextCells
	case l.Physical == format.ByteArray && (kind == meta.Plain || kind == meta.Bson):
		t.Form = table.BinaryCells
	case l.Physical == format.FixedLenByteArray && (kind == meta.Plain || kind == meta.UUID):
		t.Form = table.BinaryCells
	default:
		return t, read, false
	}
	return t, read, true
}
