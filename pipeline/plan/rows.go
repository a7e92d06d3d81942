package plan

import (
	"fmt"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// restoreRows reads the mechanism; a safe one may be left out of the file.
func (p *Plan) restoreRows(f *file) (*mechanism.Mechanism, error) {
	if f.Strata != nil {
		return nil, nil
	}
	if f.Mechanism.Rows == nil {
		if p.Kind != "safe" {
			return nil, fmt.Errorf("it holds no rows")
		}
		return mechanism.Safe(p.Prior, p.Order, p.Floor)
	}
	return restoreLaw(f.Mechanism.Rows, f.Inputs, f.Outputs)
}

// restoreLaw reads the rows of a mechanism.
func restoreLaw(from []row, in, out []report.Label) (*mechanism.Mechanism, error) {
	if len(from) != len(in) {
		return nil, fmt.Errorf("%d rows for %d inputs", len(from), len(in))
	}
	place := map[report.Label]int{}
	for y, l := range out {
		place[l] = y
	}
	rows := make([]mechanism.Row, len(in))
	for x, r := range from {
		if r.Input != in[x] {
			return nil, fmt.Errorf("row %d is not that of input %d", x+1, x+1)
		}
		output, weight, equal := make([]uint16, len(r.Outputs)), make([]int64, len(r.Outputs)), true
		for i, c := range r.Outputs {
			y, ok := place[c.Label]
			w, err := strconv.ParseInt(c.Weight, 10, 64)
			if !ok || err != nil {
				return nil, fmt.Errorf("row %d cell %d is no output with a weight", x+1, i+1)
			}
			output[i], weight[i] = uint16(y), w
			equal = equal && w == 1
		}
		if rows[x] = mechanism.UniformRow(output); !equal {
			rows[x] = mechanism.WeightedRow(output, weight)
		}
		if strconv.FormatInt(rows[x].Total, 10) != r.Total {
			return nil, fmt.Errorf("row %d: its total is not the sum of its weights", x+1)
		}
	}
	return mechanism.New(len(out), rows)
}
