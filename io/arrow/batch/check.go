package batch

import (
	"encoding/binary"
	"math/bits"
)

// setValid takes the bitmap and counts. A declared number of -1 stands for
// unknown; any other that is not the bitmap's is an error.
func (a *Array) setValid(bitmap []byte, nulls int64) error {
	if nulls == 0 {
		return nil
	}
	if err := a.need(int64(a.Len), len(bitmap)); err != nil {
		return err
	}
	valid := 0
	for _, b := range bitmap[:a.Len/8] {
		valid += bits.OnesCount8(b)
	}
	if rest := a.Len % 8; rest > 0 {
		valid += bits.OnesCount8(bitmap[a.Len/8] & (1<<rest - 1))
	}
	a.Nulls = a.Len - valid
	if nulls >= 0 && int64(a.Nulls) != nulls {
		return Errorf("a column has another number of nulls than it says")
	}
	if a.Nulls > 0 {
		a.valid = bitmap
	}
	return nil
}

// need fails where a buffer of have bytes holds fewer bits than needed.
func (a *Array) need(bits int64, have int) error {
	if (bits+7)/8 > int64(have) {
		return Errorf("a buffer is too short for its %d rows", a.Len)
	}
	return nil
}

// checkOffsets makes sure that offsets never fall and stay inside the data.
func (a *Array) checkOffsets() error {
	wide := a.typ.Code == LargeUtf8 || a.typ.Code == LargeBinary
	width := 4
	if wide {
		width = 8
	}
	if err := a.need((int64(a.Len)+1)*int64(width)*8, len(a.fixed)); err != nil {
		return err
	}
	before := uint64(0)
	for i := 0; i <= a.Len; i++ {
		var off uint64
		if wide {
			off = binary.LittleEndian.Uint64(a.fixed[8*i:])
		} else {
			off = uint64(binary.LittleEndian.Uint32(a.fixed[4*i:]))
		}
		if off < before {
			return Errorf("offsets of text or binary values fall")
		}
		before = off
	}
	if before > uint64(len(a.data)) {
		return Errorf("offsets of text or binary values reach beyond the data")
	}
	return nil
}

// checkViews makes sure that every view that is not null lies in its buffer.
func (a *Array) checkViews() error {
	if err := a.need(int64(a.Len)*128, len(a.fixed)); err != nil {
		return err
	}
	for i := range a.Len {
		if a.Null(i) {
			continue
		}
		v := a.fixed[16*i : 16*i+16]
		n := uint64(binary.LittleEndian.Uint32(v))
		if n <= inlineView {
			continue
		}
		part, off := binary.LittleEndian.Uint32(v[8:]), uint64(binary.LittleEndian.Uint32(v[12:]))
		if uint64(part) >= uint64(len(a.parts)) || off+n > uint64(len(a.parts[part])) {
			return Errorf("a view reaches beyond its data")
		}
	}
	return nil
}
