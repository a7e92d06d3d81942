package draw

// The loops below follow Table.one as long as nothing special occurs. They
// stop in front of a load of words with a null, a refused word or a tie, and
// when words or letters do not fill a load, and answer how many letters are
// done. They are written out because a loop over the load costs a third more.

// drawEven takes one word a letter.
func drawEven(rows []row, output []uint16, s *Source, letters []int32) (done int) {
	left, words := letters, s.ahead()
	for len(left) >= 4 && len(words) >= 8 {
		l, w := left[:4:4], load(words)
		x := uint(l[0])
		if x >= uint(len(rows)) {
			break
		}
		r := &rows[x]
		q0 := r.times(uint32(w) & 0xffff)
		if r.refuses(q0) {
			break
		}
		if x = uint(l[1]); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		q1 := r.times(uint32(w) >> 16)
		if r.refuses(q1) {
			break
		}
		if x = uint(l[2]); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		q2 := r.times(uint32(w>>32) & 0xffff)
		if r.refuses(q2) {
			break
		}
		if x = uint(l[3]); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		q3 := r.times(uint32(w >> 48))
		if r.refuses(q3) {
			break
		}
		l[0], l[1] = int32(output[q0>>16]), int32(output[q1>>16])
		l[2], l[3] = int32(output[q2>>16]), int32(output[q3>>16])
		left, words = left[4:], words[8:]
	}
	s.unread = words
	return len(letters) - len(left)
}

// drawAlias takes two words a letter.
func drawAlias(rows []row, cells []cell, s *Source, letters []int32) (done int) {
	left, words := letters, s.ahead()
	for len(left) >= 2 && len(words) >= 8 {
		l, w := left[:2:2], load(words)
		x := uint(l[0])
		if x >= uint(len(rows)) {
			break
		}
		r := &rows[x]
		q := r.times(uint32(w) & 0xffff)
		if r.refuses(q) {
			break
		}
		c0 := cells[q>>16]
		d0 := int32(uint32(w)>>16) - int32(c0>>48)
		if d0 == 0 {
			break
		}
		if x = uint(l[1]); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		q = r.times(uint32(w>>32) & 0xffff)
		if r.refuses(q) {
			break
		}
		c1 := cells[q>>16]
		d1 := int32(w>>48) - int32(c1>>48)
		if d1 == 0 {
			break
		}
		l[0], l[1] = pick(c0, d0), pick(c1, d1)
		left, words = left[2:], words[8:]
	}
	s.unread = words
	return len(letters) - len(left)
}

// pick is the output above the threshold for d = word - digit above 0, and the
// one below it for d below 0, without a branch.
func pick(c cell, d int32) int32 { return int32(uint16(c >> (^uint32(d) >> 27 & 16))) }

// load takes four words, the first one lowest.
func load(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
