package table

import (
	"math"
	"math/big"
	"slices"
)

// Outside says why a cell has no bin.
type Outside int8

// What is not in a bin.
const (
	Inside Outside = iota
	Below          // the least bin
	Above          // the greatest bin
	noNumber
)

// nullBin stands in place of a bin for a null, and less for what is Outside.
const nullBin = -1

// beyond is where a number lies that is too far from the origin.
func beyond(sign int) Outside {
	if sign < 0 {
		return Below
	}
	return Above
}

// A Binner finds the bins of the cells of one unit, and numbers them as they are
// met. Which bin a cell is in is worked out exactly, once for each bin; other cells
// are compared with its ends as cells have them.
type Binner struct {
	bins *Bins
	ID   []int64 // of the bins that were met
	span []binSpan
	last binSpan
	at   map[int64]int32 // places in ID
}

// A binSpan has the first and the last key of a bin, both of it, and its place.
type binSpan struct {
	first, last uint64
	at          int32
}

// NewBinner begins a unit.
func NewBinner(b *Bins) *Binner {
	return &Binner{bins: b, last: binSpan{1, 0, 0}, at: map[int64]int32{}}
}

// Find is the place of the bin of row i, which is not null, from 0 on: the next one where the bin was
// not met before. It is less than nullBin for what Outside takes off.
func (b *Binner) Find(v *Values, i int) int32 {
	if v.Type.Form == TextCells {
		return b.findText(v.Bytes(i))
	}
	if v.Type.Form == WideDecimalCells {
		n := bigInt(v.Bytes(i))
		if !n.IsInt64() {
			return b.exactly(v.Type.counted(n))
		}
		return b.among(uint64(n.Int64())^1<<63, v.Type)
	}
	cell := v.Int(i)
	switch v.Type.Form {
	case UnsignedCells:
		return b.among(uint64(cell), v.Type)
	case FloatCells:
		f := math.Float64frombits(uint64(cell))
		if math.IsNaN(f) {
			return nullBin - int32(noNumber)
		}
		return b.among(floatKey(f), v.Type)
	}
	return b.among(uint64(cell)^1<<63, v.Type)
}

// Label is that of the bin at a place.
func (b *Binner) Label(at int) string { return b.bins.Label(b.ID[at]) }

// among looks for a key in the bins that were met.
func (b *Binner) among(key uint64, t CellType) int32 {
	if key >= b.last.first && key <= b.last.last {
		return b.last.at
	}
	at, found := slices.BinarySearchFunc(b.span, key, func(s binSpan, key uint64) int {
		switch {
		case s.last < key:
			return -1
		case s.first > key:
			return 1
		}
		return 0
	})
	if found {
		b.last = b.span[at]
		return b.last.at
	}
	number, infinite := t.number(key)
	if infinite != 0 {
		return b.farthest(infinite)
	}
	id, out := b.bins.place(number)
	if out != Inside {
		return nullBin - int32(out)
	}
	s := binSpan{first: 0, last: math.MaxUint64, at: b.place(id)}
	from, to := b.bins.ends(id)
	if from != nil {
		s.first, _ = t.key(from)
	}
	if to != nil {
		if key, some := t.key(to); some {
			s.last = key - 1 // the key of the upper end is above that of a cell, and not 0
		}
	}
	b.span, b.last = slices.Insert(b.span, at, s), s
	return s.at
}

// exactly is the bin of a number that has no key.
func (b *Binner) exactly(v *big.Rat) int32 {
	id, out := b.bins.place(v)
	if out != Inside {
		return nullBin - int32(out)
	}
	return b.place(id)
}

// farthest is the bin of an infinity, which only an open one holds.
func (b *Binner) farthest(sign int) int32 {
	switch {
	case b.bins.edge == nil:
		return nullBin - int32(beyond(sign))
	case sign < 0 && b.bins.below:
		return b.place(0)
	case sign > 0 && b.bins.above:
		return b.place(int64(len(b.bins.edge)))
	}
	return nullBin - int32(beyond(sign))
}

// place is that of a bin.
func (b *Binner) place(id int64) int32 {
	at, ok := b.at[id]
	if !ok {
		at = int32(len(b.ID))
		b.at[id], b.ID = at, append(b.ID, id)
	}
	return at
}

// floatKey orders floats as they are ordered; zeros are one, since -0+0 is 0.
func floatKey(f float64) uint64 {
	bits := math.Float64bits(f + 0)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// unit is what an integer cell counts: 1/unit of its number.
func (t CellType) unit() *big.Rat {
	switch t.Form {
	case DateCells:
		return new(big.Rat).Inv(wholeDay)
	case TimestampCells:
		return big.NewRat(t.Ticks, 1)
	case DecimalCells, WideDecimalCells:
		power := big.NewInt(int64(max(t.Scale, -t.Scale)))
		unit := new(big.Rat).SetInt(power.Exp(big.NewInt(10), power, nil))
		if t.Scale < 0 {
			unit.Inv(unit)
		}
		return unit
	}
	return big.NewRat(1, 1)
}

// counted is the number of an integer cell, in seconds of dates and timestamps.
func (t CellType) counted(n *big.Int) *big.Rat {
	v := new(big.Rat).SetInt(n)
	return v.Quo(v, t.unit())
}

// number is that of a key, or the sign of the infinity that it is of.
func (t CellType) number(key uint64) (*big.Rat, int) {
	switch t.Form {
	case FloatCells:
		bits := key ^ 1<<63
		if key>>63 == 0 {
			bits = ^key
		}
		f := math.Float64frombits(bits)
		switch {
		case math.IsInf(f, 1):
			return nil, 1
		case math.IsInf(f, -1):
			return nil, -1
		}
		return new(big.Rat).SetFloat64(f), 0
	case UnsignedCells:
		return t.counted(new(big.Int).SetUint64(key)), 0
	}
	return t.counted(big.NewInt(int64(key ^ 1<<63))), 0
}

// key is the least key of a number that is not below v; some is false where no cell is so
// large.
func (t CellType) key(v *big.Rat) (key uint64, some bool) {
	if t.Form == FloatCells {
		f, _ := v.Float64()
		for math.IsInf(f, -1) || !math.IsInf(f, 1) && new(big.Rat).SetFloat64(f).Cmp(v) < 0 {
			f = math.Nextafter(f, math.Inf(1))
		}
		return floatKey(f), true
	}
	n := t.ceil(v)
	switch unsigned := t.Form == UnsignedCells; {
	case unsigned && n.IsUint64():
		return n.Uint64(), true
	case !unsigned && n.IsInt64():
		return uint64(n.Int64()) ^ 1<<63, true
	case n.Sign() < 0:
		return 0, true
	}
	return math.MaxUint64, false
}

// ceil is v in units of cells, rounded up.
func (t CellType) ceil(v *big.Rat) *big.Int {
	in := new(big.Rat).Mul(v, t.unit())
	n := floor(in.Neg(in))
	return n.Neg(n)
}
