package parquet

import (
	"encoding/binary"
	"math"

	"github.com/tacet-privacy/tacet/io/colfile/cell"
	"github.com/tacet-privacy/tacet/io/colfile/input"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
	"github.com/tacet-privacy/tacet/io/parquetraw"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/page"
)

// A besideColumn is a flat column whose values are handed out as they are.
type besideColumn struct {
	name string
	leaf int
	typ  cell.Type
	read storedCells // how stored numbers are read
}

// besideChunk is one chunk of it.
type besideChunk struct {
	*besideColumn
	chunk *page.Reader
	code  []int32
}

func (p *File) besideColumn(name string) (c besideColumn, err error) {
	top, err := p.column(name)
	if err != nil {
		return c, err
	}
	column := &p.footer.Columns[top]
	c = besideColumn{name: name, leaf: column.Leaf}
	ok := column.Flat && column.Repetition != format.Repeated
	if ok {
		c.typ, c.read, ok = cellType(&p.footer.Leaves[column.Leaf])
	}
	if !ok {
		return c, input.Errorf("name a column of numbers, text, dates or times", "column %q is of type %s, whose values cannot be read", name, columnType(p.footer, column))
	}
	for group := range p.footer.Groups {
		if err := p.footer.CheckValues(group, column.Leaf); err != nil {
			return c, inputError(err)
		}
	}
	return c, nil
}

// openBeside begins the chunk of c in row group group.
func (p *File) openBeside(group int, c *besideColumn) (*besideChunk, error) {
	r, err := p.footer.OpenValues(p.in, group, c.leaf)
	if err != nil {
		return nil, inputError(err)
	}
	return &besideChunk{besideColumn: c, chunk: r, code: make([]int32, letter.BatchRows)}, nil
}

// next are the cells of the next n rows.
func (c *besideChunk) next(n int) (v cell.Values, err error) {
	defer recovered(&err)
	if cap(c.code) < n {
		c.code = make([]int32, n)
	}
	if _, err := c.chunk.Next(c.code[:n]); err != nil {
		return v, inputError(err)
	}
	cells := c.read
	cells.Reader = c.chunk
	return cell.Values{Type: c.typ, Code: c.code[:n], Entries: c.chunk.Entries(), Source: &cells}, nil
}

// storedCells reads stored numbers as cell.Type has them.
type storedCells struct {
	*page.Reader
	as  cell.Number
	typ letter.Type // of integers that may be narrow or unsigned
}

func (p *storedCells) Int(code int) int64 {
	switch p.as {
	case cell.AsFloat:
		return int64(math.Float64bits(float64(math.Float32frombits(uint32(p.Reader.Int(code))))))
	case cell.AsHalf:
		return int64(math.Float64bits(cell.Half(binary.LittleEndian.Uint16(p.Reader.Bytes(code)))))
	case cell.AsInteger:
		v, _ := integer(p.typ, p.Reader.Int(code))
		return v
	}
	return p.Reader.Int(code)
}

// cellType is the type of a leaf's cells; ok is false where they cannot
// be read.
func cellType(l *parquetraw.Leaf) (t cell.Type, read storedCells, ok bool) {
	number := l.Physical == format.Int32 || l.Physical == format.Int64
	ticks := [...]int64{0, 1e3, 1e6, 1e9}[l.Logical.Unit&3]
	switch kind := l.Logical.Kind; {
	case l.Physical == format.Boolean:
		t.Form = cell.Boolean
	case l.Physical == format.Float:
		t.Form, read.as = cell.Float, cell.AsFloat
	case l.Physical == format.Float64:
		t.Form = cell.Float
	case kind == format.Float16 && l.Physical == format.FixedLen && l.Length == 2:
		t.Form, read.as = cell.Float, cell.AsHalf
	case kind == format.Decimal && number:
		t = cell.Type{Form: cell.Decimal, Scale: int(l.Logical.Scale)}
	case kind == format.Decimal && (l.Physical == format.FixedLen || l.Physical == format.ByteArray):
		t = cell.Type{Form: cell.WideDecimal, Scale: int(l.Logical.Scale)}
	case kind == format.Date && number:
		t.Form = cell.Date
	case kind == format.Time && number && ticks > 0:
		t = cell.Type{Form: cell.Time, Ticks: ticks}
	case kind == format.Timestamp && number && ticks > 0:
		t = cell.Type{Form: cell.Timestamp, Ticks: ticks}
	case number:
		t.Form = cell.Integer
		read.as, read.typ = cell.AsInteger, letter.Type{Kind: letter.Integer, Bits: 32 << (l.Physical - format.Int32)}
		if kind == format.Integer {
			read.typ.Bits, read.typ.Unsigned = l.Logical.Bits, !l.Logical.Signed
		}
		if read.typ.Unsigned {
			t.Form = cell.Unsigned
		}
	case l.Physical == format.ByteArray && (kind == format.Utf8 || kind == format.Enum || kind == format.JSON):
		t.Form = cell.Text
	case l.Physical == format.ByteArray && (kind == format.Plain || kind == format.Bson):
		t.Form = cell.Binary
	case l.Physical == format.FixedLen && (kind == format.Plain || kind == format.UUID):
		t.Form = cell.Binary
	default:
		return t, read, false
	}
	return t, read, true
}
