package interior

import (
	"math"
	"math/rand/v2"
	"slices"
)

// families are the kinds of instances that runs are measured on: N letters,
// N outputs.
var families = map[string]func(n int, r *rand.Rand) Problem{
	"half": func(n int, r *rand.Rand) Problem {
		return random(dirichlet(n, r), n/2, r)
	},
	"zipf": func(n int, r *rand.Rand) Problem {
		p := make([]float64, n)
		for i := range p {
			p[i] = 1 / float64(i+1)
		}
		return random(normal(p), n/4, r)
	},
	"plane": func(n int, r *rand.Rand) Problem { return plane(dirichlet(n, r), n/4, r) },
	"tiny": func(n int, r *rand.Rand) Problem {
		p := dirichlet(n, r)
		for i := range n / 10 {
			p[i*10] = 1e-7
		}
		return plane(normal(p), n/4, r)
	},
}

func dirichlet(n int, r *rand.Rand) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = r.ExpFloat64() + 1e-3
	}
	return normal(p)
}

func normal(p []float64) []float64 {
	s := 0.0
	for _, v := range p {
		s += v
	}
	for i := range p {
		p[i] /= s
	}
	return p
}

func random(p []float64, k int, r *rand.Rand) Problem {
	pr := Problem{Prob: p, Column: make([][]int32, len(p))}
	for i := range p {
		for _, j := range r.Perm(len(p))[:k] {
			pr.Column[j] = append(pr.Column[j], int32(i))
		}
	}
	return used(pr)
}

func plane(p []float64, k int, r *rand.Rand) Problem {
	n := len(p)
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	pr := Problem{Prob: p, Column: make([][]int32, n)}
	for i := range n {
		by := r.Perm(n)
		slices.SortFunc(by, func(a, b int) int {
			da, db := math.Hypot(x[a]-x[i], y[a]-y[i]), math.Hypot(x[b]-x[i], y[b]-y[i])
			if da < db {
				return -1
			}
			return 1
		})
		for _, j := range by[:k] {
			pr.Column[j] = append(pr.Column[j], int32(i))
		}
	}
	return used(pr)
}

func used(pr Problem) Problem {
	pr.Column = slices.DeleteFunc(pr.Column, func(c []int32) bool { return len(c) == 0 })
	return pr
}
