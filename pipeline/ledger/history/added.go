package history

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// added are the outputs that tonight are new, in one shard: a list in chunks,
// which grows without being copied, with an open-addressing table from a
// record to the latest output of it.
type added struct {
	chunks  [][]addition
	length  int
	place   []uint32 // 1 + place in the list; 0 where free; a power of two long
	records int
}

// chunk is the length of each.
const chunk = 1 << 10

type addition struct {
	record          Record
	before          uint32 // 1 + place of the one before of the same record
	channel, output uint16
}

// at is the addition at place p-1.
func (a *added) at(p uint32) *addition { return &a.chunks[(p-1)/chunk][(p-1)%chunk] }

// slot finds the record's place in the table, or the free one it would have.
func (a *added) slot(r *Record) *uint32 {
	mask := uint64(len(a.place) - 1)
	for i := binary.LittleEndian.Uint64(r[8:]) & mask; ; i = (i + 1) & mask {
		if p := a.place[i]; p == 0 || a.at(p).record == *r {
			return &a.place[i]
		}
	}
}

func (a *added) holds(r *Record) bool { return a.length > 0 && *a.slot(r) != 0 }

// add notes an output once and reports whether the record had one.
func (a *added) add(r *Record, channel, output uint16) (had bool) {
	if 4*(a.records+1) > 3*len(a.place) {
		a.grow()
	}
	s := a.slot(r)
	for p := *s; p != 0; p = a.at(p).before {
		if x := a.at(p); x.channel == channel && x.output == output {
			return true
		}
	}
	had = *s != 0
	if !had {
		a.records++
	}
	if a.length%chunk == 0 {
		a.chunks = append(a.chunks, make([]addition, chunk))
	}
	a.length++
	*a.at(uint32(a.length)) = addition{*r, *s, channel, output}
	*s = uint32(a.length)
	return had
}

func (a *added) grow() {
	a.place = make([]uint32, max(64, 2*len(a.place)))
	for p := uint32(1); int(p) <= a.length; p++ { // later ones of a record replace earlier ones
		*a.slot(&a.at(p).record) = p
	}
}

// sorted copies the list to scratch and orders it by record, channel and
// output, so that a file does not depend on the order of rows or goroutines.
func (a *added) sorted(scratch []addition) []addition {
	for i, c := range a.chunks {
		scratch = append(scratch, c[:min(chunk, a.length-i*chunk)]...)
	}
	slices.SortFunc(scratch, func(x, y addition) int {
		if c := bytes.Compare(x.record[:], y.record[:]); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(x.channel, y.channel), cmp.Compare(x.output, y.output))
	})
	return scratch
}
