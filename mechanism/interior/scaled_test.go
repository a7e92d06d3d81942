package interior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// TestScaledLeast: the bracket holds the least factor that Newton's method finds, and is
// narrow; the proposal is a mechanism of the factor that is stated.
func TestScaledLeast(t *testing.T) {
	for _, n := range []int{4, 30, 100} {
		for _, name := range names {
			pr := families[name](n, rand.New(rand.NewPCG(7, uint64(n))))
			true := Least(context.Background(), pr, Options{})
			out := ScaledLeast(context.Background(), pr, Options{})
			at := fmt.Sprintf("%s of %d", name, n)
			if !(out.Lower <= true.T*(1+1e-9)) || !(out.T >= true.Lower*(1-1e-9)) {
				t.Errorf("%s: bracket %v .. %v, and the least factor is %v", at, out.Lower, out.T, true.T)
			}
			width := .2
			if name == "tiny" { // letters of probability 1e-7 hardly count in the entropy
				width = .7
			}
			if !(math.Log(out.T/out.Lower) <= width) {
				t.Errorf("%s: bracket %v .. %v around %v after %d steps", at, out.Lower, out.T, true.T, out.Steps)
			}
			if f := factor(t, pr, out.P); !(math.Abs(f/out.T-1) <= 1e-9) {
				t.Errorf("%s: factor %v, stated %v", at, f, out.T)
			}
		}
	}
}

// TestScaledLeastDecides: on which side of a factor the least one lies is clear before the
// bracket is narrow.
func TestScaledLeastDecides(t *testing.T) {
	for _, name := range names {
		pr := families[name](100, rand.New(rand.NewPCG(7, 100)))
		true := Least(context.Background(), pr, Options{})
		for _, f := range []float64{.8, 1.3} {
			out := ScaledLeast(context.Background(), pr, Options{Decide: f * true.T})
			if f > 1 && !(out.T <= f*true.T) || f < 1 && !(out.Lower > f*true.T) {
				t.Errorf("%s: %v .. %v is not decided at %v times the least, %v", name, out.Lower, out.T, f, true.T)
			}
		}
	}
}

// TestScaledBest: what is found is within t, near the largest worth that Newton's method
// finds and not above it.
func TestScaledBest(t *testing.T) {
	for _, n := range []int{10, 60} {
		for _, name := range names[:3] {
			rng := rand.New(rand.NewPCG(9, uint64(n)))
			pr := families[name](n, rng)
			limit := 1.5 * Least(context.Background(), pr, Options{}).T
			flat, w := make([]bool, 0), make([][]float64, 0)
			var live Problem
			live.Prob = pr.Prob
			less := make([][]float32, 0)
			for j, m := range pr.masses() {
				if limit*m <= 1+1e-6 {
					continue
				}
				live.Column, flat = append(live.Column, pr.Column[j]), append(flat, false)
				worth, lost := make([]float64, len(pr.Column[j])), make([]float32, len(pr.Column[j]))
				for k := range worth {
					lost[k] = float32(rng.IntN(10))
					worth[k] = 10 - float64(lost[k])
				}
				w, less = append(w, worth), append(less, lost)
			}
			best := value(live, Best(context.Background(), live, limit, flat, w, Options{}).P, w)
			out := ScaledBest(context.Background(), live, limit, less, Options{})
			at := fmt.Sprintf("%s of %d", name, n)
			if out.P == nil {
				t.Errorf("%s: nothing within %v", at, limit)
				continue
			}
			if f := factor(t, live, out.P); !(f <= limit*(1+1e-9)) || !(math.Abs(f/out.T-1) <= 1e-6) {
				t.Errorf("%s: factor %v, stated %v, limit %v", at, f, out.T, limit)
			}
			if v := value(live, out.P, w); !(v <= best+1e-6) || !(v >= best-.3) {
				t.Errorf("%s: worth %v, and the largest is %v", at, v, best)
			}
		}
	}
}

// value is sum P_i p_ij w_ij.
func value(pr Problem, p, w [][]float64) float64 {
	sum := 0.0
	for j, col := range p {
		for k, v := range col {
			sum += pr.Prob[pr.Column[j][k]] * v * w[j][k]
		}
	}
	return sum
}

// TestScaledThreads: the proposal is the same for any number of threads.
func TestScaledThreads(t *testing.T) {
	pr := families["zipf"](60, rand.New(rand.NewPCG(3, 4)))
	var first Proposal
	for k, threads := range []int{1, 2, 4} {
		old := runtime.GOMAXPROCS(threads)
		out := ScaledLeast(context.Background(), pr, Options{})
		runtime.GOMAXPROCS(old)
		if k == 0 {
			first = out
		} else if out.T != first.T || out.Lower != first.Lower || !slices.Equal(out.Y, first.Y) {
			t.Errorf("%d threads: %v .. %v, one: %v .. %v", threads, out.Lower, out.T, first.Lower, first.T)
		}
	}
}

// TestScaledStops: what is there when the time is over is a mechanism.
func TestScaledStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	pr := families["plane"](30, rand.New(rand.NewPCG(3, 4)))
	if out := ScaledLeast(ctx, pr, Options{}); out.P == nil || !(factor(t, pr, out.P) < math.Inf(1)) || !(out.Lower >= 1) {
		t.Errorf("%v .. %v, %v", out.Lower, out.T, out.P)
	}
}

// TestScaledRaise: the bound comes near the least factor where letters are as unlike as
// those of Zipf's law, and have few cells.
func TestScaledRaise(t *testing.T) {
	const letters, cells = 300, 12
	rng := rand.New(rand.NewPCG(3, letters))
	pr := Problem{Column: make([][]int32, letters)}
	sum := 0.0
	for i := range letters {
		pr.Prob = append(pr.Prob, 1/float64(i+1))
		sum += pr.Prob[i]
	}
	for i := range letters {
		pr.Prob[i] /= sum
		for _, j := range rng.Perm(letters)[:cells] {
			pr.Column[j] = append(pr.Column[j], int32(i))
		}
	}
	true := Least(context.Background(), pr, Options{})
	out := ScaledLeast(context.Background(), pr, Options{})
	if low := math.Log(true.T / out.Lower); !(low >= -1e-9 && low <= .045) {
		t.Errorf("the bound is %v nats below the least factor, %v", low, true.T)
	}
}
