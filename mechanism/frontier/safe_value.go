package frontier

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

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
