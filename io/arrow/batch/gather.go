package batch

import (
	"encoding/binary"
	"slices"
)

// Outside is what Gather gives for an index outside the table.
const Outside = -1 << 31

// Gather looks the indices of the rows from..from+len(dst) up in table, a null
// being null, and reports whether all were inside.
func (a *Array) Gather(dst []int32, from int, table []int32, null int32) bool {
	width := fixedBits(a.typ) / 8
	table = table[:a.reach(len(table))]
	src := a.fixed[width*from:][:width*len(dst)]
	inside := true
	switch width {
	case 1:
		for i := range dst {
			if k := uint(src[i]); k < uint(len(table)) {
				dst[i] = table[k]
			} else {
				dst[i], inside = Outside, false
			}
		}
	case 2:
		done := gatherFours(dst, src, table)
		dst, src := dst[done:], src[2*done:]
		for i := range dst {
			if k := uint(binary.LittleEndian.Uint16(src[2*i:])); k < uint(len(table)) {
				dst[i] = table[k]
			} else {
				dst[i], inside = Outside, false
			}
		}
	case 4:
		for i := range dst {
			if k := uint(binary.LittleEndian.Uint32(src[4*i:])); k < uint(len(table)) {
				dst[i] = table[k]
			} else {
				dst[i], inside = Outside, false
			}
		}
	default:
		for i := range dst {
			if k := binary.LittleEndian.Uint64(src[8*i:]); k < uint64(len(table)) {
				dst[i] = table[k]
			} else {
				dst[i], inside = Outside, false
			}
		}
	}
	if a.Nulls == 0 {
		return inside
	}
	for i := range dst {
		if a.Null(from + i) {
			dst[i] = null
		}
	}
	return inside || !slices.Contains(dst, Outside)
}

// gatherFours does four indices of 16 bits at a time, until one is outside the
// table, and answers how many it did.
func gatherFours(dst []int32, src []byte, table []int32) (done int) {
	for ; done+4 <= len(dst) && 2*done+8 <= len(src); done += 4 {
		w := binary.LittleEndian.Uint64(src[2*done : 2*done+8 : 2*done+8])
		a, b, c, d := uint(uint16(w)), uint(uint16(w>>16)), uint(uint16(w>>32)), uint(w>>48)
		if a >= uint(len(table)) || b >= uint(len(table)) || c >= uint(len(table)) || d >= uint(len(table)) {
			break
		}
		four := dst[done : done+4 : done+4]
		four[0], four[1], four[2], four[3] = table[a], table[b], table[c], table[d]
	}
	return done
}

// reach is how many of n entries an index may name: a signed one that is read
// as unsigned is negative from half its range on.
func (a *Array) reach(n int) int {
	if bits := fixedBits(a.typ); a.typ.Num[1] != 0 && bits < 64 {
		return min(n, 1<<(bits-1))
	}
	return n
}
