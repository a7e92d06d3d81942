package files

import (
	"encoding/binary"
	"hash/maphash"
)

// A Digest tells one row from another. It is the same for rows of the same cells, and
// else by an accident of 2^-128 only: nobody who makes a file knows the seeds, which
// are of one process.
type Digest [2]uint64

// Less orders digests, by nothing that means anything.
func (d Digest) Less(e Digest) bool { return d[0] < e[0] || d[0] == e[0] && d[1] < e[1] }

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// A rowSum takes the cells of rows, one column after the other.
type rowSum struct {
	row  []Digest
	cell []byte // of the row that is taken
}

func newRowSum(units []int64) *rowSum {
	return &rowSum{row: make([]Digest, 0, min(total(units), 1<<24))}
}

// put takes the cell of a row, what stands in s.cell, and empties that.
func (s *rowSum) put(row int) {
	for len(s.row) <= row {
		s.row = append(s.row, Digest{})
	}
	d := &s.row[row]
	s.cell = binary.LittleEndian.AppendUint64(s.cell, d[0])
	s.cell = binary.LittleEndian.AppendUint64(s.cell, d[1])
	for i := range d {
		d[i] = maphash.Bytes(seeds[i], s.cell)
	}
	s.cell = s.cell[:0]
}

// text appends bytes such that no other bytes give the same.
func (s *rowSum) text(b []byte) {
	s.cell = append(binary.AppendUvarint(s.cell, uint64(len(b))), b...)
}
