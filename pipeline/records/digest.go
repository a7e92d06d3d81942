package records

import "math/bits"

// A digest tells one sequence of letters from another, however they come in
// batches: it is the same if they are, else by an accident of 2^-64 only.
// Nobody chooses the letters after they are drawn, so it need not stand up to
// somebody who looks for such an accident.
type digest struct {
	rows int64
	lane [4]uint64
	rest [16]int32 // the last rows mod 16 letters, then 0
}

// digestFactor is odd, so that no step loses anything: 2^64 by the golden ratio.
const digestFactor = 0x9e3779b97f4a7c15

// add takes the next letters.
func (d *digest) add(letter []int32) {
	if at := d.rows % 16; at > 0 {
		n := copy(d.rest[at:], letter)
		d.rows += int64(n)
		letter = letter[n:]
		if d.rows%16 > 0 {
			return
		}
		d.turn(d.rest[:])
	}
	d.rows += int64(len(letter))
	d.turn(letter)
	d.rest = [16]int32{}
	copy(d.rest[:], letter[len(letter)&^15:])
}

// turn takes letters by sixteen, in four lanes, so that no multiplication
// waits for the one before.
func (d *digest) turn(letter []int32) {
	s, t, u, v := d.lane[0], d.lane[1], d.lane[2], d.lane[3]
	for len(letter) >= 16 {
		l := letter[:16:16]
		s, t, u, v = step(s, l[0], l[1]), step(t, l[2], l[3]), step(u, l[4], l[5]), step(v, l[6], l[7])
		s, t, u, v = step(s, l[8], l[9]), step(t, l[10], l[11]), step(u, l[12], l[13]), step(v, l[14], l[15])
		letter = letter[16:]
	}
	d.lane = [4]uint64{s, t, u, v}
}

func step(lane uint64, a, b int32) uint64 {
	return bits.RotateLeft64(lane^(uint64(uint32(a))|uint64(uint32(b))<<32), 32) * digestFactor
}
