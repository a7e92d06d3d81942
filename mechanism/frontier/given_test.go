package frontier

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

// closeTo allows for the relative gap of Least.
func closeTo(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(new(big.Rat).Mul(b, big.NewRat(1, 1e8))) <= 0
}
