package frontier

import (
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
)

// An ascent walks the rank floors of a ladder in which nothing is forbidden,
// from the best down: after m steps every letter has its m best outputs, and
// the factor of the uniform mechanism is n / min mass [SO, Corollary 1].
type ascent struct {
	*ladder
	m     int
	mass  []int64 // n P(S_y)
	most  []int64 // the largest count in S_y; nil where nobody asks
	block [][ascentWidth]uint16
}

// ascentWidth is how many places of a row are read at a time, a cache line of
// each: one place at a time took five times as long at N = 10,000.
const ascentWidth = 32

func newAscent(l *ladder) *ascent {
	return &ascent{ladder: l, mass: make([]int64, l.outputs), block: make([][ascentWidth]uint16, len(l.best))}
}

// next gives every letter one output more.
func (w *ascent) next() {
	i := w.m % ascentWidth
	if i == 0 {
		for x, b := range w.best {
			copy(w.block[x][:], b[w.m:])
		}
	}
	w.m++
	for x := range w.block {
		y, c := w.block[x][i], w.prior.Count(x)
		w.mass[y] += c
		if w.most != nil {
			w.most[y] = max(w.most[y], c)
		}
	}
}

// disclosure is what the uniform mechanism tells: mutual information,
// sum (P(S_y)/m) (-log P(S_y)), and the chance that the best guess of the
// letter is right after the output is seen, (1/m) sum_y max_{x in S_y} P_x.
func (w *ascent) disclosure() (information, guess float64) {
	n, m := float64(w.prior.Total()), float64(w.m)
	if n == 0 {
		return 0, 0
	}
	var sum, best mechanism.Sum
	for y, v := range w.mass {
		if v > 0 {
			p := float64(v) / n
			sum.Add(-p / m * math.Log(p))
			best.Add(float64(w.most[y]) / n / m)
		}
	}
	return max(0, sum.Value()), best.Value()
}

// uniformDisclosure is disclosure where letter x has its take[x] best outputs:
// I(X;Y) = H(Y) - sum P_x log take[x].
func (l *ladder) uniformDisclosure(take []int) (information, guess float64) {
	n := float64(l.prior.Total())
	if n == 0 {
		return 0, 0
	}
	q, most := make([]float64, l.outputs), make([]float64, l.outputs)
	var sum, best mechanism.Sum
	for x, b := range l.best {
		if l.stop.over(take[x]) {
			return 0, 0
		}
		if c := l.prior.Count(x); c > 0 {
			p := float64(c) / n
			sum.Add(-p * math.Log(float64(take[x])))
			for _, y := range b[:take[x]] {
				q[y] += p / float64(take[x])
				most[y] = max(most[y], p/float64(take[x]))
			}
		}
	}
	for y, v := range q {
		if v > 0 {
			sum.Add(-v * math.Log(v))
			best.Add(most[y])
		}
	}
	return max(0, sum.Value()), best.Value()
}
