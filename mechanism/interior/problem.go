package interior

import (
	"math"
	"slices"
)

// A Problem is a prior and a support. Letters without probability are left
// out by the caller.
type Problem struct {
	Prob   []float64 // P_i > 0, sum 1
	Column [][]int32 // S_j: the rows of column j, ascending, not empty
}

// A Proposal is what a run found. P is nil when it found nothing.
type Proposal struct {
	Lower float64     // Least: the factor that Y proves to be needed
	P     [][]float64 // P[j][k] = p_ij for row i = Column[j][k]; rows sum to 1
	Y     []float64   // the row duals; Best: of the utilities as given, per unit of P_i
}

// Options bound a run.
type Options struct {
	Gap    float64   // Least: relative gap to stop at
	Decide float64   // Least: stop when it is clear on which side of this factor the least lies; 0 means never
	Shares *Shares   // Best: of the output law; nil asks for none
	Y      []float64 // Least: row duals of a neighbouring problem to start t from; may be nil
}

// masses is P(S_j) for every column.
func (pr Problem) masses() []float64 {
	mass := make([]float64, len(pr.Column))
	for j, rows := range pr.Column {
		for _, i := range rows {
			mass[j] += pr.Prob[i]
		}
	}
	return mass
}

// rows turns the columns into B_i: the columns of every row, ascending.
func (pr Problem) rows() [][]int32 {
	size := make([]int, len(pr.Prob))
	for _, rows := range pr.Column {
		for _, i := range rows {
			size[i]++
		}
	}
	by := make([][]int32, len(pr.Prob))
	for i, k := range size {
		by[i] = make([]int32, 0, k)
	}
	for j, rows := range pr.Column {
		for _, i := range rows {
			by[i] = append(by[i], int32(j))
		}
	}
	return by
}

// floor is the least t at which every row has a column with t P(S_j) >= 1.
func floor(by [][]int32, mass []float64) float64 {
	t := 1.0
	for _, cols := range by {
		best := 0.0
		for _, j := range cols {
			best = math.Max(best, mass[j])
		}
		t = math.Max(t, 1/best)
	}
	return t
}

func finite(v ...float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// An Item may be taken into a knapsack in part: Gain is what a unit of it is
// worth, Mass how many units there are.
type Item[N int64 | float64] struct{ Gain, Mass N }

// Greedy sorts items by falling gain: taken in this order, they fill a knapsack
// of any size at the largest worth.
func Greedy[N int64 | float64](items []Item[N]) {
	slices.SortFunc(items, func(a, b Item[N]) int {
		switch {
		case a.Gain > b.Gain:
			return -1
		case a.Gain < b.Gain:
			return 1
		}
		return 0
	})
}
