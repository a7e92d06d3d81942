package draw

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A law inverts the cumulative weights of every row: place r of 0..total-1 is
// the output that holds the r-th unit of weight, outputs ascending.
type law struct {
	row    []span
	output []uint16 // of all rows, one after the other
	upper  []uint64 // cumulative weight up to and including this output
	guide  []uint16 // where the search starts; see at
}

// A span is one row.
type span struct {
	total  uint64
	refuse uint64 // 2^64 mod total
	start  uint32
	size   uint32
	even   bool // all weights are 1: place r is output number r
}

func newLaw(m *mechanism.Mechanism) *law {
	l := &law{row: make([]span, m.Inputs())}
	cells, even := 0, true
	for _, b := range m.Blocks() {
		cells += len(b.Row.Output)
		even = even && b.Row.Total == int64(len(b.Row.Output))
	}
	l.output = make([]uint16, 0, cells)
	if !even {
		l.upper, l.guide = make([]uint64, 0, cells), make([]uint16, 0, cells)
	}
	for _, b := range m.Blocks() {
		r, total := b.Row, uint64(b.Row.Total)
		for _, x := range b.Letters {
			l.row[x] = span{total: total, refuse: -total % total, start: uint32(len(l.output)), size: uint32(len(r.Output)),
				even: r.Total == int64(len(r.Output))}
		}
		l.output = append(l.output, r.Output...)
		if !even {
			l.search(r)
		}
	}
	return l
}

// search adds the cumulative weights of a row of k outputs and its guide: the
// words fall into k classes g = floor(w k / 2^64), and no word of class g has an
// output before the guide's, that of its least word [Chen and Asau 1974].
func (l *law) search(r mechanism.Row) {
	k, sum, base := uint64(len(r.Output)), uint64(0), len(l.upper)
	for i := range r.Output {
		sum += uint64(r.At(i))
		l.upper = append(l.upper, sum)
	}
	upper, i := l.upper[base:], uint16(0)
	for g := range k {
		least, rem := bits.Div64(g, 0, k)
		if rem > 0 {
			least++
		}
		place, _ := bits.Mul64(least, sum)
		for upper[i] <= place {
			i++
		}
		l.guide = append(l.guide, i)
	}
}

// at is the output at a place, given the word that led there.
func (l *law) at(r *span, w, place uint64) uint16 {
	if r.even {
		return l.output[uint64(r.start)+place]
	}
	g, _ := bits.Mul64(w, uint64(r.size))
	i := uint64(r.start) + uint64(l.guide[uint64(r.start)+g])
	for l.upper[i] <= place {
		i++
	}
	return l.output[i]
}
