package files

import (
	"bytes"
	"io"
	"slices"
)

// Same compares the elements of the schemas, and the bytes of chunks: equal bytes of equal
// type, codec and number of values decode to equal cells.
func (p *parquetFile) Same(input File, redrawn []string) (same bool) {
	defer refuse(&same)
	both, ok := beside(p, input, redrawn)
	q, alike := input.(*parquetFile)
	if !ok || !alike || len(p.groups) != len(q.groups) || !p.sameFields(q, redrawn) ||
		slices.ContainsFunc(both, func(at [2]int) bool {
			return !slices.EqualFunc(p.column[at[0]].element, q.column[at[1]].element, node.same)
		}) {
		return false
	}
	for g := range p.groups {
		for _, at := range both {
			of, from := p.column[at[0]], q.column[at[1]].first
			for i, m := range p.groups[g].chunk[of.first : of.first+of.leaves] {
				if n := q.groups[g].chunk[from+i]; m.path != n.path || m.physical != n.physical || m.codec != n.codec ||
					m.values != n.values || m.size != n.size || !sameBytes(p.in, m.at, q.in, n.at, m.size) {
					return false
				}
			}
		}
	}
	return true
}

// sameBytes compares runs of bytes of two files.
func sameBytes(a io.ReaderAt, from int64, b io.ReaderAt, other, size int64) bool {
	one, two := make([]byte, min(size, 1<<20)), make([]byte, min(size, 1<<20))
	for done := int64(0); done < size; {
		k := min(size-done, 1<<20)
		i, _ := a.ReadAt(one[:k], from+done)
		j, _ := b.ReadAt(two[:k], other+done)
		if int64(i) < k || int64(j) < k || !bytes.Equal(one[:k], two[:k]) {
			return false
		}
		done += k
	}
	return true
}
