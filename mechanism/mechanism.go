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
}

// New makes a mechanism over the outputs 0..outputs-1 and validates it.
func New(outputs int, row []Row) (*Mechanism, error) {
	m := &Mechanism{outputs, row}
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
	return m, nil
}

// Inputs is N.
func (m *Mechanism) Inputs() int { return len(m.row) }

// Outputs is M.
func (m *Mechanism) Outputs() int { return m.outputs }

// Row is the law of letter x. The caller must not change its slices.
func (m *Mechanism) Row(x int) Row { return m.row[x] }

// Cells counts the stored (output, weight) pairs.
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
	for x, r := range m.row {
		if err := r.validate(m.outputs); err != nil {
			return fmt.Errorf("mechanism: row %d: %w", x, err)
		}
	}
	return nil
}

// Within reports the first cell (x, y) of m that s does not allow; ok is true
// when there is none.
func (m *Mechanism) Within(s *Support) (x, y int, ok bool) {
	for x, r := range m.row {
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
	ranks, values := make([]uint16, m.outputs), make([]float64, m.outputs)
	for x, r := range m.row {
		o.Row(x, ranks, values)
		for _, y := range r.Output {
			rank = min(rank, int(ranks[y]))
			value = min(value, values[y])
		}
	}
	return rank, value
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
