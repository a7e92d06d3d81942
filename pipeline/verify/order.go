package verify

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// tableCells is the size up to which order.csv is a table.
const tableCells = 10_000_000

// An order is the table of utilities of order.csv, row by input.
type order struct {
	outputs int
	value   []float64
}

func (o *order) row(x int) []float64 { return o.value[x*o.outputs : (x+1)*o.outputs] }

// ranks of a row: 1 is worst; what ties ranks by column, the lower lower.
func (o *order) ranks(x int) []int {
	row, by := o.row(x), make([]int, o.outputs)
	for y := range by {
		by[y] = y
	}
	slices.SortStableFunc(by, func(a, b int) int {
		switch {
		case row[a] < row[b]:
			return -1
		case row[a] > row[b]:
			return 1
		}
		return 0
	})
	rank := make([]int, o.outputs)
	for i, y := range by {
		rank[y] = i + 1
	}
	return rank
}

// tied counts the rows in which two outputs that are not forbidden are equal.
func (o *order) tied() int {
	tied := 0
	for at := 0; at < len(o.value); at += o.outputs {
		row := slices.Sorted(slices.Values(o.value[at : at+o.outputs]))
		for y := 1; y < len(row); y++ {
			if row[y] == row[y-1] && !math.IsInf(row[y], -1) {
				tied++
				break
			}
		}
	}
	return tied
}

// checkOrder reads order.csv and derives the support that the floor leaves.
func (v *verifier) checkOrder(data []byte) {
	const name = "order"
	if v.empty() {
		v.add(name, len(data) == 0, "there are no letters, and so no order")
		return
	}
	if !strings.HasPrefix(v.plan.Order.Load, "matrix:") {
		if len(v.plan.Inputs)*len(v.plan.Outputs) > tableCells {
			v.skip(name, "order.csv is the spec's own file, not a table of utilities")
		} else {
			v.add(name, false, "the plan says that order.csv is no table of utilities, and it is small enough to be one")
		}
		return
	}
	o, why := readOrder(data, v.plan.Inputs, v.plan.Outputs)
	if why != "" {
		v.add(name, false, "%s", why)
		return
	}
	var w wrong
	ties := o.tied()
	w.match(ties == v.plan.Order.Ties && ties == v.report.Order.Ties, "the number of rows with ties")
	p, r := v.plan.Order, v.report.Order
	w.match(r.Spec == p.Spec && r.Form == p.Form && r.Extra == p.Extra, "the report's order, which the plan has otherwise")
	v.settle(name, w, "%d by %d utilities, labels as in the plan, %d rows with ties", len(v.plan.Inputs), len(v.plan.Outputs), ties)
	v.order = o
	v.allow = v.supportOf(o)
}

// readOrder reads the table; why says what is wrong with it.
func readOrder(data []byte, in, out []cells.Label) (o *order, why string) {
	s := &sheet{text: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}
	header, ok := s.next()
	if !ok || len(header) != len(out)+1 {
		return nil, "its header does not have one column per output"
	}
	for y, l := range out {
		if header[y+1] != l.Text {
			return nil, "column " + strconv.Itoa(y+1) + " is not that of the plan's output"
		}
	}
	o = &order{outputs: len(out), value: make([]float64, 0, len(in)*len(out))}
	for x, l := range in {
		line := "row " + strconv.Itoa(x+1)
		field, ok := s.next()
		if !ok || len(field) != len(header) {
			return nil, line + " is missing or has another number of cells"
		}
		if field[0] != l.Text {
			return nil, line + " is not that of the plan's input"
		}
		for _, f := range field[1:] {
			u, err := strconv.ParseFloat(f, 64)
			if err != nil || math.IsNaN(u) || math.IsInf(u, 1) {
				return nil, line + " holds a cell that is no utility"
			}
			o.value = append(o.value, u+0)
		}
	}
	if _, more := s.next(); more || s.bad {
		return nil, "it holds more rows than the plan has inputs, or quotes that do not close"
	}
	return o, ""
}
