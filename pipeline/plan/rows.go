package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// inBlocks reports whether the file has the rows that letters share, each once, and
// design_sha256 is taken of these: with tens of thousands of letters there are hundreds
// of millions of cells.
func (p *Plan) inBlocks() bool {
	m := p.Mechanism()
	if m == nil || m.Cells() <= maxCells {
		return false
	}
	cells := 0
	for _, b := range m.Blocks() {
		cells += len(b.Row.Output)
	}
	return cells <= maxCells
}

// follows reports whether the rows are left out since order and floor give them; rows
// of values treated alike do not follow from these.
func (p *Plan) follows() bool {
	m := p.Mechanism()
	return m != nil && p.Kind == "safe" && p.Other == nil && m.Cells() > maxCells
}

// apart reports whether the rows stand in WeightsFile: with tens of thousands of
// letters there are millions of weights, which take four times the room as text.
func (p *Plan) apart() bool {
	m := p.Mechanism()
	return m != nil && !p.inBlocks() && !p.follows() && m.Cells() > maxCells
}

// appendLaws writes the mechanisms, a row or block a line.
func (p *Plan) appendLaws(to []byte, in, out []report.Label) (_ []byte, err error) {
	laws, _ := p.Laws()
	to = append(to, '[')
	for i, m := range laws {
		if i > 0 {
			to = append(to, ',')
		}
		switch {
		case p.inBlocks():
			to, err = appendRows(append(to, "{\"blocks\": [\n"...), m, in, out, true)
			to = append(to, "]}"...)
		case p.follows():
			to = append(to, "{}"...)
		case p.apart():
			to = fmt.Appendf(to, "{\"weights_sha256\": %q}", weightsHash(m))
		default:
			to, err = appendRows(append(to, "{\"rows\": [\n"...), m, in, out, false)
			to = append(to, "]}"...)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(to, ']'), nil
}

// restoreLaw reads a mechanism; a safe one may be left out of the file.
func (p *Plan) restoreLaw(l *lawFile, f *file, read func(string) ([]byte, error)) (*mechanism.Mechanism, error) {
	switch {
	case l.Weights != "":
		if l.Rows != nil || l.Blocks != nil {
			return nil, fmt.Errorf("it has rows, and says that they stand in %s", WeightsFile)
		}
		data, err := read(WeightsFile)
		if err != nil {
			return nil, fmt.Errorf("%s must be in the folder of the plan: %w", WeightsFile, err)
		}
		return readWeights(data, l.Weights, len(f.Inputs), len(f.Outputs))
	case l.Blocks != nil:
		m, err := restoreBlocks(l.Blocks, f.Inputs, f.Outputs)
		if err == nil && (l.Rows != nil || !m.Shared() || m.Cells() <= maxCells) {
			err = fmt.Errorf("its rows stand in blocks, and are few or stand elsewhere")
		}
		return m, err
	case l.Rows == nil && p.Kind != "safe":
		return nil, fmt.Errorf("it holds no rows")
	case l.Rows == nil:
		return mechanism.Safe(p.Prior, p.Order, p.Floor)
	}
	return restoreRows(l.Rows, f.Inputs, f.Outputs)
}

// restoreRows reads the rows of a mechanism.
func restoreRows(from []row, in, out []report.Label) (*mechanism.Mechanism, error) {
	if len(from) != len(in) {
		return nil, fmt.Errorf("%d rows for %d inputs", len(from), len(in))
	}
	place, err := PlacesOf(out), error(nil)
	rows := make([]mechanism.Row, len(in))
	for x, r := range from {
		if r.Input != in[x] {
			return nil, fmt.Errorf("row %d is not that of input %d", x+1, x+1)
		}
		if rows[x], err = restoreRow(r, place); err != nil {
			return nil, fmt.Errorf("row %d%w", x+1, err)
		}
	}
	return mechanism.New(len(out), rows)
}

// PlacesOf says where labels stand.
func PlacesOf(labels []report.Label) map[report.Label]int {
	place := make(map[report.Label]int, len(labels))
	for i, l := range labels {
		place[l] = i
	}
	return place
}

// cells are the cells of a row as they are written, [[label or null, weight], ...]: plans
// hold millions of them, and following one of 1,000 values takes half as long again with
// lists of texts.
type cells []byte

// UnmarshalJSON keeps the bytes, which are JSON.
func (c *cells) UnmarshalJSON(data []byte) error {
	*c = bytes.Clone(data)
	return nil
}

// each visits the cells. One that is none has no weight.
func (c cells) each(visit func(label report.Label, weight string) bool) {
	depth, part, label, weight := 0, 0, report.Label{}, ""
	for at := 0; at < len(c); at++ {
		switch c[at] {
		case '[':
			depth, part, label, weight = depth+1, 0, report.Label{Null: true}, ""
		case ']':
			if depth--; depth == 1 && !visit(label, weight) {
				return
			}
		case ',':
			part++
		case 'n': // null
			at += len("ull")
		case '"':
			from, plain := at+1, true
			for at = from; c[at] != '"'; at++ {
				if c[at] == '\\' {
					at, plain = at+1, false
				}
			}
			text := string(c[from:at])
			if !plain && json.Unmarshal(c[from-1:at+1], &text) != nil || depth != 2 {
				part = 2
			}
			switch part {
			case 0:
				label = report.Label{Text: text}
			case 1:
				weight = text
			default:
				label, weight = report.Label{}, ""
			}
		}
	}
}

// restoreRow reads one row; an error goes on after the row's number.
func restoreRow(r row, place map[report.Label]int) (mechanism.Row, error) {
	var output []uint16
	var weight []int64
	equal := true
	for label, of := range r.Outputs.each {
		y, ok := place[label]
		w, err := strconv.ParseInt(of, 10, 64)
		if !ok || err != nil {
			return mechanism.Row{}, fmt.Errorf(" cell %d is not an output with a weight", len(output)+1)
		}
		output, weight = append(output, uint16(y)), append(weight, w)
		equal = equal && w == 1
	}
	made := mechanism.UniformRow(output)
	if !equal {
		made = mechanism.WeightedRow(output, weight)
	}
	if strconv.FormatInt(made.Total, 10) != r.Total {
		return made, fmt.Errorf(": its total is not the sum of its weights")
	}
	return made, nil
}

// restoreBlocks reads the rows that letters share. Every letter stands in one block;
// blocks are in the order of their first letters.
func restoreBlocks(from []row, in, out []report.Label) (*mechanism.Mechanism, error) {
	input, output := PlacesOf(in), PlacesOf(out)
	rows := make([]mechanism.Row, len(in))
	left := len(in)
	first := -1
	for i, r := range from {
		law, err := restoreRow(r, output)
		if err != nil {
			return nil, fmt.Errorf("block %d%w", i+1, err)
		}
		last := -1
		for _, l := range r.Inputs {
			x, ok := input[l]
			if !ok || x <= last || rows[x].Output != nil || len(law.Output) == 0 {
				return nil, fmt.Errorf("block %d has an input that is none, or stands elsewhere, too", i+1)
			}
			if last < 0 && x <= first {
				return nil, fmt.Errorf("block %d comes before the one before it", i+1)
			} else if last < 0 {
				first = x
			}
			rows[x], last = law, x
			left--
		}
		if last < 0 {
			return nil, fmt.Errorf("block %d has no input", i+1)
		}
	}
	if left > 0 {
		return nil, fmt.Errorf("%d inputs are in no block", left)
	}
	return mechanism.New(len(out), rows)
}

// appendRows writes the rows of the mechanism, or in blocks those that letters share, one a
// line. At a thousand letters they are a million cells, whose labels are encoded once.
func appendRows(to []byte, m *mechanism.Mechanism, in, out []report.Label, blocks bool) ([]byte, error) {
	label := make([][]byte, len(out))
	for y, l := range out {
		var err error
		if label[y], err = json.Marshal(l); err != nil {
			return nil, err
		}
	}
	write := func(key string, letters any, r mechanism.Row) error {
		of, err := json.Marshal(letters)
		to = fmt.Appendf(to, `{"%s":%s,"total":"%d","outputs":[`, key, of, r.Total)
		for i, y := range r.Output {
			to = append(append(append(to, '['), label[y]...), `,"`...)
			to = append(strconv.AppendInt(to, r.At(i), 10), `"],`...)
		}
		to = append(bytes.TrimSuffix(to, []byte(",")), "]},\n"...)
		return err
	}
	if blocks {
		for _, b := range m.Blocks() {
			labels := make([]report.Label, len(b.Letters))
			for k, x := range b.Letters {
				labels[k] = in[x]
			}
			if err := write("inputs", labels, b.Row); err != nil {
				return nil, err
			}
		}
	} else {
		for x, l := range in {
			if err := write("input", l, m.Row(x)); err != nil {
				return nil, err
			}
		}
	}
	return append(bytes.TrimSuffix(to, []byte(",\n")), '\n'), nil
}
