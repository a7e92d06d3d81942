package estimate

// dense is the number of cells up to which pairs are kept in a table.
const dense = 1 << 22

// Pairs counts records by private letter and published letter: what is needed
// to ask whether a written file has the law of its mechanism. Units are
// counted apart and merged.
type Pairs struct {
	inputs, outputs int
	table           []int64          // by x outputs + y; nil for many cells
	cell            map[uint32]int64 // by x<<16 | y, when table is nil
	null            int64            // nulls published as null
	stray           int64            // a null on one side only, or no letter
}

// NewPairs counts pairs of a letter 0..inputs-1 and an output 0..outputs-1,
// each at most 65,535 in number.
func NewPairs(inputs, outputs int) *Pairs {
	p := &Pairs{inputs: inputs, outputs: outputs}
	if inputs*outputs <= dense {
		p.table = make([]int64, inputs*outputs)
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
	if p.table == nil {
		p.addSparse(x, y)
		return
	}
	table, inputs, outputs := p.table, uint32(p.inputs), uint32(p.outputs)
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

func (p *Pairs) addSparse(x, y []int32) {
	for i, a := range x {
		if b := y[i]; uint(a) < uint(p.inputs) && uint(b) < uint(p.outputs) {
			p.cell[uint32(a)<<16|uint32(b)]++
		} else {
			p.addOther(a, b)
		}
	}
}

// addOther counts a pair of which not both are letters.
func (p *Pairs) addOther(a, b int32) {
	if a < 0 && b < 0 {
		p.null++
		return
	}
	p.stray++
}

// Merge adds the records of q, which has the same alphabets.
func (p *Pairs) Merge(q *Pairs) {
	if p.inputs != q.inputs || p.outputs != q.outputs {
		panic("estimate: merged pairs differ in letters")
	}
	for i, k := range q.table {
		p.table[i] += k
	}
	for c, k := range q.cell {
		p.cell[c] += k
	}
	p.null += q.null
	p.stray += q.stray
}

// Count is the number of records of letter x published as y.
func (p *Pairs) Count(x, y int) int64 {
	if p.table != nil {
		return p.table[x*p.outputs+y]
	}
	return p.cell[uint32(x)<<16|uint32(y)]
}

// Null is the number of nulls published as null.
func (p *Pairs) Null() int64 { return p.null }

// records is the number of records of every private letter.
func (p *Pairs) records() []int64 {
	n := make([]int64, p.inputs)
	for i, k := range p.table {
		n[i/p.outputs] += k
	}
	for c, k := range p.cell {
		n[c>>16] += k
	}
	return n
}
