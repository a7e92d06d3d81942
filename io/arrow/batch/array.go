package batch

import (
	"encoding/binary"
	"sync"
)

// An Array holds the values of one column of one message, decoded as far as
// needed: its buffers are decompressed and checked.
type Array struct {
	Len   int
	Nulls int // rows that are null
	typ   Type
	valid []byte // bitmap; nil where there is no null
	fixed []byte // values of fixed width, bits of booleans, offsets or views
	data  []byte
	parts [][]byte // data buffers of views
	lent  [][]byte // what Release gives back
}

// Decodes reports whether Read knows the type.
func Decodes(t Type) bool {
	switch t.Code {
	case Int:
		return ValidInt(t)
	case Date:
		return t.Num[0] == Day || t.Num[0] == Millisecond
	case Bool, Utf8, BinaryType, LargeUtf8, LargeBinary, Utf8View, BinaryView:
		return true
	}
	return false
}

// Reads reports whether Read decodes the type to Ints or Bytes.
func Reads(t Type) bool {
	return Decodes(t) || fixedBits(t) > 0 && fixedBits(t)%8 == 0
}

// Read decodes column c of message b of f, whose own type (that of the
// indices, where it is dictionary encoded) is t.
func Read(f *File, b *RecordBatch, c int, t Type) (a *Array, err error) {
	defer Guard("decoding a column", &err)
	col := b.Columns[c]
	a = &Array{Len: int(b.Rows), typ: t}
	if b.Rows == 0 {
		return a, nil
	}
	buf := make([][]byte, len(col.Buffers))
	for i, s := range col.Buffers {
		if i == 0 && col.Nodes[0].Nulls == 0 {
			continue // no null, whatever the bitmap says
		}
		if b.Codec == None {
			buf[i] = Borrow(s.Len)
			a.lent = append(a.lent, buf[i])
			err = ReadFull(f.In, buf[i], s.Offset)
		} else {
			buf[i], err = Load(f, b.Codec, s)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := a.setValid(buf[0], col.Nodes[0].Nulls); err != nil {
		return nil, err
	}
	a.fixed = buf[1]
	if bits := fixedBits(t); bits > 0 {
		return a, a.need(int64(a.Len)*int64(bits), len(a.fixed))
	}
	switch t.Code {
	case Utf8View, BinaryView:
		a.parts = buf[2:]
		return a, a.checkViews()
	}
	a.data = buf[2]
	return a, a.checkOffsets()
}

// Load reads a buffer and undoes its compression.
func Load(f *File, c Codec, s Span) ([]byte, error) {
	raw, err := ReadAt(f.In, s.Offset, s.Len)
	if err != nil {
		return nil, err
	}
	return Decompress(c, raw)
}

// Release ends the use of a; its buffers serve other arrays then.
func (a *Array) Release() {
	for _, buf := range a.lent {
		Lend(buf)
	}
	*a = Array{}
}

// Null reports whether row i is null.
func (a *Array) Null(i int) bool {
	return a.valid != nil && a.valid[i>>3]>>(i&7)&1 == 0
}

// Ints decodes the rows from..from+len(dst) of a fixed width of up to 64 bits:
// integers (uint64 by its bit pattern), booleans, days, ticks, the bits of
// floating-point numbers. What stands under a null is decoded too and means
// nothing.
func (a *Array) Ints(dst []int64, from int) {
	if a.typ.Code == Bool {
		for i := range dst {
			dst[i] = int64(a.fixed[(from+i)>>3] >> ((from + i) & 7) & 1)
		}
		return
	}
	signed := a.typ.Code != Int || a.typ.Num[1] != 0
	switch width := fixedBits(a.typ) / 8; {
	case width == 1 && signed:
		for i, v := range a.fixed[from:][:len(dst)] {
			dst[i] = int64(int8(v))
		}
	case width == 1:
		for i, v := range a.fixed[from:][:len(dst)] {
			dst[i] = int64(v)
		}
	case width == 2 && signed:
		src := a.fixed[2*from:]
		for i := range dst {
			dst[i] = int64(int16(binary.LittleEndian.Uint16(src[2*i : 2*i+2 : 2*i+2])))
		}
	case width == 2:
		src := a.fixed[2*from:]
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint16(src[2*i : 2*i+2 : 2*i+2]))
		}
	case width == 4 && signed:
		src := a.fixed[4*from:]
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(src[4*i : 4*i+4 : 4*i+4])))
		}
	case width == 4:
		src := a.fixed[4*from:]
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint32(src[4*i : 4*i+4 : 4*i+4]))
		}
	default:
		src := a.fixed[8*from:]
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(src[8*i:]))
		}
		if a.typ.Code == Date {
			for i, v := range dst {
				dst[i] = (v - (v%PerDay+PerDay)%PerDay) / PerDay
			}
		}
	}
}

// WholeDays reports whether no row of dates in milliseconds has a time of day, which Ints
// leaves out.
func (a *Array) WholeDays() bool {
	if a.typ.Code != Date || a.typ.Num[0] != Millisecond {
		return true
	}
	for i := range a.Len {
		if !a.Null(i) && int64(binary.LittleEndian.Uint64(a.fixed[8*i:]))%PerDay != 0 {
			return false
		}
	}
	return true
}

// Bytes is row i of text or binary, or of any type of fixed width as it is
// stored, empty where it is null. The caller must
// not change it.
func (a *Array) Bytes(i int) []byte {
	if a.Null(i) {
		return nil
	}
	switch a.typ.Code {
	case Utf8View, BinaryView:
		v := a.fixed[16*i : 16*i+16]
		n := binary.LittleEndian.Uint32(v)
		if n <= inlineView {
			return v[4 : 4+n]
		}
		off := int(binary.LittleEndian.Uint32(v[12:]))
		return a.parts[binary.LittleEndian.Uint32(v[8:])][off : off+int(n)]
	case Utf8, BinaryType:
		return a.data[binary.LittleEndian.Uint32(a.fixed[4*i:]):binary.LittleEndian.Uint32(a.fixed[4*i+4:])]
	}
	if width := fixedBits(a.typ) / 8; width > 0 {
		return a.fixed[width*i : width*(i+1)]
	}
	return a.data[binary.LittleEndian.Uint64(a.fixed[8*i:]):binary.LittleEndian.Uint64(a.fixed[8*i+8:])]
}

// inlineView is how many bytes a view holds itself.
const inlineView = 12

// fixedBits is the width of a type's values, 0 where it is not fixed.
func fixedBits(t Type) int {
	switch t.Code {
	case Bool:
		return 1
	case Int:
		return int(t.Num[0])
	case FloatingPoint:
		return 16 << (t.Num[0] & 3)
	case Decimal:
		return int(t.Num[2])
	case Date:
		return 32 << (t.Num[0] & 1)
	case TimeOfDay:
		return int(t.Num[1])
	case Timestamp, Duration:
		return 64
	case FixedSizeBinary:
		return 8 * int(t.Num[0])
	}
	return 0
}

// buffers are read from the input again and again. They hold raw values, so
// nothing that is written is ever taken from here.
var buffers sync.Pool

// Borrow is a buffer of n bytes that hold anything.
func Borrow(n int64) []byte {
	if b, ok := buffers.Get().(*[]byte); ok && int64(cap(*b)) >= n {
		return (*b)[:n]
	}
	return make([]byte, n)
}

// Lend takes a buffer back, for others to borrow.
func Lend(b []byte) {
	if cap(b) > 0 {
		buffers.Put(&b)
	}
}
