package frontier

import (
	"context"
	"math"

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
	step := make([]int, len(d.tau))
	for i := range step {
		step[i] = i
	}
	step = thin(step, max(2, limit))
	var points []Point
	d.walk(1, func(w *landing) bool {
		if w.step != step[len(points)] {
			return true
		}
		q := Point{Floor: mechanism.ValueFloor(d.tau[w.step]), WorstValue: d.tau[w.step], ExpectedUtility: w.utility,
			Least: d.outputs}
		for _, k := range w.take {
			q.Least, q.Most = min(q.Least, k), max(q.Most, k)
		}
		q.WorstRank = d.outputs - q.Most + 1
		q.Output, q.Factor = d.uniformFactor(w.take, nil)
		q.Cost, q.At = q.Factor, q.Floor
		if len(points) > 0 {
			if last := points[len(points)-1]; last.Cost.Cmp(q.Cost) <= 0 {
				q.Cost, q.At = last.Cost, last.At
			}
		}
		points = append(points, q)
		return len(points) < len(step)
	})
	return points, l.stop.err()
}
