package floors

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// mergeGap is the relative width of the bracket of a merger, of which four digits are
// shown: as wide as what is not told from none.
const mergeGap = 1e-6

// pageStops is how many floors stand on the page at their least epsilon.
const pageStops = 24

// sources names the files that were read.
func (v *survey) sources() string {
	if v.o.Input != "" {
		return store.Name(v.o.Input)
	}
	var names []string
	for _, path := range v.o.Counts {
		names = append(names, filepath.Base(path))
	}
	return report.NameList(names)
}

// page is the HTML page on which a floor is chosen.
func (v *survey) page(ctx context.Context) ([]byte, error) {
	f, in, out := v.f, v.d.Letters, v.order.Outputs
	p := &page.Page{Version: v.o.Version, Source: v.sources(), Column: v.o.Column,
		Records: v.d.Sample.Total(), Prior: f.Prior, Strata: v.o.Next().Strata,
		Inputs: in.Len(), Outputs: out.Len(), Guess: f.Guess, Sampled: f.Sampled, Stopped: f.Stopped,
		Large: f.Large, Curves: *f.curves(), Released: v.o.Input != "", Unjudged: v.unjudged(), Scale: request.Scale()}
	places, err := v.places(ctx, p)
	if err != nil {
		return nil, err
	}
	var points []int
	for _, q := range places {
		if p.Stops = append(p.Stops, q.stop); q.at >= 0 { // these are first
			points = append(points, q.at)
		}
	}
	if err := v.merge(ctx, points, p.Stops[:len(points)]); err != nil {
		return nil, err
	}
	p.Asked = -1
	for _, q := range v.grid {
		if q.asked {
			p.Sought = "epsilon " + q.epsilon + ", " + p.Limits[q.stop.Limit].Points()
		}
	}
	order := bySlider(p.Stops)
	stops := slices.Clone(p.Stops)
	for k, i := range order {
		p.Stops[k] = stops[i]
		if places[i].asked {
			p.Asked = k
		}
	}
	p.Suggest()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// bySlider are the places of stops by limit, and from cheap to dear.
func bySlider(stops []page.Stop) []int {
	order := make([]int, len(stops))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(stops[a].Limit, stops[b].Limit), cmp.Compare(stops[a].Asked, stops[b].Asked),
			cmp.Compare(stops[a].At, stops[b].At))
	})
	return order
}

// places are the stops of the page, points of the frontier first, with the designs that
// their commands make and what analysts get of them.
func (v *survey) places(ctx context.Context, p *page.Page) (all []*place, err error) {
	for _, i := range v.stops() {
		q := &place{at: i, need: v.f.Points[i].Optimal.Nats, stop: v.stop(&v.f.Points[i])}
		c := v.choice(q, askFor(q.need))
		q.stop.Ask, q.stop.Asked, q.stop.Command = c.epsilon, q.need, v.command(c)
		all = append(all, q)
	}
	compared := v.compared()
	for _, text := range compared {
		p.Limits = append(p.Limits, page.Limit{Asked: text})
	}
	p.Limit, p.Missing = slices.Index(compared, v.limit), v.missing()
	designs, cancel := v.until(ctx, 14)
	defer cancel()
	if err := v.prospects(designs, all); err != nil {
		return nil, err
	}
	p.Stopped = p.Stopped || designs.Err() != nil
	for _, q := range v.grid {
		if q.stop.Designed {
			all = append(all, q)
		}
	}
	told, cancel := v.until(ctx, 15)
	defer cancel()
	return all, v.outlooks(told, all)
}

// cheapest are the points that cost less than the next better one.
func (v *survey) cheapest() (at []int) {
	points := v.f.Points
	for i := range points {
		if i+1 == len(points) || report.RoundUp(points[i].To, 4) != report.RoundUp(points[i+1].To, 4) {
			at = append(at, i)
		}
	}
	return at
}

// stops are the cheapest points; where they are many, those with the largest steps, and
// the ends.
func (v *survey) stops() []int {
	at, points := v.cheapest(), v.f.Points
	if len(at) <= pageStops {
		return at
	}
	inner := slices.Clone(at[1 : len(at)-1])
	slices.SortStableFunc(inner, func(a, b int) int {
		return cmp.Compare(points[b+1].To-points[b].To, points[a+1].To-points[a].To)
	})
	kept := append(inner[:pageStops-2], at[0], at[len(at)-1])
	slices.Sort(kept)
	return kept
}

// stop is what the search found of a floor.
func (v *survey) stop(q *Point) page.Stop {
	s := page.Stop{At: q.Value, Words: q.Words, Least: q.Least, Most: q.Most, Safe: q.Safe.Nats,
		Optimal: q.To, Lower: q.From, Open: q.Open && !v.f.Large,
		Unchanged: q.Optimal.Unchanged, Nothing: q.Optimal.Nothing, Worst: q.Optimal.Worst, Mean: q.Optimal.Expected,
		Unit: v.order.Unit, Guess: q.Optimal.Guess}
	s.At, s.Short = v.short(q.Rank, q.Value, q.Level)
	switch {
	case v.f.By == "rank":
		s.Name = fmt.Sprintf("rank %d of %d or better", q.Rank, v.f.Of)
	case q.Level != nil:
		s.Name = claim.Place(q.Level, 0, 0)
	case v.order.Unit != "":
		s.Name = s.Short + " away or nearer"
	default:
		s.Name = s.Short + " or better"
	}
	return s
}

// short is where a floor lies on the axis, and its name in the table.
func (v *survey) short(rank int, value float64, level *claim.Level) (at float64, name string) {
	switch {
	case v.f.By == "rank":
		return float64(rank), fmt.Sprintf("rank %d", rank)
	case level != nil:
		return float64(level.At), fmt.Sprintf("level %d", level.At)
	case v.order.Unit != "":
		return value, report.Measured(value, v.order.Unit)
	}
	return value, "utility " + strconv.FormatFloat(value, 'g', 6, 64)
}

// merge asks at the steepest steps what merging letters would do, for the rest of the time
// for the search.
func (v *survey) merge(ctx context.Context, at []int, stops []page.Stop) error {
	if v.f.Large || v.order.Order.Inputs()*v.order.Order.Outputs() > decide.AdviceCells {
		return nil
	}
	solve, cancel := v.until(ctx, 16)
	defer cancel()
	step := func(k int) float64 {
		if k == 0 {
			return stops[k].Optimal
		}
		return stops[k].Optimal - stops[k-1].Optimal
	}
	turn := make([]int, len(at))
	for k := range turn {
		turn[k] = k
	}
	slices.SortStableFunc(turn, func(a, b int) int { return cmp.Compare(step(b), step(a)) })
	labels := report.Labels(v.d.Letters.Label, v.d.Letters.Null)
	for n, k := range turn {
		v.o.Pace().Tell("searching", int64(n), int64(len(turn)))
		a, err := v.at(solve, at[k], optimum.Options{Gap: mergeGap})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("looking at a floor: %w", err)
		}
		if a.Letter < 0 {
			continue
		}
		// Only what is proven is said: a search that time ended may know too
		// little either way. Where many compete, that one merger does not help
		// says little.
		if m := a.Merge; m != nil && (frontier.Cheaper(m.Upper, a.Lower) || a.Carriers <= 3 &&
			!frontier.Cheaper(m.Lower, a.Lower)) {
			stops[k].Merge = &page.Merge{Letter: labels[m.Letter].String(), Into: labels[m.Into].String(),
				From: stops[k].Optimal, To: mechanism.Nats(m.Upper), Helps: frontier.Cheaper(m.Upper, a.Lower)}
		}
	}
	return nil
}
