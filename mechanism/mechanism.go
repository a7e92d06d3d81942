package mechanism

import (
	"fmt"
	"math"
)

// A Row is the law p(.|x) of one input letter: its possible outputs in
// ascending order with integer weights. What is not listed cannot occur.
type Row struct {
	Output []uint16
	Weight []int64 // nil when all weights are 1; else positive, one per output
	Total  int64   // D_x, the sum of the weights; at most 2^62
}

// UniformRow gives each output weight 1.
func UniformRow(output []uint16) Row { return Row{Output: output, Total: int64(len(output))} }

// WeightedRow takes positive weights, one per output.
func WeightedRow(output []uint16, weight []int64) Row {
	r := Row{Output: output, Weight: weight}
	for _, w := range weight {
		r.Total += w
	}
	return r
}

// At is the weight of the i-th listed output.
func (r Row) At(i int) int64 {
	if r.Weight == nil {
		return 1
	}
	return r.Weight[i]
}

// A Mechanism is the channel p(y|x): a Row for every input letter. It is
// immutable once made; rows are shared, not copied.
type Mechanism struct {
	outputs int
	row     []Row
	block   []Block
}

// A Block is the letters that share one row: rows of equal slices, not of equal
// weights in different ones. Most mechanisms have a block a letter.
type Block struct {
	Letters []int32
	Row     Row
}

// Records are those of the letters of a block.
func (b *Block) Records(p Prior) int64 {
	sum := int64(0)
	for _, x := range b.Letters {
		sum += p.Count(int(x))
	}
	return sum
}

// New makes a mechanism over the outputs 0..outputs-1 and validates it.
func New(outputs int, row []Row) (*Mechanism, error) {
	m := &Mechanism{outputs: outputs, row: row, block: blocksOf(row)}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

// NewReduced is New with every row divided by the greatest common divisor of
// its weights, so that a row of equal weights stores none. It changes row.
func NewReduced(outputs int, row []Row) (*Mechanism, error) {
	m, err := New(outputs, row)
	if err != nil {
		return nil, err
	}
	for x := range m.row {
		m.row[x].reduce()
	}
	m.block = blocksOf(m.row)
	return m, nil
}

// Inputs is N.
func (m *Mechanism) Inputs() int { return len(m.row) }

// Outputs is M.
func (m *Mechanism) Outputs() int { return m.outputs }

// Row is the law of letter x. The caller must not change its slices.
func (m *Mechanism) Row(x int) Row { return m.row[x] }

// Blocks are the letters by shared rows, in the order of their first letters. The
// caller must not change them.
func (m *Mechanism) Blocks() []Block { return m.block }

// Shared reports whether letters share rows.
func (m *Mechanism) Shared() bool { return len(m.block) < len(m.row) }

// Cells counts the (output, weight) pairs of all letters.
func (m *Mechanism) Cells() int {
	cells := 0
	for _, r := range m.row {
		cells += len(r.Output)
	}
	return cells
}

// Validate checks every row: at least one output, outputs ascending and in
// range, weights positive, total equal to their sum and at most 2^62.
func (m *Mechanism) Validate() error {
	if m.outputs < 1 || m.outputs > MaxLetters || len(m.row) < 1 || len(m.row) > MaxLetters {
		return fmt.Errorf("mechanism: %d inputs and %d outputs are outside 1..%d", len(m.row), m.outputs, MaxLetters)
	}
	for _, b := range m.block {
		if err := b.Row.validate(m.outputs); err != nil {
			return fmt.Errorf("mechanism: row %d: %w", b.Letters[0], err)
		}
	}
	return nil
}

// Within reports the first cell (x, y) of m that s does not allow; ok is true
// when there is none.
func (m *Mechanism) Within(s *Support) (x, y int, ok bool) {
	for x, r := range m.row {
		if p := s.Parts(); p != nil && x > 0 && same(r, m.row[x-1]) && p.In[x] == p.In[x-1] {
			continue
		}
		for _, y := range r.Output {
			if !s.Allowed(x, int(y)) {
				return x, int(y), false
			}
		}
	}
	return -1, -1, true
}

// Floor is the worst that can occur under m: the least rank and the least
// value over all cells, of input letters with and without records alike.
func (m *Mechanism) Floor(o Order) (rank int, value float64) {
	rank, value = m.outputs, math.Inf(1)
	lower := func(h int, v float64) { rank, value = min(rank, h), min(value, v) }
	if at := m.summed(o); at != nil {
		for _, b := range m.block {
			at.take(b.Row)
			for _, x := range b.Letters {
				lower(at.worst(int(x)))
			}
		}
		return rank, value
	}
	if n, ok := o.(Nearby); ok {
		for x, r := range m.row {
			y := n.Worst(x, r.Output)
			lower(n.Rank(x, y), n.Value(x, y))
		}
		return rank, value
	}
	ranks, values := make([]uint16, m.outputs), make([]float64, m.outputs)
	for x, r := range m.row {
		o.Row(x, ranks, values)
		for _, y := range r.Output {
			lower(int(ranks[y]), values[y])
		}
	}
	return rank, value
}

// same reports whether two rows are one.
func same(a, b Row) bool { return key(a) == key(b) }

// rowKey is where the slices of a row are: what rows share.
type rowKey struct {
	output  *uint16
	outputs int
	weight  *int64
	total   int64
}

func key(r Row) rowKey {
	k := rowKey{outputs: len(r.Output), total: r.Total}
	if len(r.Output) > 0 {
		k.output = &r.Output[0]
	}
	if len(r.Weight) > 0 {
		k.weight = &r.Weight[0]
	}
	return k
}

// blocksOf gathers the letters by rows that are one.
func blocksOf(row []Row) []Block {
	place := make(map[rowKey]int, len(row))
	letters := make([]int32, len(row)) // of the blocks of one letter
	var block []Block
	for x, r := range row {
		letters[x] = int32(x)
		k := key(r)
		i, ok := place[k]
		if !ok || k.output == nil {
			place[k] = len(block)
			block = append(block, Block{letters[x : x+1 : x+1], r})
			continue
		}
		block[i].Letters = append(block[i].Letters, int32(x))
	}
	return block
}

func (r Row) validate(outputs int) error {
	if len(r.Output) == 0 {
		return fmt.Errorf("no output")
	}
	if r.Weight != nil && len(r.Weight) != len(r.Output) {
		return fmt.Errorf("%d outputs and %d weights", len(r.Output), len(r.Weight))
	}
	total := int64(0)
	for i, y := range r.Output {
		if int(y) >= outputs || i > 0 && y <= r.Output[i-1] {
			return fmt.Errorf("output %d is out of range or out of order", y)
		}
		w := r.At(i)
		if w < 1 || w > math.MaxInt64/2+1-total {
			return fmt.Errorf("output %d: weight %d is not positive, or the total exceeds 2^62", y, w)
		}
		total += w
	}
	if total != r.Total {
		return fmt.Errorf("total %d is not the sum of the weights, %d", r.Total, total)
	}
	return nil
}

// reduce divides a valid row by the greatest common divisor of its weights.
func (r *Row) reduce() {
	if r.Weight == nil {
		return
	}
	g := r.Total
	same := true
	for _, w := range r.Weight {
		same = same && w == r.Weight[0]
		for a := w; a != 0; {
			g, a = a, g%a
		}
	}
	if same {
		*r = UniformRow(r.Output)
		return
	}
	if g > 1 {
		r.Total /= g
		for i := range r.Weight {
			r.Weight[i] /= g
		}
	}
}
