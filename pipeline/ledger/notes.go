package ledger

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
)

// A Note is a pair of numbers that was noted of a record, whose name is kept as two numbers
// that compare as its bytes do.
type Note struct {
	hi, lo uint64
	A, B   uint16
}

// Notes collects notes by record, 24 bytes each, from many goroutines.
type Notes struct{ pile Pile[Note] }

// Add notes a pair of a record.
func (n *Notes) Add(name *Record, a, b uint16) {
	n.pile.Add(name[0], Note{binary.BigEndian.Uint64(name[:]), binary.BigEndian.Uint64(name[8:]), a, b})
}

// Records gives every record in ascending order with its notes, which are sorted, so that
// nothing depends on the order of rows or goroutines. They are good until the next, and spent.
func (n *Notes) Records() iter.Seq2[Record, []Note] {
	return func(yield func(Record, []Note) bool) {
		for list := range n.pile.Lists(inOrder) {
			for len(list) > 0 {
				k := 1
				for k < len(list) && list[k].hi == list[0].hi && list[k].lo == list[0].lo {
					k++
				}
				var name Record
				binary.BigEndian.PutUint64(name[:], list[0].hi)
				binary.BigEndian.PutUint64(name[8:], list[0].lo)
				if !yield(name, list[:k]) {
					return
				}
				list = list[k:]
			}
		}
	}
}

// inOrder sorts notes by record and pair.
func inOrder(list []Note) {
	slices.SortFunc(list, func(x, y Note) int {
		switch {
		case x.hi < y.hi:
			return -1
		case x.hi > y.hi:
			return 1
		}
		return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
}
