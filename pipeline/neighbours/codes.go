package neighbours

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
)

// A room is what numbering a column takes for a while.
type room struct{ a, b []uint64 }

func newRoom(rows int) *room { return &room{make([]uint64, rows+2), make([]uint64, rows+2)} }

// number gives equal cells of the rows that stand for all equal codes from 1 on,
// those of numbers and times in their order, and forgets the cells. The rest of what it
// returns is room's: before[k] rows have a smaller code than k and are not null, for k
// up to one more than the codes.
func (c *column) number(s *sample, room *room) (code []int32, before []uint64) {
	code = make([]int32, 0, s.cells())
	defer func() { c.unit = nil }()
	if slices.ContainsFunc(c.unit, func(u numbered) bool { return u.sorted }) {
		key := make([]uint64, 0, s.cells())
		for i, p := range s.part {
			for cell := p.cell; cell < p.end; cell++ {
				if !s.even(cell) {
					continue
				}
				k, ok := c.unit[i].at(cell - p.cell)
				if key = append(key, k); ok {
					code = append(code, 1)
				} else {
					code = append(code, null)
				}
			}
			c.unit[i] = numbered{}
		}
		return code, room.number(key, code)
	}
	var keys []uint64
	for _, u := range c.unit {
		keys = append(keys, u.key...)
	}
	place := make([]int32, len(keys))
	for i := range place {
		place[i] = 1
	}
	before = room.number(keys, place)
	clear(before)
	for i, p := range s.part {
		u := &c.unit[i]
		for cell := p.cell; cell < p.end; cell++ {
			if !s.even(cell) {
				continue
			}
			k := u.code[cell-p.cell]
			if k != null {
				k = place[k-1]
				before[k+1]++
			}
			code = append(code, k)
		}
		place = place[len(u.key):]
	}
	for k := 1; k < len(before); k++ {
		before[k] += before[k-1]
	}
	return code, before
}

// number writes to code, where it is not null, the place of key among the
// different keys.
func (r *room) number(key []uint64, code []int32) (before []uint64) {
	low, high, rows := uint64(math.MaxUint64), uint64(0), 0
	for i, k := range key {
		if code[i] != null {
			low, high, rows = min(low, k), max(high, k), rows+1
		}
	}
	if rows == 0 {
		return append(r.b[:0], 0, 0)
	}
	// A packed word has as much of the key as fits above its row.
	row := bits.Len(uint(len(key) - 1))
	cut := max(0, bits.Len64(high-low)+row-64)
	packed := r.a[:0]
	for i, k := range key {
		if code[i] != null {
			packed = append(packed, (k-low)>>cut<<row|uint64(i))
		}
	}
	before = r.b
	if packed = estimate.SortKeys(packed, r.b, row); &packed[0] == &r.b[0] {
		before = r.a
	}
	return place(key, code, packed, row, cut > 0, before[:0])
}

// place gives the keys of sorted rows their codes. Where part of them was cut
// off, those that look equal are told apart here.
func place(key []uint64, code []int32, packed []uint64, row int, cut bool, before []uint64) []uint64 {
	mask := uint64(1)<<row - 1
	before = append(before, 0)
	for from := 0; from < len(packed); {
		to := from + 1
		for to < len(packed) && packed[to]>>row == packed[from]>>row {
			to++
		}
		same := packed[from:to]
		of := func(k uint64) uint64 { return key[k&mask] }
		if cut && slices.ContainsFunc(same, func(k uint64) bool { return of(k) != of(same[0]) }) {
			slices.SortFunc(same, func(a, b uint64) int { return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a, b)) })
		}
		for i, k := range same {
			if i == 0 || cut && of(k) != of(same[i-1]) {
				before = append(before, uint64(from+i))
			}
			code[k&mask] = int32(len(before) - 1)
		}
		from = to
	}
	return append(before, uint64(len(packed)))
}
