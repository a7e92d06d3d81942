package draw

// The loops below follow Table.one as long as nothing special occurs. They
// stop in front of a load of letters with a null, a word that may be refused
// or a tie, and when words or letters do not fill a load, and answer how many
// letters are done. They are written out because a loop over the load costs a
// third more. Words are read one at a time: that is one instruction, where
// taking four at once leaves three to take them apart.

// drawEven takes one word a letter.
func drawEven(rows [][]uint16, s *Source, letters []int32) (done int) {
	words := s.ahead()
	n := min(len(letters), len(words)/2) &^ 3
	i := 0
	for ; i < n; i += 4 {
		l, w := letters[i:i+4:i+4], words[2*i:2*i+8:2*i+8]
		x0, x1, x2, x3 := uint(uint32(l[0])), uint(uint32(l[1])), uint(uint32(l[2])), uint(uint32(l[3]))
		if max(x0, x1, x2, x3) >= uint(len(rows)) {
			break
		}
		r0, r1, r2, r3 := rows[x0], rows[x1], rows[x2], rows[x3]
		p0, p1 := word(w[0], w[1])*uint64(len(r0)), word(w[2], w[3])*uint64(len(r1))
		p2, p3 := word(w[4], w[5])*uint64(len(r2)), word(w[6], w[7])*uint64(len(r3))
		if mayRefuse(p0, len(r0)) || mayRefuse(p1, len(r1)) || mayRefuse(p2, len(r2)) || mayRefuse(p3, len(r3)) {
			break
		}
		l[0], l[1], l[2], l[3] = int32(r0[p0>>16]), int32(r1[p1>>16]), int32(r2[p2>>16]), int32(r3[p3>>16])
	}
	s.unread = words[2*i:]
	return i
}

// drawAlias takes two words a letter.
func drawAlias(rows [][]cell, s *Source, letters []int32) (done int) {
	words := s.ahead()
	n := min(len(letters), len(words)/4) &^ 1
	i := 0
	for ; i < n; i += 2 {
		l, w := letters[i:i+2:i+2], words[4*i:4*i+8:4*i+8]
		x0, x1 := uint(uint32(l[0])), uint(uint32(l[1]))
		if max(x0, x1) >= uint(len(rows)) {
			break
		}
		r0, r1 := rows[x0], rows[x1]
		p0, p1 := word(w[0], w[1])*uint64(len(r0)), word(w[4], w[5])*uint64(len(r1))
		if mayRefuse(p0, len(r0)) || mayRefuse(p1, len(r1)) {
			break
		}
		c0, c1 := r0[p0>>16], r1[p1>>16]
		d0, d1 := int64(word(w[2], w[3]))-int64(c0>>48), int64(word(w[6], w[7]))-int64(c1>>48)
		if d0 == 0 || d1 == 0 {
			break
		}
		l[0], l[1] = pick(c0, d0), pick(c1, d1)
	}
	s.unread = words[4*i:]
	return i
}

// pick is the output above the threshold for d = word - digit above 0, and the
// one below it for d below 0, without a branch.
func pick(c cell, d int64) int32 { return int32(uint16(c ^ c>>16&uint64(d>>63))) }

func word(low, high byte) uint64 { return uint64(low) | uint64(high)<<8 }
