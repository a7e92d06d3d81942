package floors

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// mergeGap is the relative width of the bracket of a merger, of which four digits are
// shown: as wide as what is not told from none.
const mergeGap = 1e-6

const (
	pageStops   = 40     // floors on the page, without a limit of the shift
	pageOutputs = 40     // outputs listed of a letter
	pageShown   = 12     // and in a sentence
	pageNumbers = 100000 // about how many the script is given
)

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
		Inputs: in.Len(), Outputs: out.Len(), Form: v.order.Form, Guess: f.Guess, Sampled: f.Sampled, Stopped: f.Stopped,
		Large: f.Large, Curves: *f.curves(), Released: v.o.Input != "", Unjudged: v.unjudged()}
	places, err := v.places(ctx, p)
	if err != nil {
		return nil, err
	}
	var at []int
	for _, q := range places {
		at, p.Stops = append(at, q.at), append(p.Stops, q.stop)
	}
	l := v.look(at)
	if p.Unlooked = l == nil; l != nil {
		l.explain(p.Stops)
		for i := range p.Stops {
			if p.Stops[i].Limit > 0 {
				p.Stops[i].Reason = nil // a limit of the shift decides, too
			}
		}
		free := slices.IndexFunc(places, func(q *place) bool { return q.limit != "" })
		if free < 0 {
			free = len(places)
		}
		if err := v.merge(ctx, at[:free], p.Stops[:free]); err != nil {
			return nil, err
		}
	}
	p.Letters, p.Left = v.letters(at)
	labels := texts(report.Labels(out.Label, out.Null))
	for i := range p.Stops {
		p.Stops[i].Shown = v.shown(&p.Stops[i], at[i], labels)
	}
	p.Suggest()
	var b bytes.Buffer
	if err := p.Write(&b, labels); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// places are the stops of the page, those without a limit of the shift first, with the
// designs that their commands make and what analysts get of them. A quarter of the time
// for the search goes to limits of the shift, half of it to the designs, and a quarter
// to simulated releases.
func (v *survey) places(ctx context.Context, p *page.Page) (all []*place, err error) {
	free := v.stops()
	for _, i := range free {
		all = append(all, &place{at: i, need: v.f.Points[i].Optimal.Nats})
	}
	search, cancel := v.part(ctx, 4)
	defer cancel()
	within, limits, err := v.limited(search, free)
	if err != nil {
		return nil, err
	}
	all = append(all, within...)
	p.Limits = []page.Limit{{}}
	for _, text := range limits {
		p.Limits = append(p.Limits, page.Limit{Asked: text})
	}
	for _, q := range all {
		q.stop = v.stop(&v.f.Points[q.at])
		if q.limit != "" {
			q.stop.Optimal, q.stop.Lower, q.stop.Open = q.need, q.need, false
			q.stop.Worst, q.stop.Mean, q.stop.Guess = math.NaN(), math.NaN(), math.NaN()
			q.stop.Unchanged, q.stop.Nothing = false, false
			q.stop.Limit = 1 + slices.Index(limits, q.limit)
		}
		c := v.choice(q, askFor(q.need))
		q.stop.Ask, q.stop.Asked, q.stop.Command = c.epsilon, q.need, v.command(c)
	}
	if v.o.Limit() != "" {
		p.Limit = 1 + slices.Index(limits, v.o.Limit())
	}
	designs, cancel := v.part(ctx, 2)
	defer cancel()
	err = v.prospects(designs, all)
	p.Stopped = p.Stopped || search.Err() != nil || designs.Err() != nil
	if err != nil {
		return nil, err
	}
	told, cancel := v.part(ctx, 4)
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

// part ends ctx after a part of the time for the search.
func (v *survey) part(ctx context.Context, of time.Duration) (context.Context, context.CancelFunc) {
	if v.o.SolveTime <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, v.o.SolveTime/of)
}

// stop is what the search found of a floor.
func (v *survey) stop(q *Point) page.Stop {
	s := page.Stop{At: q.Value, Words: q.Words, Least: q.Least, Most: q.Most, Safe: q.Safe.Nats, Flat: math.NaN(),
		Optimal: q.To, Lower: q.From, Open: q.Open && !v.f.Large,
		Unchanged: q.Optimal.Unchanged, Nothing: q.Optimal.Nothing, Worst: q.Optimal.Worst, Mean: q.Optimal.Expected,
		Unit: v.order.Unit, Guess: q.Optimal.Guess}
	if q.Flat != nil {
		s.Flat = q.Flat.Nats
	}
	switch {
	case v.f.By == "rank":
		s.At, s.Short = float64(q.Rank), fmt.Sprintf("rank %d", q.Rank)
		s.Name = fmt.Sprintf("rank %d of %d or better", q.Rank, v.f.Of)
	case q.Level != nil:
		s.At, s.Short, s.Name = float64(q.Level.At), fmt.Sprintf("level %d", q.Level.At), claim.Place(q.Level, 0, 0)
	default:
		s.Short = "utility " + strconv.FormatFloat(q.Value, 'g', 6, 64)
		s.Name = s.Short + " or better"
		if v.order.Unit != "" {
			s.Short = report.Measured(q.Value, v.order.Unit)
			s.Name = s.Short + " away or nearer"
		}
	}
	return s
}

// merge asks at the steepest steps what merging letters would do, as long as
// a quarter of the time for the search lasts.
func (v *survey) merge(ctx context.Context, at []int, stops []page.Stop) error {
	if v.f.Large {
		return nil
	}
	solve, cancel := v.part(ctx, 4)
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
	labels := texts(report.Labels(v.d.Letters.Label, v.d.Letters.Null))
	for n, k := range turn {
		v.o.Pace().Tell("searching", int64(n), int64(len(turn)))
		a, known := v.advised[at[k]]
		var err error
		if !known {
			a, err = v.curves.Advise(solve, v.d.Prior, v.order.Order, at[k], optimum.LeastOptions{Gap: mergeGap},
				decide.Held(v.o.PriorOnly, v.d)...)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("looking at a floor: %w", err)
		}
		if a.Letter < 0 {
			continue
		}
		if r := stops[k].Reason; r != nil && !r.All {
			r.Carrier, r.Carriers, r.Share = labels[a.Letter], a.Carriers, a.Share
		}
		// Only what is proven is said: a search that time ended may know too
		// little either way. Where many compete, that one merger does not help
		// says little.
		if m := a.Merge; m != nil && (decide.Cheaper(m.Upper, a.Lower) || a.Carriers <= 3 &&
			!decide.Cheaper(m.Lower, a.Lower)) {
			stops[k].Merge = &page.Merge{Letter: labels[m.Letter], Into: labels[m.Into], From: stops[k].Optimal,
				To: mechanism.Nats(m.Upper), Helps: decide.Cheaper(m.Upper, a.Lower)}
		}
	}
	return nil
}

func texts(l []report.Label) []string {
	out := make([]string, len(l))
	for i := range l {
		out[i] = l[i].String()
	}
	return out
}
