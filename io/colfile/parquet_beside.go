package colfile

import (
	"encoding/binary"
	"math"

	"github.com/tacet-privacy/tacet/io/parquetraw"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/page"
)

// A besideColumn is a flat column whose values are handed out as they are.
type besideColumn struct {
	name string
	leaf int
	typ  CellType
	read parquetCells // how stored numbers are read
}

// besideChunk is one chunk of it.
type besideChunk struct {
	*besideColumn
	chunk *page.Reader
	code  []int32
}

func (p *parquetFile) besideColumn(name string) (c besideColumn, err error) {
	top, err := p.column(name)
	if err != nil {
		return c, err
	}
	column := &p.footer.Columns[top]
	c = besideColumn{name: name, leaf: column.Leaf}
	ok := column.Flat && column.Repetition != format.Repeated
	if ok {
		c.typ, c.read, ok = parquetCellType(&p.footer.Leaves[column.Leaf])
	}
	if !ok {
		return c, inputErrorf("name a column of numbers, text, dates or times", "column %q is of type %s, whose values cannot be read", name, parquetColumnType(p.footer, column))
	}
	for group := range p.footer.Groups {
		if err := p.footer.CheckValues(group, column.Leaf); err != nil {
			return c, parquetError(err)
		}
	}
	return c, nil
}

// openBeside begins the chunk of c in row group group.
func (p *parquetFile) openBeside(group int, c *besideColumn) (*besideChunk, error) {
	r, err := p.footer.OpenValues(p.in, group, c.leaf)
	if err != nil {
		return nil, parquetError(err)
	}
	return &besideChunk{besideColumn: c, chunk: r, code: make([]int32, batchRows)}, nil
}

// next are the cells of the next n rows.
func (c *besideChunk) next(n int) (v Values, err error) {
	defer recovered(&err)
	if cap(c.code) < n {
		c.code = make([]int32, n)
	}
	if _, err := c.chunk.Next(c.code[:n]); err != nil {
		return v, parquetError(err)
	}
	cells := c.read
	cells.Reader = c.chunk
	return Values{Type: c.typ, Code: c.code[:n], Entries: c.chunk.Entries(), source: &cells}, nil
}

// parquetCells reads stored numbers as CellType has them.
type parquetCells struct {
	*page.Reader
	as  numberForm
	typ Type // of integers that may be narrow or unsigned
}

type numberForm uint8

const (
	asStored numberForm = iota
	asInteger
	asFloat
	asHalf
)

func (p *parquetCells) Int(code int) int64 {
	switch p.as {
	case asFloat:
		return int64(math.Float64bits(float64(math.Float32frombits(uint32(p.Reader.Int(code))))))
	case asHalf:
		return int64(math.Float64bits(half(binary.LittleEndian.Uint16(p.Reader.Bytes(code)))))
	case asInteger:
		v, _ := parquetInt(p.typ, p.Reader.Int(code))
		return v
	}
	return p.Reader.Int(code)
}

// parquetCellType is the type of a leaf's cells; ok is false where they cannot
// be read.
func parquetCellType(l *parquetraw.Leaf) (t CellType, read parquetCells, ok bool) {
	number := l.Physical == format.Int32 || l.Physical == format.Int64
	ticks := [...]int64{0, 1e3, 1e6, 1e9}[l.Logical.Unit&3]
	switch kind := l.Logical.Kind; {
	case l.Physical == format.Boolean:
		t.Form = BooleanCells
	case l.Physical == format.Float:
		t.Form, read.as = FloatCells, asFloat
	case l.Physical == format.Float64:
		t.Form = FloatCells
	case kind == format.Float16 && l.Physical == format.FixedLen && l.Length == 2:
		t.Form, read.as = FloatCells, asHalf
	case kind == format.Decimal && number:
		t = CellType{Form: DecimalCells, Scale: int(l.Logical.Scale)}
	case kind == format.Decimal && (l.Physical == format.FixedLen || l.Physical == format.ByteArray):
		t = CellType{Form: WideDecimalCells, Scale: int(l.Logical.Scale)}
	case kind == format.Date && number:
		t.Form = DateCells
	case kind == format.Time && number && ticks > 0:
		t = CellType{Form: TimeCells, Ticks: ticks}
	case kind == format.Timestamp && number && ticks > 0:
		t = CellType{Form: TimestampCells, Ticks: ticks}
	case number:
		t.Form = IntegerCells
		read.as, read.typ = asInteger, Type{Kind: Integer, Bits: 32 << (l.Physical - format.Int32)}
		if kind == format.Integer {
			read.typ.Bits, read.typ.Unsigned = l.Logical.Bits, !l.Logical.Signed
		}
		if read.typ.Unsigned {
			t.Form = UnsignedCells
		}
	case l.Physical == format.ByteArray && (kind == format.Utf8 || kind == format.Enum || kind == format.JSON):
		t.Form = TextCells
	case l.Physical == format.ByteArray && (kind == format.Plain || kind == format.Bson):
		t.Form = BinaryCells
	case l.Physical == format.FixedLen && (kind == format.Plain || kind == format.UUID):
		t.Form = BinaryCells
	default:
		return t, read, false
	}
	return t, read, true
}

// half is a number of 16 bits: sign, 5 bits of exponent, 10 of fraction.
func half(b uint16) float64 {
	sign := float64(1)
	if b>>15 != 0 {
		sign = -1
	}
	exponent, fraction := int(b>>10&0x1f), float64(b&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
