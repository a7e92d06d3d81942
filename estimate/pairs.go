package estimate

import (
	"math"
)

// dense is the number of cells up to which pairs are kept in a table.
const dense = 1 << 22

// Pairs counts records by private letter and published letter: what is needed
// to ask whether a written file has the law of its mechanism. Units are
// counted apart and merged.
type Pairs struct {
	inputs, outputs int
	recent          []uint32         // by x outputs + y, what total does not have; nil for many cells
	room            int64            // how many records recent can take
	late            *Counter         // holds some of recent back until flush; nil where recent is small
	keys            []uint32         // of a block of records
	total           []int64          // by x outputs + y; nil until recent was full
	cell            map[uint32]int64 // by x<<16 | y, when recent is nil
	null            int64            // nulls published as null
	stray           int64            // a null on one side only, or no letter
}

// NewPairs counts pairs of a letter 0..inputs-1 and an output 0..outputs-1,
// each at most 65,535 in number.
func NewPairs(inputs, outputs int) *Pairs {
	p := &Pairs{inputs: inputs, outputs: outputs, room: math.MaxUint32}
	if inputs*outputs <= dense {
		p.recent = make([]uint32, inputs*outputs)
		if inputs*outputs > Direct {
			p.late = NewCounter(p.recent)
		}
	} else {
		p.cell = map[uint32]int64{}
	}
	return p
}

// Add counts records i with private letter x[i] and published letter y[i]. The
// slices have one length. A null that became a letter, a letter that became
// null and anything outside the alphabets count as forbidden.
func (p *Pairs) Add(x, y []int32) {
	if len(x) != len(y) {
		panic("estimate: private and published letters differ in number")
	}
	if p.recent == nil {
		p.addSparse(x, y)
		return
	}
	for len(x) > 0 {
		if p.room == 0 {
			p.settle()
		}
		n := int(min(int64(len(x)), p.room))
		p.room -= int64(n)
		if p.late == nil {
			p.addDirect(x[:n], y[:n])
		} else {
			p.addLate(x[:n], y[:n])
		}
		x, y = x[n:], y[n:]
	}
}

func (p *Pairs) addDirect(x, y []int32) {
	table, inputs, outputs := p.recent, uint32(p.inputs), uint32(p.outputs)
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		if uint32(a) < inputs && uint32(b) < outputs {
			table[uint(uint32(a))*uint(outputs)+uint(uint32(b))]++
			continue
		}
		p.addOther(a, b)
	}
}

func (p *Pairs) addLate(x, y []int32) {
	keys, inputs, outputs := p.keys[:0], uint32(p.inputs), uint32(p.outputs)
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		if uint32(a) < inputs && uint32(b) < outputs {
			keys = append(keys, uint32(a)*outputs+uint32(b))
			continue
		}
		p.addOther(a, b)
	}
	p.late.Add(keys)
	p.keys = keys
}

// flush has all records in recent.
func (p *Pairs) flush() {
	if p.late != nil {
		p.late.Flush()
	}
}

func (p *Pairs) addSparse(x, y []int32) {
	for i, a := range x {
		if b := y[i]; uint(a) < uint(p.inputs) && uint(b) < uint(p.outputs) {
			p.cell[uint32(a)<<16|uint32(b)]++
		} else {
			p.addOther(a, b)
		}
	}
}

// AddCounted counts n records of private letter x published as letter y, at once.
func (p *Pairs) AddCounted(x, y int, n int64) {
	if p.recent == nil {
		p.cell[uint32(x)<<16|uint32(y)] += n
		return
	}
	if p.total == nil {
		p.settle()
	}
	p.total[x*p.outputs+y] += n
}

// AddNulls counts n nulls published as null.
func (p *Pairs) AddNulls(n int64) { p.null += n }

// addOther counts a pair of which not both are letters.
func (p *Pairs) addOther(a, b int32) {
	if a < 0 && b < 0 {
		p.null++
		return
	}
	p.stray++
}

// settle moves what is in recent to total.
func (p *Pairs) settle() {
	p.flush()
	if p.total == nil {
		p.total = make([]int64, p.inputs*p.outputs)
	}
	for i, k := range p.recent {
		p.total[i] += int64(k)
	}
	clear(p.recent)
	p.room = math.MaxUint32
}

// Merge adds the records of q, which has the same alphabets.
func (p *Pairs) Merge(q *Pairs) {
	if p.inputs != q.inputs || p.outputs != q.outputs {
		panic("estimate: merged pairs differ in letters")
	}
	p.flush()
	q.flush()
	switch used := math.MaxUint32 - q.room; {
	case p.recent == nil:
	case q.total != nil || used > p.room:
		p.settle()
		for i := range p.total {
			p.total[i] += q.at(i)
		}
	default:
		p.room -= used
		for i, k := range q.recent {
			p.recent[i] += k
		}
	}
	for c, k := range q.cell {
		p.cell[c] += k
	}
	p.null += q.null
	p.stray += q.stray
}

// Count is the number of records of letter x published as y.
func (p *Pairs) Count(x, y int) int64 {
	if p.recent == nil {
		return p.cell[uint32(x)<<16|uint32(y)]
	}
	p.flush()
	return p.at(x*p.outputs + y)
}

// at is the number of records in a cell of the table.
func (p *Pairs) at(i int) int64 {
	if p.total == nil {
		return int64(p.recent[i])
	}
	return p.total[i] + int64(p.recent[i])
}

// Null is the number of nulls published as null.
func (p *Pairs) Null() int64 { return p.null }

// Records is the number of records of every private letter that were published
// as a letter.
func (p *Pairs) Records() []int64 {
	p.flush()
	n := make([]int64, p.inputs)
	if p.recent != nil {
		for x := range n {
			for y := range p.outputs {
				n[x] += p.at(x*p.outputs + y)
			}
		}
	}
	for c, k := range p.cell {
		n[c>>16] += k
	}
	return n
}
