package files

import "slices"

// MaxTotal bounds a row's total and the number of records.
const MaxTotal = int64(1) << 62

// A Row is the law of one input letter: outputs in ascending order, positive weights, and
// their sum.
type Row struct {
	Output []int32
	Weight []int64
	Total  int64
}

// Of is the weight of an output, 0 where the letter does not give it.
func (r Row) Of(y int32) int64 {
	if i, gives := slices.BinarySearch(r.Output, y); gives {
		return r.Weight[i]
	}
	return 0
}

// Chance is that of the output at a place of the row.
func (r Row) Chance(i int) float64 { return float64(r.Weight[i]) / float64(r.Total) }

// total adds up counts.
func total(n []int64) (sum int64) {
	for _, k := range n {
		sum += k
	}
	return sum
}
