package plan

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// restoreRows reads the mechanism; a safe one may be left out of the file.
func (p *Plan) restoreRows(f *file) (*mechanism.Mechanism, error) {
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
				return nil, fmt.Errorf("row %d cell %d is not an output with a weight", x+1, i+1)
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

// appendRows writes the rows of the mechanism, one a line. At a thousand
// letters they are half a million cells, so labels are encoded once and the
// buffer grows once.
func appendRows(to []byte, m *mechanism.Mechanism, in, out []report.Label) ([]byte, error) {
	const after = `1"]`
	text := make([][]byte, len(out)) // a cell of weight 1 that comes after another
	for y, l := range out {
		label, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		text[y] = fmt.Appendf(nil, `,[%s,"%s`, label, after)
	}
	size := 1 << 14 // for what comes after the rows
	for x := range in {
		r := m.Row(x)
		size += 64
		for i, y := range r.Output {
			size += len(text[y]) + bits.Len64(uint64(r.At(i)))*3/10
		}
	}
	to = slices.Grow(to, size)
	for x, l := range in {
		label, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		r := m.Row(x)
		to = append(append(to, `{"input":`...), label...)
		to = strconv.AppendInt(append(to, `,"total":"`...), r.Total, 10)
		to = append(to, `","outputs":[`...)
		for i, y := range r.Output {
			cell := text[y]
			if i == 0 {
				cell = cell[len(","):]
			}
			if r.Weight == nil {
				to = append(to, cell...)
				continue
			}
			to = append(to, cell[:len(cell)-len(after)]...)
			to = append(strconv.AppendInt(to, r.Weight[i], 10), after[len("1"):]...)
		}
		to = append(to, "]}"...)
		if x < len(in)-1 {
			to = append(to, ',')
		}
		to = append(to, '\n')
	}
	return to, nil
}
