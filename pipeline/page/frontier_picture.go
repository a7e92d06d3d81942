package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// frontierArt draws what the run knows of other floors without a search: the
// closed form of the utility-safe mechanism and its bound at the floors of the
// table, the proven bracket at the floor of the release, what the next better
// floor needs, and the release itself.
func frontierArt(r *report.Report) []template.HTML {
	if len(r.Floors) < 2 {
		return nil
	}
	at := float64(r.Floor.Rank)
	if r.Floors[0].ByValue {
		at = r.Floor.Value
	}
	safe, lower := Series{Name: "safe", Step: true}, Series{Name: "no mechanism goes below", Hold: true}
	bound := logarithm(r.Design.Lower)
	for _, f := range r.Floors {
		safe.Points = append(safe.Points, Point{X: f.At, Y: f.Nats})
		p := Point{X: f.At, Y: logarithm(f.Lower)}
		if f.At >= at {
			p.Y = max(p.Y, bound)
		}
		lower.Points = append(lower.Points, p)
	}
	lower.Points = append(lower.Points, Point{X: at, Y: bound})
	slices.SortStableFunc(lower.Points, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.X, b.X),
			cmp.Compare(a.Y, b.Y))
	})
	optimal := Series{Name: "best known", Step: true, Points: []Point{{X: at, Y: logarithm(r.Design.Upper)}}}
	if next := float64(r.Floor.NextRank); next > at && !r.Floors[0].ByValue && r.Floor.NextNeed != "" {
		optimal.Points = append(optimal.Points, Point{X: next, Y: logarithm(r.Floor.NextNeed)})
	}
	c := &Chart{Name: "What other floors cost", X: fmt.Sprintf("floor: the worst rank that may occur, of %d", r.Floor.Of),
		Y: "epsilon (nats)",
		Description: "Epsilon of the utility-safe mechanism at other floors, with a bound that no mechanism goes below; " +
			"the best that is known at the floor of this release and the next better one. " +
			"The table under Alternatives, Floor and Mechanism have the numbers.",
		Series: []Series{optimal, safe, lower}, Mark: &Point{X: at, Y: r.Epsilon.Nats}, MarkName: "this release, " +
			r.Design.Kind}
	if r.Floors[0].ByValue {
		c.X = "floor: the worst utility that may occur"
	}
	return drawn(c.SVG("frontier-picture"))
}

// logarithm of a factor, 0 where it is none.
func logarithm(fraction string) float64 {
	v, _ := value(fraction)
	return math.Log(max(1, v))
}
