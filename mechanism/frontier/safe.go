package frontier

import (
	"context"
	"math/big"
	"slices"

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
	d := l.ranks(1)
	points := d.points(spaced(len(d.floor), len(d.floor)))
	slices.Reverse(points)
	return points, l.stop.err()
}

// points are those of some steps, in their order.
func (d *descent) points(steps []int) (points []Point) {
	d.walk(1, func(w *landing) bool {
		if w.step != steps[0] {
			return true
		}
		q := Point{Floor: d.floor[w.step], Least: w.low, Most: w.high, WorstRank: d.outputs - w.high + 1,
			WorstValue: d.worst[w.step], ExpectedUtility: d.mean[w.step]}
		q.Output, q.Factor = d.factorAt(w, nil)
		q.Cost, q.At = q.Factor, q.Floor
		if n := len(points); n > 0 && points[n-1].Cost.Cmp(q.Cost) <= 0 {
			q.Cost, q.At = points[n-1].Cost, points[n-1].At
		}
		points = append(points, q)
		steps = steps[1:]
		return len(steps) > 0
	})
	return points
}
