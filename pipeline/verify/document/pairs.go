package document

import (
	"cmp"
	"slices"
)

// Bounds of a table of pairs: with few cells it is one, with many never.
const (
	fewCells  = 1 << 16
	mostCells = 1 << 22
)

// fewPairs is how many records are kept before they are sorted.
const fewPairs = 1 << 18

// pairs counts records by pair of letters: in a table, or, where it would have more cells
// than the file has rows, in a list.
type pairs struct {
	outputs int
	table   []int64 // by input and output; nil where there is a list

	sum  []seenPair // by key, in ascending order
	late []uint64   // keys of records that are not in sum yet
}

// A seenPair is a pair of letters, the input in the high half, and its records.
type seenPair struct {
	key     uint64
	records int64
}

func newPairs(inputs, outputs int, rows int64) *pairs {
	p := &pairs{outputs: outputs}
	if cells := inputs * outputs; cells <= max(fewCells, int(min(rows, mostCells))) {
		p.table = make([]int64, cells)
	}
	return p
}

func (p *pairs) add(x, y int32) {
	if p.table != nil {
		p.table[int(x)*p.outputs+int(y)]++
		return
	}
	if len(p.late) >= max(fewPairs, len(p.sum)) {
		p.settle()
	}
	p.late = append(p.late, uint64(x)<<32|uint64(y))
}

// settle brings all records into the sorted list.
func (p *pairs) settle() {
	if len(p.late) == 0 {
		return
	}
	slices.Sort(p.late)
	var late []seenPair
	for _, k := range p.late {
		if n := len(late); n > 0 && late[n-1].key == k {
			late[n-1].records++
			continue
		}
		late = append(late, seenPair{k, 1})
	}
	p.sum, p.late = mergePairs(p.sum, late), p.late[:0]
}

// merge adds what q counted.
func (p *pairs) merge(q *pairs) {
	for i, n := range q.table {
		p.table[i] += n
	}
	p.settle()
	q.settle()
	p.sum = mergePairs(p.sum, q.sum)
}

// row visits the pairs of input x that occur, in ascending order of y.
func (p *pairs) row(x int, f func(y int, n int64)) {
	if p.table != nil {
		for y, n := range p.table[x*p.outputs : (x+1)*p.outputs] {
			if n > 0 {
				f(y, n)
			}
		}
		return
	}
	p.settle()
	at, _ := slices.BinarySearchFunc(p.sum, uint64(x)<<32,
		func(s seenPair, key uint64) int { return cmp.Compare(s.key, key) })
	for ; at < len(p.sum) && p.sum[at].key>>32 == uint64(x); at++ {
		f(int(uint32(p.sum[at].key)), p.sum[at].records)
	}
}

// mergePairs adds up two sorted lists.
func mergePairs(a, b []seenPair) []seenPair {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	both := make([]seenPair, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].key < b[0].key:
			both, a = append(both, a[0]), a[1:]
		case a[0].key > b[0].key:
			both, b = append(both, b[0]), b[1:]
		default:
			both = append(both, seenPair{a[0].key, a[0].records + b[0].records})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(both, a...), b...)
}
