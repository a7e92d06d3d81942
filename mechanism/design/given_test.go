package design

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/tacet-privacy/tacet/mechanism"
)

// made is what a constructor gives that must not fail.
func made[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func priorOf(count ...int64) mechanism.Prior { return made(mechanism.NewPrior(count)) }

func matrixOf(value [][]float64) mechanism.Order { return made(mechanism.NewMatrix(value)) }

func epsilonOf(s string) mechanism.Epsilon { return made(mechanism.ParseEpsilon(s)) }

// ratioOf reads a fraction of at least 1.
func ratioOf(s string) *big.Rat { return made(mechanism.ParseFactor(s)).Factor() }

// planeOf has n random places with exponential counts, always the same, by distance.
func planeOf(n int) (mechanism.Prior, mechanism.Order) {
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
	return priorOf(count...), matrixOf(value)
}

// counting is the paper's counting query: u'(x,y) for |x-y|, answers that are
// too small costing one more, but for those off by 3.
func counting() (mechanism.Prior, mechanism.Order) {
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
	return priorOf(1, 1, 1, 1, 1, 1, 1), matrixOf(value)
}

// closeTo allows for the relative gap of Least.
func closeTo(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(new(big.Rat).Mul(b, big.NewRat(1, 1e8))) <= 0
}
