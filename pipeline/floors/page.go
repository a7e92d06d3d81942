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

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

const (
	pageStops   = 120    // floors on the page
	pageOutputs = 40     // outputs listed of a letter
	pageShown   = 12     // and in a sentence
	pageNumbers = 100000 // about how many the script is given
)

// sources names the files that were read.
func sources(o *request.Options) string {
	if o.Input != "" {
		return filepath.Base(o.Input)
	}
	var names []string
	for _, path := range o.Counts {
		names = append(names, filepath.Base(path))
	}
	return report.NameList(names)
}

// page is the HTML page on which a floor is chosen.
func (v *survey) page(ctx context.Context) ([]byte, error) {
	f, in, out := v.f, v.d.Letters, v.order.Outputs
	p := &page.Page{Version: v.o.Version, Source: sources(v.o), Column: v.o.Column,
		Records: v.records().Total(), Prior: f.Prior,
		Inputs: in.Len(), Outputs: out.Len(), Form: v.order.Form, Guess: f.Guess, Sampled: f.Sampled, Stopped: f.Stopped,
		Large: f.Large, Curves: *f.curves()}
	at := v.stops()
	for _, i := range at {
		p.Stops = append(p.Stops, v.stop(&f.Points[i]))
	}
	p.Start = len(at) / 2
	l := v.look(at)
	if p.Unlooked = l == nil; l != nil {
		l.explain(p.Stops)
		if err := v.merge(ctx, at, p.Stops); err != nil {
			return nil, err
		}
	}
	p.Letters, p.Left = v.letters(at)
	labels := texts(report.Labels(out.Label, out.Null))
	for i := range p.Stops {
		p.Stops[i].Shown = v.shown(&p.Stops[i], at[i], labels)
	}
	var b bytes.Buffer
	if err := p.Write(&b, labels); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// stops are the points that cost less than the next better one; where they
// are many, those with the largest steps, and the ends.
func (v *survey) stops() []int {
	var at []int
	points := v.f.Points
	for i := range points {
		if i+1 == len(points) || report.RoundUp(points[i].To, 4) != report.RoundUp(points[i+1].To, 4) {
			at = append(at, i)
		}
	}
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

func (v *survey) stop(q *Point) page.Stop {
	s := page.Stop{At: q.Value, Words: q.Words, Least: q.Least, Most: q.Most, Safe: q.Safe.Nats, Flat: math.NaN(),
		Optimal: q.To, Lower: q.From, Open: q.Open && !v.f.Large,
		Unchanged: q.Optimal.Unchanged, Nothing: q.Optimal.Nothing, Worst: q.Optimal.Worst, Mean: q.Optimal.Expected,
		Unit: v.order.Unit, Guess: q.Optimal.Guess}
	if q.Flat != nil {
		s.Flat = q.Flat.Nats
	}
	if v.f.By == "rank" {
		s.At, s.Short = float64(q.Rank), fmt.Sprintf("rank %d", q.Rank)
		s.Name = fmt.Sprintf("rank %d of %d or better", q.Rank, v.f.Of)
	} else {
		s.Short = "utility " + strconv.FormatFloat(q.Value, 'g', 6, 64)
		s.Name = s.Short + " or better"
	}
	if s.Ask = askFor(q.Optimal.Nats); q.Within != nil {
		s.Ask = askFor(q.Within.To)
	}
	s.Command = command(v.o, q, s.Ask, v.f.By)
	return s
}

// merge asks at the steepest steps what merging letters would do, as long as
// a quarter of the time for the search lasts.
func (v *survey) merge(ctx context.Context, at []int, stops []page.Stop) error {
	if v.f.Large {
		return nil
	}
	solve, cancel := ctx, context.CancelFunc(func() {})
	if v.o.SolveTime > 0 {
		solve, cancel = context.WithTimeout(ctx, v.o.SolveTime/4)
	}
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
		a, err := v.curves.Advise(solve, v.d.Prior, v.order.Order, at[k], optimum.LeastOptions{}, decide.Held(v.o.PriorOnly, v.d)...)
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
