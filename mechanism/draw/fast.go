package draw

// The loops below follow Table.one as long as nothing special occurs. They
// stop in front of a load of letters with a null, a word that may be refused
// or a tie, and when words or letters do not fill a load, and answer how many
// letters are done. They are written out because a loop over the load costs a
// third more. Words are read one at a time: that is one instruction, where
// taking four at once leaves three to take them apart.

// drawEven takes one word a letter.
func drawEven(rows []row, output []uint16, s *Source, letters []int32) (done int) {
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
		q0 := r.place(p)
		if x = uint(uint32(l[1])); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		p = word(w[2], w[3]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		q1 := r.place(p)
		if x = uint(uint32(l[2])); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		p = word(w[4], w[5]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		q2 := r.place(p)
		if x = uint(uint32(l[3])); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		p = word(w[6], w[7]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		q3 := r.place(p)
		l[0], l[1] = int32(output[q0]), int32(output[q1])
		l[2], l[3] = int32(output[q2]), int32(output[q3])
	}
	s.unread = words[2*i:]
	return i
}

// drawAlias takes two words a letter.
func drawAlias(rows []row, cells []cell, s *Source, letters []int32) (done int) {
	words := s.ahead()
	n := min(len(letters), len(words)/4) &^ 1
	i := 0
	for ; i < n; i += 2 {
		l, w := letters[i:i+2:i+2], words[4*i:4*i+8:4*i+8]
		x := uint(uint32(l[0]))
		if x >= uint(len(rows)) {
			break
		}
		r := &rows[x]
		p := word(w[0], w[1]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		c0 := cells[r.place(p)]
		d0 := int64(word(w[2], w[3])) - int64(c0>>48)
		if d0 == 0 {
			break
		}
		if x = uint(uint32(l[1])); x >= uint(len(rows)) {
			break
		}
		r = &rows[x]
		p = word(w[4], w[5]) * uint64(r.size)
		if r.mayRefuse(p) {
			break
		}
		c1 := cells[r.place(p)]
		d1 := int64(word(w[6], w[7])) - int64(c1>>48)
		if d1 == 0 {
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
