package column

import "encoding/binary"

// pack takes letters that fit into a page without nulls so far and returns
// those from the first null on, or the last few.
func (w *Writer) pack(letter []int32) []int32 {
	n := packLetters(w.bits[packedSize(w.packed, w.code.width):], letter, w.code.index, w.code.width)
	w.rows += n
	w.defined += n
	w.packed += n
	return letter[n:]
}

// gather takes letters that fit into the page, up to 64 at a time so that
// their levels are one word.
func (w *Writer) gather(letter []int32) error {
	if len(letter) > 0 && w.packed == w.rows { // the first ones that are not packed
		lanes := w.level[:(w.rows+63)/64*8]
		for i := range lanes {
			lanes[i] = 0
			if i < w.rows/8 {
				lanes[i] = 0xff
			}
		}
	}
	for len(letter) > 0 {
		shift := uint(w.rows) % 64
		n := min(len(letter), 64-int(shift))
		ids := w.ids[2*w.defined : 2*(w.defined+n)+2]
		defined, word := n, ^uint64(0)>>(64-uint(n))
		nulls, strange := gather(ids, letter[:n], w.code.index)
		if strange {
			return ErrLetter
		}
		if nulls {
			defined, word = squeeze(ids, letter[:n], w.code.index)
		}
		lane := w.level[w.rows/64*8:][:8]
		if shift > 0 {
			word = word<<shift | binary.LittleEndian.Uint64(lane)
		}
		binary.LittleEndian.PutUint64(lane, word)
		w.defined += defined
		w.rows += n
		letter = letter[n:]
	}
	return nil
}

// gather looks up the index of every letter. nulls is true where one is null,
// strange where one does not exist. Letters wider than the table are found at
// the end, by the bits that they have above it.
func gather(ids []byte, letter []int32, index *[1 << 16]uint32) (nulls, strange bool) {
	or, wide := uint32(0), uint32(0)
	for len(letter) >= 4 && len(ids) >= 8 {
		a, b, c, d := uint32(letter[0]), uint32(letter[1]), uint32(letter[2]), uint32(letter[3])
		wide |= (a + 1) | (b + 1) | (c + 1) | (d + 1)
		a, b, c, d = index[uint16(a)], index[uint16(b)], index[uint16(c)], index[uint16(d)]
		or |= a | b | c | d
		binary.LittleEndian.PutUint64(ids, uint64(uint16(a))|uint64(uint16(b))<<16|uint64(uint16(c))<<32|uint64(d)<<48)
		letter, ids = letter[4:], ids[8:]
	}
	for i, l := range letter {
		wide |= uint32(l + 1)
		e := index[uint16(l)]
		or |= e
		binary.LittleEndian.PutUint16(ids[2*i:], uint16(e))
	}
	return or&isNull != 0, or&noLetter|wide>>16 != 0
}

// squeeze is gather with nulls left out, by not moving on behind them; it
// returns how many others there are and their bits.
func squeeze(ids []byte, letter []int32, index *[1 << 16]uint32) (defined int, word uint64) {
	for i, l := range letter {
		e := index[uint16(l)]
		binary.LittleEndian.PutUint16(ids[2*defined:], uint16(e))
		e = ^e >> 16 & 1
		word |= uint64(e) << (uint(i) & 63)
		defined += int(e)
	}
	return defined, word
}
