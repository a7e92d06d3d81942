package estimate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Sample is what was counted of the published column.
type Sample struct {
	Count []int64 // by output
	Draws float64 // how many independent draws the rows are worth: Draws of all their clusters
	rows  float64
	share []float64 // q^
}

// NewSample takes the rows by output; draws is 0 where every row is a draw of its own.
func NewSample(count []int64, draws float64) (*Sample, error) {
	s := &Sample{Count: count, Draws: draws, share: make([]float64, len(count))}
	for _, n := range count {
		if n < 0 {
			return nil, fmt.Errorf("estimate: a count below 0")
		}
		s.rows += float64(n)
	}
	if s.rows == 0 {
		return nil, fmt.Errorf("estimate: no rows")
	}
	for y, n := range count {
		s.share[y] = float64(n) / s.rows
	}
	if draws == 0 {
		s.Draws = s.rows
	}
	if !(s.Draws > 0 && s.Draws <= s.rows*(1+1e-12)) {
		return nil, fmt.Errorf("estimate: %v draws in %v rows", draws, s.rows)
	}
	return s, nil
}

// Rows is how many were counted.
func (s *Sample) Rows() float64 { return s.rows }

// Share is the part of the rows that have an output.
func (s *Sample) Share(y int) float64 { return s.share[y] }

// scale is 1/root q by output, with half a row more for each: one that was not seen is
// rare, not impossible.
func (s *Sample) scale() []float64 {
	out, k := make([]float64, len(s.Count)), float64(len(s.Count))
	for y, n := range s.Count {
		out[y] = math.Sqrt((s.rows + k/2) / (float64(n) + .5))
	}
	return out
}

// Draws is how many independent draws rows are worth that share draws in clusters of
// these sizes: n^2 / sum m^2, by which the variance of a mean grows [Kish 1965].
func Draws(clusters func(yield func(size int64) bool)) float64 {
	n, squares := 0.0, 0.0
	for m := range clusters {
		n += float64(m)
		squares += float64(m) * float64(m)
	}
	if squares == 0 {
		return 0
	}
	return n * n / squares
}

// Whose shares are meant.
type Whose int

// The two questions.
const (
	OfFile       Whose = iota // letters of the file are fixed, draws are random
	OfPopulation              // rows are independent draws from a population, too
)

// An Interval covers the share that is meant with the chance of its level.
type Interval struct{ Low, High float64 }

// width is how many standard errors lie on either side at a level such as 0.95.
func width(level float64) float64 {
	return distuv.UnitNormal.Quantile((1 + level) / 2)
}

// root is the standard deviation of a variance that rounding may leave below 0.
func root(variance float64) float64 {
	if variance < 0 {
		return 0
	}
	return math.Sqrt(variance)
}
