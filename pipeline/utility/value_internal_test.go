package utility

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestAppendValue: integers are written as every other utility is.
func TestAppendValue(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 10000 {
		v := math.Trunc(r.NormFloat64() * math.Pow(10, float64(r.IntN(9))))
		for _, v := range []float64{v, v / 8, 999999, 1e6, -1e6, 1e300, math.Copysign(0, -1)} {
			if got, want := string(appendValue(nil, v)), strconv.FormatFloat(v+0, 'g', -1, 64); got != want {
				t.Fatalf("%v is written %s, want %s", v, got, want)
			}
		}
	}
}
