package history

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// added are the outputs that tonight are new, in one shard: a list, with an
// open-addressing table from a record to the latest output of it.
type added struct {
	list    []addition
	place   []uint32 // 1 + index into list; 0 where free; a power of two long
	records int
}

type addition struct {
	record          Record
	before          uint32 // 1 + index of the one before of the same record
	channel, output uint16
}

// slot finds the record's place in the table, or the free one it would have.
func (a *added) slot(r *Record) *uint32 {
	mask := uint64(len(a.place) - 1)
	for i := binary.LittleEndian.Uint64(r[8:]) & mask; ; i = (i + 1) & mask {
		if p := a.place[i]; p == 0 || a.list[p-1].record == *r {
			return &a.place[i]
		}
	}
}

func (a *added) holds(r *Record) bool { return len(a.list) > 0 && *a.slot(r) != 0 }

// add notes an output once and reports whether the record had one.
func (a *added) add(r *Record, channel, output uint16) (had bool) {
	if 4*(a.records+1) > 3*len(a.place) {
		a.grow()
	}
	s := a.slot(r)
	for p := *s; p != 0; p = a.list[p-1].before {
		if x := &a.list[p-1]; x.channel == channel && x.output == output {
			return true
		}
	}
	had = *s != 0
	if !had {
		a.records++
	}
	a.list = append(a.list, addition{*r, *s, channel, output})
	*s = uint32(len(a.list))
	return had
}

func (a *added) grow() {
	a.place = make([]uint32, max(64, 2*len(a.place)))
	for i := range a.list { // later ones of a record replace earlier ones
		*a.slot(&a.list[i].record) = uint32(i + 1)
	}
}

// past appends tonight's outputs of the record to dst.
func (a *added) past(r *Record, night uint16, dst []Entry) []Entry {
	if len(a.list) == 0 {
		return dst
	}
	from := len(dst)
	for p := *a.slot(r); p != 0; p = a.list[p-1].before {
		x := &a.list[p-1]
		dst = append(dst, Entry{x.channel, x.output, night, night})
	}
	slices.Reverse(dst[from:])
	return dst
}

// sorted orders the list by record, channel and output, so that a file does
// not depend on the order of rows or goroutines. The table is lost.
func (a *added) sorted() []addition {
	a.place = nil
	slices.SortFunc(a.list, func(x, y addition) int {
		if c := bytes.Compare(x.record[:], y.record[:]); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(x.channel, y.channel), cmp.Compare(x.output, y.output))
	})
	return a.list
}
