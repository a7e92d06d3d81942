package utility

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// MaxCells is the largest table that CSV makes, 10,000 by 10,000
// letters; at most about 2 GB.
const MaxCells = 100_000_000

// CSV is the order as the matrix file that reads back as the same order, ranks
// and ties included: the header holds the output labels, the first column the
// input labels, and a cell the shortest decimal that is the utility exactly,
// -inf where it is forbidden. Null has an empty label. It refuses tables of more
// than MaxCells.
func CSV(r *Result) ([]byte, error) {
	n, m := r.Inputs.Len(), r.Outputs.Len()
	if n*m > MaxCells {
		return nil, errorf("use fewer values or outputs", "an order of %d by %d values is larger than %d cells", n, m,
			MaxCells)
	}
	out := []byte("input")
	for _, l := range r.Outputs.Label {
		out = appendCell(append(out, ','), l)
	}
	if r.Outputs.Null {
		out = append(out, ',')
	}
	out = append(out, '\n')
	value := make([]float64, m)
	for x := range n {
		from := len(out)
		if x < len(r.Inputs.Label) {
			out = appendCell(out, r.Inputs.Label[x])
		}
		r.Order.Row(x, nil, value)
		for _, v := range value {
			out = appendValue(append(out, ','), v)
		}
		out = append(out, '\n')
		if x == 0 { // the others will be about as long
			out = slices.Grow(out, (n-1)*(len(out)-from+8))
		}
	}
	return out, nil
}

// appendValue writes a utility; most are small integers, which need no search
// for the shortest decimal.
func appendValue(line []byte, v float64) []byte {
	switch i := int64(v); {
	case math.IsInf(v, -1):
		return append(line, "-inf"...)
	case -1e6 < v && v < 1e6 && float64(i) == v:
		return strconv.AppendInt(line, i, 10)
	default:
		return strconv.AppendFloat(line, v, 'g', -1, 64)
	}
}

func appendCell(line []byte, cell string) []byte {
	if !strings.ContainsAny(cell, ",\"\r\n") && cell == strings.TrimSpace(cell) {
		return append(line, cell...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(cell, `"`, `""`)...)
	return append(line, '"')
}

// A Neighbour is an output and how good it is for some input letter.
type Neighbour struct {
	Output int
	Rank   int
	Value  float64
}

// Nearest are the k best outputs that letter x is allowed, the best first.
func Nearest(r *Result, x, k int) []Neighbour {
	rank, value := make([]uint16, r.Order.Outputs()), make([]float64, r.Order.Outputs())
	r.Order.Row(x, rank, value)
	var all []Neighbour
	for y, v := range value {
		if !math.IsInf(v, -1) {
			all = append(all, Neighbour{y, int(rank[y]), v})
		}
	}
	slices.SortFunc(all, func(a, b Neighbour) int { return b.Rank - a.Rank })
	return all[:min(max(k, 0), len(all))]
}
