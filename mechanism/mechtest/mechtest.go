// Package mechtest has what tests of the packages below mechanism are given: constructors that do
// not fail, and orders with known answers.
package mechtest

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Made is what a constructor gives that must not fail.
func Made[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Prior has these counts.
func Prior(count ...int64) mechanism.Prior { return Made(mechanism.NewPrior(count)) }

// Matrix has these utilities, one row a letter.
func Matrix(value [][]float64) mechanism.Order { return Made(mechanism.NewMatrix(value)) }

// Epsilon reads nats, or log(p/q).
func Epsilon(s string) mechanism.Epsilon { return Made(mechanism.ParseEpsilon(s)) }

// Ratio reads a fraction of at least 1.
func Ratio(s string) *big.Rat { return Made(mechanism.ParseFactor(s)).Factor() }

// Plane has n random places with exponential counts, always the same, by distance.
func Plane(n int) (mechanism.Prior, mechanism.Order) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	at, count, value := make([][2]float64, n), make([]int64, n), make([][]float64, n)
	for x := range at {
		at[x] = [2]float64{r.Float64(), r.Float64()}
		count[x] = 1 + int64(r.ExpFloat64()*1000)
	}
	for x, a := range at {
		for _, b := range at {
			value[x] = append(value[x], -math.Hypot(a[0]-b[0], a[1]-b[1]))
		}
	}
	return Prior(count...), Matrix(value)
}

// Counting is the paper's counting query: u'(x,y) for |x-y|, answers that are
// too small costing one more, but for those off by 3.
func Counting() (mechanism.Prior, mechanism.Order) {
	value := make([][]float64, 7)
	for x := range value {
		for y := range 7 {
			d := float64((x - y) * (x - y))
			if y < x && x-y != 3 {
				d++
			}
			value[x] = append(value[x], -d)
		}
	}
	return Prior(1, 1, 1, 1, 1, 1, 1), Matrix(value)
}

// Close allows for the relative gap of optimum.Least.
func Close(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(new(big.Rat).Mul(b, big.NewRat(1, 1e8))) <= 0
}
