package interior

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestTrialBest(t *testing.T) {
	for _, n := range []int{10, 30, 100, 200} {
		for _, f := range []string{"half", "zipf", "plane", "tiny"} {
			for _, m := range []float64{1.1, 1.0001} {
				fmt.Printf("%d %s %g:", n, f, m)
				for seed := range uint64(3) {
					r := rand.New(rand.NewPCG(seed, 7))
					pr := families[f](n, r)
					out := Least(context.Background(), pr, Options{})
					w := make([][]float64, len(pr.Column))
					for j, c := range pr.Column {
						w[j] = make([]float64, len(c))
						for k := range c {
							w[j][k] = r.Float64() * 10
						}
					}
					start := time.Now()
					b := Best(context.Background(), pr, out.T*m*(1-1e-9), make([]bool, len(pr.Column)), w, Options{})
					fmt.Printf(" %d %v %v", b.Steps, b.Closed, time.Since(start).Round(time.Millisecond))
				}
				fmt.Println()
			}
		}
	}
}
