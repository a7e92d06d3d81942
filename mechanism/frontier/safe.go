package frontier

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Point is the utility-safe mechanism at one floor.
type Point struct {
	Floor mechanism.Floor

	// Least and Most are the numbers of outputs allowed per letter. They
	// differ only where outputs are forbidden or the floor is a value.
	Least, Most int

	Factor *big.Rat // e^eps of this mechanism, exact
	Output int      // the output that leaks most; -1 where the prior is empty

	// Cost is the least factor of this and of all better floors: what the
	// guarantee "at least this floor" costs. Factor alone is not monotone in
	// the floor. At is the floor that attains it, the better one on a tie.
	Cost *big.Rat
	At   mechanism.Floor

	WorstRank       int     // the worst rank that occurs
	WorstValue      float64 // the worst value that occurs
	ExpectedUtility float64 // sum_x P_x sum_y p_xy u'(x,y); 0 where the prior is empty
}

// Safe computes the utility-safe mechanism at every rank floor 1..M;
// entry i has floor i+1. Memory is 2 N M bytes. Time is O(N M) where no output
// is forbidden, and else proportional to the allowed cells summed over the
// floors at which they change. It fails with *NoOutputError when a row
// forbids everything, and where ctx is cancelled. Factors are the largest under p and
// the priors that follow.
func Safe(ctx context.Context, p mechanism.Prior, o mechanism.Order, also ...mechanism.Prior) ([]Point, error) {
	l, err := climb(p, o, true, cancelled(ctx), also...)
	if err != nil {
		return nil, err
	}
	points := l.byRank()
	return points, l.stop.err()
}

func (l *ladder) byRank() []Point {
	points := make([]Point, l.outputs)
	step := l.evenSteps()
	if !l.even() {
		step = l.unevenSteps()
	}
	least, longest := l.outputs, 0
	for _, b := range l.best {
		least, longest = min(least, len(b)), max(longest, len(b))
	}
	var last *Point
	for m := 1; m <= l.reach && !l.stop.over(len(l.best)+l.outputs); m++ {
		q := &points[l.outputs-m]
		*q = Point{
			Floor:           mechanism.RankFloor(l.outputs - m + 1),
			Least:           min(m, least),
			Most:            min(m, longest),
			WorstRank:       l.outputs - min(m, longest) + 1,
			WorstValue:      l.worst[m-1],
			ExpectedUtility: l.utility[m-1],
		}
		if m > longest {
			q.Output, q.Factor = last.Output, last.Factor
		} else {
			q.Output, q.Factor = step(m)
		}
		q.Cost, q.At = q.Factor, q.Floor
		if last != nil && last.Cost.Cmp(q.Cost) <= 0 {
			q.Cost, q.At = last.Cost, last.At
		}
		last = q
	}
	return points
}

func (l *ladder) evenSteps() func(m int) (y int, factor *big.Rat) {
	walk := []*ascent{newAscent(l)}
	for _, p := range l.also {
		walk = append(walk, newAscent(l.under(p)))
	}
	return func(int) (y int, factor *big.Rat) {
		y = -1
		factor = big.NewRat(1, 1)
		for _, w := range walk {
			w.next()
			z := leastMass(w.mass)
			if z < 0 {
				continue
			}
			if f := big.NewRat(w.prior.Total(), w.mass[z]); y < 0 || f.Cmp(factor) > 0 {
				y, factor = z, f
			}
		}
		return y, factor
	}
}

func (l *ladder) unevenSteps() func(m int) (y int, factor *big.Rat) {
	take := make([]int, len(l.best))
	return func(m int) (y int, factor *big.Rat) {
		for x, b := range l.best {
			take[x] = min(m, len(b))
		}
		return l.uniformFactor(take, nil)
	}
}

// leastMass is the first output of least positive mass, -1 if there is none.
func leastMass(mass []int64) int {
	y := -1
	for i, v := range mass {
		if v > 0 && (y < 0 || v < mass[y]) {
			y = i
		}
	}
	return y
}

// SafeByValue is Safe over value floors: the utility-safe mechanism at
// at most limit of the distinct utilities that every letter can meet, from the
// best down, evenly spread. Beyond 2^18 allowed cells the utilities are first
// sampled. Cost and At run over the listed floors only. Memory is 2 N M bytes
// and 16 per candidate at which a row grows; time is the allowed cells for
// each listed floor. It ends where ctx is cancelled. Factors are the largest under p
// and the priors that follow.
func SafeByValue(ctx context.Context, p mechanism.Prior, o mechanism.Order, limit int,
	also ...mechanism.Prior) ([]Point, error) {
	l, err := climb(p, o, false, cancelled(ctx), also...)
	if err != nil {
		return nil, err
	}
	d, err := l.descend(o, math.Inf(-1))
	if err != nil {
		return nil, err
	}
	var points []Point
	d.visit(max(2, limit), func(_ *landing, q Point) { points = append(points, q) })
	return points, l.stop.err()
}

// visit goes over at most limit of the floors, evenly spread, from the best down.
func (d *descent) visit(limit int, f func(w *landing, q Point)) {
	step := spaced(len(d.tau), limit)
	var last *big.Rat
	var at mechanism.Floor
	d.walk(1, func(w *landing) bool {
		if w.step != step[0] {
			return true
		}
		q := Point{Floor: mechanism.ValueFloor(d.tau[w.step]), WorstValue: d.tau[w.step], ExpectedUtility: w.utility,
			Least: d.outputs}
		for _, k := range w.take {
			q.Least, q.Most = min(q.Least, k), max(q.Most, k)
		}
		q.WorstRank = d.outputs - q.Most + 1
		q.Output, q.Factor = d.uniformFactor(w.take, nil)
		if last == nil || q.Factor.Cmp(last) < 0 {
			last, at = q.Factor, q.Floor
		}
		q.Cost, q.At = last, at
		f(w, q)
		step = step[1:]
		return len(step) > 0
	})
}
