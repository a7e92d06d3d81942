package ledger

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// added are the outputs that tonight are new, in one shard: a list in chunks,
// which grows without being copied.
type added struct {
	chunks [][]addition
}

// chunk is the length of each.
const chunk = 1 << 10

// An addition is one output. The name of its record is kept as two numbers that
// compare as its bytes do.
type addition struct {
	hi, lo          uint64
	channel, output uint16
}

func (x *addition) record() (r Record) {
	binary.BigEndian.PutUint64(r[:], x.hi)
	binary.BigEndian.PutUint64(r[8:], x.lo)
	return r
}

func (x *addition) same(y *addition) bool { return x.hi == y.hi && x.lo == y.lo }

// add notes an output; it may be noted before.
func (a *added) add(r *Record, channel, output uint16) {
	last := len(a.chunks) - 1
	if last < 0 || len(a.chunks[last]) == chunk {
		a.chunks = append(a.chunks, make([]addition, 0, chunk))
		last++
	}
	a.chunks[last] = append(a.chunks[last], addition{binary.BigEndian.Uint64(r[:]), binary.BigEndian.Uint64(r[8:]),
		channel, output})
}

// sorted moves the list to scratch, each output once, ordered by record, channel
// and output, so that a file does not depend on the order of rows or goroutines.
func (a *added) sorted(scratch []addition) []addition {
	for _, c := range a.chunks {
		scratch = append(scratch, c...)
	}
	a.chunks = nil
	slices.SortFunc(scratch, func(x, y addition) int {
		switch {
		case x.hi < y.hi:
			return -1
		case x.hi > y.hi:
			return 1
		}
		return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(x.channel, y.channel), cmp.Compare(x.output, y.output))
	})
	return slices.Compact(scratch)
}
