package files

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
)

// An Order is the table of utilities of order.csv, row by input.
type Order struct {
	outputs int
	value   []float64
}

// Row has the utilities of input x.
func (o *Order) Row(x int) []float64 { return o.value[x*o.outputs : (x+1)*o.outputs] }

// fed is a label as encoding/csv reads it, with the line feeds of Unix.
func fed(l Label) string { return strings.ReplaceAll(l.Text, "\r\n", "\n") }

// ReadOrder reads the table; why says what is wrong with it.
func ReadOrder(data []byte, in, out []Label) (o *Order, why string) {
	s := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte(byteOrder))))
	s.FieldsPerRecord, s.ReuseRecord = len(out)+1, true
	header, err := s.Read()
	if err != nil {
		return nil, "its header does not have one column per output"
	}
	for y, l := range out {
		if header[y+1] != fed(l) {
			return nil, "column " + strconv.Itoa(y+1) + " is not that of the plan's output"
		}
	}
	o = &Order{outputs: len(out), value: make([]float64, 0, len(in)*len(out))}
	last, u := "", 0.0 // many cells hold what the one before them holds
	for x, l := range in {
		line := "row " + strconv.Itoa(x+1)
		field, err := s.Read()
		if err != nil {
			return nil, line + " is missing or has another number of cells"
		}
		if field[0] != fed(l) {
			return nil, line + " is not that of the plan's input"
		}
		for _, f := range field[1:] {
			if f != last || f == "" {
				if u, err = strconv.ParseFloat(f, 64); err != nil || math.IsNaN(u) || math.IsInf(u, 1) {
					return nil, line + " holds a cell that is no utility"
				}
				last = strings.Clone(f)
			}
			o.value = append(o.value, u+0)
		}
	}
	if _, err := s.Read(); err != io.EOF {
		return nil, "it holds more rows than the plan has inputs, or quotes that do not close"
	}
	return o, ""
}
