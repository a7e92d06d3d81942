package design

import (
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Baseline is a mechanism of local differential privacy, for comparison at
// the same pointwise maximal leakage. It is floating point and nothing is
// drawn from it.
type Baseline struct {
	// Kind is "exponential": p(y|x) in proportion to exp(Level u'(x,y) / 2D),
	// D the largest difference that the letter makes to the utility of one
	// output; or "randomised response": e^Level for the best output of x
	// against 1 for every other.
	Kind string

	// Tuned says that Level is the one at which PML is epsilon, found by
	// a secant search. Else it is LocalLevel, at which epsilon is guaranteed
	// whatever the mechanism: PML then often stays below.
	Tuned bool

	Level    float64     // in nats of local differential privacy; +Inf is no noise
	PML      float64     // leakage reached, in nats
	Worst    float64     // the worst value that can occur, of letters with and without records
	Expected float64     // sum_x P_x sum_y p_xy u'(x,y); 0 where the prior is empty
	Law      [][]float64 // p(y|x) by row; positive wherever Level is finite, up to underflow
}

// baselineCells is the most N M that All takes: four laws of 32 MB.
const baselineCells = 1 << 22

// All are the exponential mechanism and randomised response at epsilon,
// each at LocalLevel and tuned. The exponential mechanism is left out where an
// output is forbidden: its utility has no finite range, and local differential
// privacy forbids nothing. The leakage need not grow with the level of the
// exponential mechanism; the tuned level is one at which it is epsilon. It
// fails beyond 2^22 cells.
func All(p mechanism.Prior, o mechanism.Order, e mechanism.Epsilon) ([]Baseline, error) {
	n, m := o.Inputs(), o.Outputs()
	if p.Letters() != n {
		panic("mechanism: prior and order differ in letters")
	}
	if n*m > baselineCells {
		return nil, fmt.Errorf("mechanism: baselines of %d x %d letters: more than %d cells", n, m, baselineCells)
	}
	value, best := make([][]float64, n), make([]int, n)
	rank := make([]uint16, m)
	for x := range value {
		value[x] = make([]float64, m)
		o.Row(x, rank, value[x])
		for y, r := range rank {
			if int(r) == m {
				best[x] = y
			}
		}
	}
	laws := []localLaw{{"randomised response", p, value, response(best, m)}}
	if d := sensitivity(value); !math.IsInf(d, 1) {
		laws = append([]localLaw{{"exponential", p, value, exponential(value, d)}}, laws...)
	}
	var all []Baseline
	for _, l := range laws {
		level := LocalLevel(p, e)
		guaranteed := l.at(level)
		all = append(all, guaranteed, l.at(l.tune(e, level, guaranteed.PML)))
		all[len(all)-1].Tuned = true
	}
	return all, nil
}

// LocalLevel is the largest level of local differential privacy, in nats, at
// which every mechanism is within epsilon:
//
//	eps = -log(P_min + (1 - P_min) e^-level)    [SO, Proposition 6]
//
// P_min being the least probability of a letter with records: an output that
// is likeliest for x has q_y >= (P_x + (1 - P_x) e^-level) p_xy. From
// eps = -log P_min on every mechanism is within epsilon, and it is +Inf.
func LocalLevel(p mechanism.Prior, e mechanism.Epsilon) float64 {
	x, c := p.Least()
	if x < 0 || c == p.Total() || e.Admits(p.Probability(x).Inv(p.Probability(x))) {
		return math.Inf(1)
	}
	rest := float64(p.Total()-c) / float64(p.Total())
	return -math.Log1p(math.Max(-1, math.Expm1(-e.Nats())/rest))
}
