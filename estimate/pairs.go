package estimate

// dense is the number of cells up to which pairs are kept in a table.
const dense = 1 << 22

// Pairs counts records by private letter and published letter: what is needed
// to ask whether a written file has the law of its mechanism. Units are
// counted apart and merged.
type Pairs struct {
	inputs, outputs int
	cell            *Counter // by x outputs + y
	keys            []uint64 // of a block of records
	null            int64    // nulls published as null
	stray           int64    // a null on one side only, or no letter
}

// NewPairs counts pairs of a letter 0..inputs-1 and an output 0..outputs-1.
func NewPairs(inputs, outputs int) *Pairs { return newPairs(inputs, outputs, dense) }

func newPairs(inputs, outputs int, dense uint64) *Pairs {
	return &Pairs{inputs: inputs, outputs: outputs, cell: NewCounter(uint64(inputs)*uint64(outputs), dense)}
}

// Add counts records i with private letter x[i] and published letter y[i]. The
// slices have one length. A null that became a letter, a letter that became
// null and anything outside the alphabets count as forbidden.
func (p *Pairs) Add(x, y []int32) {
	if len(x) != len(y) {
		panic("estimate: private and published letters differ in number")
	}
	keys, inputs, outputs := p.keys[:0], uint32(p.inputs), uint32(p.outputs)
	for i, a := range x {
		switch b := y[i]; {
		case uint32(a) < inputs && uint32(b) < outputs:
			keys = append(keys, uint64(a)*uint64(outputs)+uint64(b))
		case a < 0 && b < 0:
			p.null++
		default:
			p.stray++
		}
	}
	p.cell.Add(keys)
	p.keys = keys
}

// AddCounted counts n records of private letter x published as letter y, at once.
func (p *Pairs) AddCounted(x, y int, n int64) { p.cell.AddCounted(p.key(x, y), n) }

// AddNulls counts n nulls published as null.
func (p *Pairs) AddNulls(n int64) { p.null += n }

func (p *Pairs) key(x, y int) uint64 { return uint64(x)*uint64(p.outputs) + uint64(y) }

// Merge adds the records of q, which has the same alphabets.
func (p *Pairs) Merge(q *Pairs) {
	if p.inputs != q.inputs || p.outputs != q.outputs {
		panic("estimate: merged pairs differ in letters")
	}
	p.cell.Merge(q.cell)
	p.null += q.null
	p.stray += q.stray
}

// Count is the number of records of letter x published as y.
func (p *Pairs) Count(x, y int) int64 { return p.cell.Count(p.key(x, y)) }

// Null is the number of nulls published as null.
func (p *Pairs) Null() int64 { return p.null }

// Records is the number of records of every private letter that were published
// as a letter.
func (p *Pairs) Records() []int64 {
	n := make([]int64, p.inputs)
	for k, count := range p.cell.All {
		n[k/uint64(p.outputs)] += count
	}
	return n
}
