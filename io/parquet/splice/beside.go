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
	number number
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
		c.typ, c.number, ok = cellType(&p.footer.Leaves[column.Leaf])
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
	v = table.Values{Type: c.typ, Code: c.code[:n], Entries: c.chunk.Entries(), Source: storedCells{c.chunk, c.number}}
	if c.number == nil {
		v.Whole = c.chunk.Ints()
	}
	return v, nil
}

// A number is how the stored value of a code becomes what table.CellType has it; nil for as it is stored.
type number func(r *page.Reader, code int) int64

// storedCells are those of a chunk by code.
type storedCells struct {
	*page.Reader
	number number
}

func (p storedCells) Int(code int) int64 {
	if p.number == nil {
		return p.Reader.Int(code)
	}
	return p.number(p.Reader, code)
}

func ofFloat(r *page.Reader, code int) int64 {
	return int64(math.Float64bits(float64(math.Float32frombits(uint32(r.Int(code))))))
}

func ofHalf(r *page.Reader, code int) int64 {
	return int64(math.Float64bits(table.Half(binary.LittleEndian.Uint16(r.Bytes(code)))))
}

func ofUint32(r *page.Reader, code int) int64 { return int64(uint32(r.Int(code))) }

// ofInt96 are microseconds of what is stored as nanoseconds of the day, then the Julian day.
func ofInt96(r *page.Reader, code int) int64 {
	const epochDay = 2_440_588 // that of 1970-01-01
	b := r.Bytes(code)
	day := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epochDay
	return day*86400_000_000 + int64(binary.LittleEndian.Uint64(b))/1000
}

// integerType is the type of the integers of a leaf.
func integerType(l *meta.Leaf) table.Type {
	if l.Logical.Kind == meta.Integer {
		return table.Type{Kind: table.Integer, Bits: l.Logical.Bits, Unsigned: !l.Logical.Signed}
	}
	return table.Type{Kind: table.Integer, Bits: 32 << (l.Physical - format.Int32)}
}

// cellType is the type of a leaf's cells; ok is false where they cannot
// be read.
func cellType(l *meta.Leaf) (t table.CellType, as number, ok bool) {
	number := l.Physical == format.Int32 || l.Physical == format.Int64
	ticks := [...]int64{0, 1e3, 1e6, 1e9}[l.Logical.Unit&3]
	switch kind := l.Logical.Kind; {
	case l.Physical == format.Boolean:
		t.Form = table.BooleanCells
	case l.Physical == format.Int96:
		t, as = table.CellType{Form: table.TimestampCells, Ticks: 1e6}, ofInt96
	case l.Physical == format.Float:
		t.Form, as = table.FloatCells, ofFloat
	case l.Physical == format.Double:
		t.Form = table.FloatCells
	case kind == meta.Float16 && l.Physical == format.FixedLenByteArray && l.Length == 2:
		t.Form, as = table.FloatCells, ofHalf
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
		if integer := integerType(l); integer.Unsigned {
			if t.Form = table.UnsignedCells; integer.Bits < 64 {
				as = ofUint32
			}
		}
	case l.Physical == format.ByteArray && (kind == meta.Utf8 || kind == meta.Enum || kind == meta.JSON):
		t.Form = table.TextCells
	case l.Physical == format.ByteArray && (kind == meta.Plain || kind == meta.Bson):
		t.Form = table.BinaryCells
	case l.Physical == format.FixedLenByteArray && (kind == meta.Plain || kind == meta.UUID):
		t.Form = table.BinaryCells
	default:
		return t, nil, false
	}
	return t, as, true
}
