package draw

// An arc is a row whose outputs are 0 up to split-1 and then split+jump and
// those behind it: what a floor allows where letters stand in a line or on a
// circle. It needs no list, which for many letters would not fit the caches.
// The base of its row has split in the lower 16 bits and jump in the upper.

// arcOf is the base of an arc with these outputs, in ascending order.
func arcOf(outputs []uint16) (base uint32, ok bool) {
	split := 0
	for split < len(outputs) && int(outputs[split]) == split {
		split++
	}
	if split == len(outputs) {
		return uint32(split), split < 1<<16
	}
	jump := int(outputs[split]) - split
	for j, y := range outputs[split:] {
		if int(y) != split+j+jump {
			return 0, false
		}
	}
	return uint32(split) | uint32(jump)<<16, true
}

// arc is the output of a product: the number in its upper bits, beyond split
// with jump added. It has no branch.
func (r *row) arc(product uint64) int32 {
	j := int32(product >> 16)
	y := j + int32(r.base>>16)
	if j < int32(r.base&0xffff) {
		y = j
	}
	return y
}

// drawArcs is drawEven for arcs.
func drawArcs(rows []row, s *Source, letters []int32) (done int) {
	words := s.ahead()
	n := min(len(letters), len(words)/2) &^ 3
	i := 0
	for ; i < n; i += 4 {
		l, w := letters[i:i+4:i+4], words[2*i:2*i+8:2*i+8]
		x := uint(uint32(l[0]))
		if x >= uint(len(rows)) {
			break
		}
		r := &rows[x]
		p := word(w[0], w[1]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		y0 := r.arc(p)
		if x = uint(uint32(l[1])); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		p = word(w[2], w[3]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		y1 := r.arc(p)
		if x = uint(uint32(l[2])); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		p = word(w[4], w[5]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		y2 := r.arc(p)
		if x = uint(uint32(l[3])); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		p = word(w[6], w[7]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		l[0], l[1], l[2], l[3] = y0, y1, y2, r.arc(p)
	}
	s.unread = words[2*i:]
	return i
}
