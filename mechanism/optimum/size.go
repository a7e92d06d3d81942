package optimum

import "cmp"

// EstimateBytes is about the memory that Least and Largest need for a
// support of this many cells: 25 floats per cell, four dense matrices.
func EstimateBytes(inputs, outputs, cells int) int64 {
	n, m, c := int64(inputs), int64(outputs), int64(cells)
	return 8*(25*c+2*n*m+2*n*n+40*(n+m)) + 16*c
}

// optimalBytes and FitCells, which is N M, bound what is given to the
// solver unasked.
const (
	FitCells     = 1 << 20
	optimalBytes = 2 << 30
)

// Fits reports whether an alphabet is small enough for Least and
// Largest to be tried unasked.
func Fits(inputs, outputs int) bool {
	cells := inputs * outputs
	return cells <= FitCells && EstimateBytes(inputs, outputs, cells) <= optimalBytes
}

// affords reports whether the float solver stays within limit bytes.
func affords(t *Pattern, limit int64) bool {
	return EstimateBytes(len(t.Letter), len(t.Column), t.Cells()) <= cmp.Or(limit, 4<<30)
}
