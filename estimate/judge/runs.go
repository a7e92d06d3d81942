package judge

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Runs tells whether neighbouring records hold the same letter more often
// than in a shuffled file. Where they do, the draws of neighbours are several
// draws of one letter, and their leakages add up.
type Runs struct {
	count []int64
	last  int32
	n     int64 // records
	pairs int64 // neighbours looked at
	equal int64 // of them with the same letter
}

// NewRuns is for letters 0..letters-1.
func NewRuns(letters int) *Runs { return &Runs{count: make([]int64, letters), last: -1} }

// Add takes the letters of the next records; negative ones are left out.
func (r *Runs) Add(letter []int32) {
	for _, x := range letter {
		if x < 0 {
			continue
		}
		if r.last >= 0 {
			r.pairs++
			if x == r.last {
				r.equal++
			}
		}
		r.last = x
		r.count[x]++
		r.n++
	}
}

// Break says that the next record does not follow the last one.
func (r *Runs) Break() { r.last = -1 }

// Shares are those of neighbours with the same letter, as seen and as expected
// of a shuffled file; 0 where there are no neighbours.
func (r *Runs) Shares() (seen, expected float64) {
	if r.pairs == 0 || r.n < 2 {
		return 0, 0
	}
	return float64(r.equal) / float64(r.pairs), r.chance()[0]
}

// Excess is by how many standard deviations more neighbours are equal than
// expected; above 6 is a chance below 1e-9 in a large shuffled file. The
// variance is that of a random permutation of the letters [Mood 1940], whose
// neighbours, where Break left some out, are taken to be as many.
func (r *Runs) Excess() float64 {
	if r.n < 4 || r.pairs == 0 {
		return 0
	}
	p, k := r.chance(), float64(r.pairs)
	variance := k*p[0] + 2*(k-1)*p[1] + (k-1)*(k-2)*p[2] - k*p[0]*k*p[0]
	if !(variance > 0) {
		return 0
	}
	return (float64(r.equal) - k*p[0]) / math.Sqrt(variance)
}

// chance has the chances that two records are equal, that three are, and that
// two pairs of different records are.
func (r *Runs) chance() (p [3]float64) {
	n := float64(r.n)
	two, three, four, square := 0.0, 0.0, 0.0, 0.0
	for _, c := range r.count {
		v := float64(c)
		pair := v * (v - 1)
		two += pair
		three += pair * (v - 2)
		four += pair * (v - 2) * (v - 3)
		square += pair * pair
	}
	p[0] = two / (n * (n - 1))
	if n > 2 {
		p[1] = three / (n * (n - 1) * (n - 2))
	}
	if n > 3 {
		p[2] = (four + two*two - square) / (n * (n - 1) * (n - 2) * (n - 3))
	}
	return p
}

// Tail is the chance that so many neighbours or more are equal where they are
// equal independently of each other [Le Cam 1960]; the normal law of Excess is
// too small where few are expected.
func (r *Runs) Tail() float64 {
	if r.n < 2 || r.pairs == 0 {
		return 1
	}
	mean := float64(r.pairs) * r.chance()[0]
	if float64(r.equal) <= mean {
		return 1
	}
	return mathext.GammaIncReg(float64(r.equal), mean)
}
