package mechanism

import (
	"fmt"
	"math"
	"slices"
)

// MaxLetters is the largest alphabet, of inputs or of outputs: letters and
// ranks are stored in 16 bits.
const MaxLetters = 65535

// An Order says, for every input letter, how good each output letter is as
// its replacement. Rows are produced on demand, so that an order over 10,000
// letters needs no table. Row must be safe for concurrent use.
type Order interface {
	Inputs() int  // N
	Outputs() int // M
	// Row fills rank[y] with u(x,y), 1 (worst) to M (best), each rank once,
	// and value[y] with u'(x,y), larger is better, -Inf where y is forbidden.
	// Ranks follow values: what is worth more ranks higher, so that forbidden
	// outputs rank lowest; ties are the order's to break.
	// Both slices have length Outputs(); either may be nil to be skipped.
	Row(x int, rank []uint16, value []float64)
}

// A Matrix is an Order held as a table of values.
type Matrix struct {
	outputs int
	value   []float64 // row-major
	rank    []uint16  // row-major; nil when derived from value
	of      Order     // what was tabulated; nil where the table is all there is
}

// Of is the order that was tabulated, nil for none.
func (m *Matrix) Of() Order { return m.of }

// NewMatrix makes an order from utilities u'(x,y), one row per input letter.
// Larger is better and -Inf forbids. Ties rank by column: the lower column
// ranks lower. It fails on no rows, rows of different length, NaN and +Inf.
func NewMatrix(value [][]float64) (*Matrix, error) {
	if len(value) == 0 || len(value[0]) == 0 {
		return nil, fmt.Errorf("order: no letters")
	}
	if len(value) > MaxLetters || len(value[0]) > MaxLetters {
		return nil, fmt.Errorf("order: more than %d letters", MaxLetters)
	}
	m := &Matrix{outputs: len(value[0]), value: make([]float64, 0, len(value)*len(value[0]))}
	for x, row := range value {
		if len(row) != m.outputs {
			return nil, fmt.Errorf("order: row %d has %d columns, the first has %d", x, len(row), m.outputs)
		}
		for y, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 1) {
				return nil, fmt.Errorf("order: row %d column %d: utility %v is not a number below +inf", x, y, v)
			}
		}
		m.value = append(m.value, row...)
	}
	return m, nil
}

// Tabulate is an order as a table of its values and ranks, 10 bytes a cell, for
// orders whose rows take time to make.
func Tabulate(o Order) *Matrix {
	n, m := o.Inputs(), o.Outputs()
	t := &Matrix{of: o, outputs: m, value: make([]float64, n*m), rank: make([]uint16, n*m)}
	for x := range n {
		o.Row(x, t.rank[x*m:(x+1)*m], t.value[x*m:(x+1)*m])
	}
	return t
}

// Inputs implements Order.
func (m *Matrix) Inputs() int { return len(m.value) / m.outputs }

// Outputs implements Order.
func (m *Matrix) Outputs() int { return m.outputs }

// Row implements Order.
func (m *Matrix) Row(x int, rank []uint16, value []float64) {
	row := m.value[x*m.outputs : (x+1)*m.outputs]
	if value != nil {
		copy(value, row)
	}
	switch {
	case rank == nil:
	case m.rank != nil:
		copy(rank, m.rank[x*m.outputs:(x+1)*m.outputs])
	default:
		Rank(row, rank)
	}
}

// Tied counts the rows of o in which at least two outputs that are not
// forbidden have equal value.
func Tied(o Order) int {
	tied := 0
	value := make([]float64, o.Outputs())
	for x := range o.Inputs() {
		o.Row(x, nil, value)
		slices.Sort(value)
		for y := 1; y < len(value); y++ {
			if value[y] == value[y-1] && !math.IsInf(value[y], -1) {
				tied++
				break
			}
		}
	}
	return tied
}
