// Package recover tells from a published column, and the mechanism where that is known,
// how common the values were before. It counts the column, hands letters to package
// estimate, and gives their names back.
package recover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Result is what tacet recover prints. All values in it were published.
type Result struct {
	Column   string   `json:"column"`
	Method   string   `json:"method"`
	Of       string   `json:"of"`    // "file" or "population": what intervals are about
	Level    float64  `json:"level"` // of intervals
	By       []string `json:"by"`
	Where    []string `json:"where"`
	Groups   bool     `json:"groups"`           // figures are of groups of values
	Strata   string   `json:"strata,omitempty"` // that have mechanisms of their own, and are estimated apart
	Internal bool     `json:"confidential"`     // they come from a plan, and are as confidential as it is
	Values   int      `json:"values"`           // of the mechanism; 0 where it is not used
	Rank     int      `json:"rank"`             // of it, the least of all strata: where it is Values, all are told apart
	Rows     int64    `json:"rows"`             // that were counted
	Notes    []string `json:"notes"`
	Cells    []Cell   `json:"cells"`
	Mean     string   `json:"mean,omitempty"` // column of numbers
	// Of independence of the true values and the columns of By; nil where there is one cell, or where
	// strata have mechanisms of their own, so that draws depend on more than the true value.
	Test *estimate.Test `json:"test,omitempty"`

	groupings []Grouping
	lost      bool // floats cannot tell what the mechanism tells
}

// A Cell is the rows in which the columns of By have these values.
type Cell struct {
	By      []report.Label `json:"by"`
	Rows    int64          `json:"rows"`  // of the mechanism's outputs
	Nulls   int64          `json:"nulls"` // beside them: no value was published
	Draws   float64        `json:"draws"` // independent draws that the rows are worth
	Figures []Figure       `json:"figures"`
	// Of the most likely shares: no others are likelier by more, in nats a row; and
	// whether no others are as likely.
	Gap *float64 `json:"gap,omitempty"`
	// Of the shares that have an estimate, in the order of Figures; nil where strata have mechanisms of
	// their own. Estimates of two cells vary independently.
	Covariance [][]float64 `json:"covariance,omitempty"`
	Unique     *bool       `json:"unique,omitempty"`
}

// A Figure is what is known of the share of one value, or group, before the release.
// Shares are of the rows of the cell.
type Figure struct {
	Label     report.Label `json:"label"`
	Published float64      `json:"published"` // share that a count of the column shows
	Share     *float64     `json:"share"`     // nil where the data do not tell it
	Error     *float64     `json:"standard_error"`
	Low       float64      `json:"low"` // ends of the interval; 0 and 1 where the data do not tell it
	High      float64      `json:"high"`
	// Of the numbers in the column of --mean, over the rows with these true values; nil where the data
	// do not tell it.
	Mean      *float64 `json:"mean,omitempty"`
	MeanError *float64 `json:"mean_standard_error,omitempty"`
}

// Limits of what is worked out in floats.
const (
	MostCells = 25_000_000 // N M of a mechanism
	mostPairs = 4_000_000  // covariances of all cells together
	gap       = 1e-9       // nats a row
	rounds    = 20_000     // of EM
)

// A question is what is asked of a published column.
type question struct {
	request.Recovery
	column     string
	reading    request.Reading // of the file
	covariance bool            // those of shares are told
}

// Run counts the published column and recovers shares.
func Run(ctx context.Context, o request.Options) (r *Result, err error) {
	if err := count.Check(&o, "recover", false); err != nil {
		return nil, err
	}
	if o.Mechanism == "" && o.Method != request.Counted {
		return nil, fault.New(fault.Usage, "give public/mechanism.json of the release, or choose --method count",
			"--mechanism is missing")
	}
	q := &question{o.Recovery, o.Column, request.Reading{Path: o.Input, Pace: o.Pace()}, o.Format == "json"}
	m, err := load(q)
	if err != nil {
		return nil, err
	}
	t, err := tallied(ctx, q, m)
	if err != nil {
		return nil, err
	}
	r = &Result{Column: o.Column, Method: o.Method, Of: o.Whose, Level: o.Confident(), By: append([]string{}, o.By...),
		Where: append([]string{}, o.Where...), Strata: m.strata, Groups: o.Group != "", Internal: m.internal,
		Notes: []string{}, Mean: o.Mean}
	if r.groupings, err = groupings(o.Group, m); err != nil {
		return nil, err
	}
	if err = r.fill(ctx, q, m, t); err != nil {
		return nil, err
	}
	r.note(q, m, t)
	return r, nil
}

// fill makes the figures of every cell.
func (r *Result) fill(ctx context.Context, q *question, m *source, t *tally) error {
	var channels []*estimate.Channel // by part of a cell
	if q.Method != request.Counted {
		var err error
		if channels, err = m.channels(); err != nil {
			return err
		}
		r.Values = channels[0].Letters()
		r.Rank = slices.MinFunc(channels, func(a, b *estimate.Channel) int { return cmp.Compare(a.Rank(), b.Rank()) }).Rank()
	}
	w := estimate.OfFile
	if q.Whose == "population" {
		w = estimate.OfPopulation
	}
	q.covariance = q.covariance && len(t.cells)*len(r.groupings)*len(r.groupings) <= mostPairs
	r.Test = t.independence()
	for _, cell := range t.cells {
		out := Cell{By: cell.by, Rows: cell.rows(), Nulls: cell.nulls}
		r.Rows += out.Rows + out.Nulls
		if out.Rows > 0 {
			e := cellEstimate{w: w, level: r.Level, groupings: r.groupings, covariance: q.covariance}
			var samples []*estimate.Sample
			for g := range cell.part {
				p := &cell.part[g]
				if p.count == nil {
					continue
				}
				var err error
				if p.s, err = estimate.NewSample(p.count, p.draws()); err != nil {
					return err
				}
				if channels != nil {
					p.c = channels[g]
				}
				e.part, samples = append(e.part, p), append(samples, p.s)
			}
			e.all = estimate.NewStrata(samples)
			out.Draws = e.all.Draws()
			err := e.fill(ctx, q.Method, &out)
			if errors.Is(err, estimate.ErrImpossible) {
				return fault.New(fault.Input, "give the mechanism of this release, and the file that it published",
					"column %q holds a value that the mechanism never publishes", q.column)
			}
			if err != nil {
				return err
			}
			r.lost = r.lost || e.lost
		}
		if out.Figures == nil {
			out.Figures = []Figure{}
		}
		r.Cells = append(r.Cells, out)
	}
	return nil
}

// channels are the mechanisms made ready for estimates, those that are one made once.
func (m *source) channels() (out []*estimate.Channel, err error) {
	made, pairs := map[*mechanism.Mechanism]*estimate.Channel{}, 0
	for _, law := range m.laws {
		if made[law] == nil {
			if pairs += law.Inputs() * law.Outputs(); pairs > MostCells {
				return nil, fault.New(fault.Input, "group values before the release, or choose --method count",
					"the mechanism has %d values and %d outputs in %s, and estimates are made for %d pairs at most", law.Inputs(),
					law.Outputs(), report.Several(int64(len(m.laws)), "group", "groups"), MostCells)
			}
			made[law] = estimate.NewChannel(law)
		}
		out = append(out, made[law])
	}
	return out, nil
}

// A cellEstimate makes the figures of one cell.
type cellEstimate struct {
	part      []*part // that have rows
	all       *estimate.Strata
	w         estimate.Whose
	level     float64
	groupings []Grouping
	lost      bool // floats cannot tell what some mechanism tells
	// what is told beside shares
	covariance bool
}

func (e *cellEstimate) fill(ctx context.Context, method string, out *Cell) error {
	for _, g := range e.groupings {
		f := Figure{Label: g.Label}
		for _, y := range g.Outputs {
			f.Published += e.all.Mean(func(i int) float64 { return e.part[i].s.Share(y) })
		}
		out.Figures = append(out.Figures, f)
	}
	if method == request.Counted {
		e.counted(out)
		return nil
	}
	for _, p := range e.part {
		var err error
		if p.l, err = p.c.Linear(p.s); err != nil {
			return err
		}
	}
	var told []int // figures that can be estimated
	for i, g := range e.groupings {
		if out.Figures[i].High = 1; e.every(func(p *part) bool { return p.c.Estimable(g.Letters) }) {
			told = append(told, i)
		}
	}
	lost, err := e.inverse(told, out)
	if err != nil {
		return err
	}
	if e.lost = lost != nil; !e.lost && told != nil {
		if err := e.beside(told, out); err != nil {
			return err
		}
	}
	if method == request.Inverse {
		return nil
	}
	unique := true
	for _, p := range e.part {
		var err error
		if p.f, err = p.l.Fit(ctx, gap, rounds); err != nil {
			return err
		}
		unique = unique && p.f.Unique
	}
	out.Gap, out.Unique = new(e.all.Mean(func(i int) float64 { return e.part[i].f.Gap })), &unique
	e.likely(out)
	return nil
}

// every reports what holds of all parts.
func (e *cellEstimate) every(is func(*part) bool) bool {
	return !slices.ContainsFunc(e.part, func(p *part) bool { return !is(p) })
}

// sums are the estimates of sets of letters, all parts together.
func (e *cellEstimate) sums(sets [][]int) (out []estimate.Unbiased, err error) {
	parts := make([][]estimate.Unbiased, len(sets)) // by set
	for i := range e.part {
		got, err := e.part[i].l.Sums(sets)
		if err != nil {
			return nil, err
		}
		for k, v := range got {
			parts[k] = append(parts[k], v)
		}
	}
	for _, p := range parts {
		out = append(out, e.all.Estimate(p))
	}
	return out, nil
}

// counted are the shares of the published column as they stand.
func (e *cellEstimate) counted(out *Cell) {
	for i := range out.Figures {
		f := &out.Figures[i]
		sd := math.Sqrt(f.Published * (1 - f.Published) / e.all.Draws())
		share := f.Published
		in := estimate.Unbiased{Share: share, Errors: [2]float64{sd, sd}}.Within(estimate.OfFile, e.level)
		f.Share, f.Error, f.Low, f.High = &share, &sd, in.Low, in.High
	}
}

// inverse fills in unbiased estimates. It returns the figures of which floats cannot tell
// whether the mechanism tells them.
func (e *cellEstimate) inverse(told []int, out *Cell) (lost []int, err error) {
	if told == nil {
		return nil, nil
	}
	got, err := e.sums(e.letters(told))
	if errors.Is(err, estimate.ErrIllConditioned) && len(told) > 1 {
		for _, i := range told {
			one, err := e.inverse([]int{i}, out)
			if err != nil {
				return nil, err
			}
			lost = append(lost, one...)
		}
		return lost, nil
	}
	if errors.Is(err, estimate.ErrIllConditioned) {
		return told, nil
	}
	if err != nil {
		return nil, err
	}
	for k, i := range told {
		f, in := &out.Figures[i], got[k].Within(e.w, e.level)
		f.Share, f.Error, f.Low, f.High = &got[k].Share, &got[k].Errors[e.w], in.Low, in.High
	}
	return nil, nil
}

// beside fills in covariances and means.
func (e *cellEstimate) beside(told []int, out *Cell) error {
	sets := e.letters(told)
	if e.covariance && len(e.part) == 1 {
		v, err := e.part[0].l.Covariance(e.w, sets)
		switch {
		case err == nil:
			for i := range sets {
				row := make([]float64, len(sets))
				for j := range row {
					row[j] = v.At(i, j)
				}
				out.Covariance = append(out.Covariance, row)
			}
		case !errors.Is(err, estimate.ErrUntold): // of what two groups have in common
			return err
		}
	}
	if e.part[0].number == nil {
		return nil
	}
	var linear []*estimate.Linear
	var numbers [][]estimate.Numbers
	for _, p := range e.part {
		linear, numbers = append(linear, p.l), append(numbers, p.number)
	}
	means, err := estimate.Means(e.w, linear, numbers, sets)
	for k, i := range told {
		if m := &means[k]; err == nil && m.Mean == m.Mean {
			out.Figures[i].Mean, out.Figures[i].MeanError = &m.Mean, &m.Error
		}
	}
	return err
}

// likely puts the most likely shares in place of unbiased ones, and widens intervals to
// hold them. A share that others as likely do not have is not told.
func (e *cellEstimate) likely(out *Cell) {
	for i, g := range e.groupings {
		to, share := &out.Figures[i], 0.0
		if to.Share == nil {
			continue
		}
		if !e.every(func(p *part) bool { return p.f.Determined(g.Letters) }) {
			*to = Figure{Label: to.Label, Published: to.Published, High: 1}
			continue
		}
		for _, x := range g.Letters {
			share += e.all.Mean(func(i int) float64 { return e.part[i].f.Share[x] })
		}
		to.Share, to.Low, to.High = &share, min(to.Low, share), max(to.High, share)
	}
}

// letters are the sets of letters of some figures.
func (e *cellEstimate) letters(which []int) (sets [][]int) {
	for _, i := range which {
		sets = append(sets, e.groupings[i].Letters)
	}
	return sets
}

// note says what a reader must know beside the figures.
func (r *Result) note(q *question, m *source, t *tally) {
	add := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	if m.internal {
		add("the mechanism comes from a plan, which encodes counts: these figures are as confidential as the plan")
	}
	if q.Method == request.Counted {
		switch {
		case m.limit == nil:
			add("a plain count shows how often values were published: its intervals cover the chance of the draws, and not " +
				"the shift of the mechanism")
		case len(q.By)+len(q.Where) > 0:
			add("the release limits how far a share of all rows is off, to %.6g %%; of a part of the rows it may be off by more",
				100**m.limit)
		default:
			add("the release limits how far a share is off, to %.6g %% of all rows, which intervals hold", 100**m.limit)
			r.widen(*m.limit)
		}
	}
	if t.nulls > 0 {
		why := "suppressed or null before, and no figure counts them"
		if m.null == "public" {
			why = "null before as well, since nulls are public; no figure counts them"
		}
		add("%s show no value: %s", report.Several(t.nulls, "row", "rows"), why)
	}
	if m.person != "" && q.Clusters != m.person {
		add("rows of one %s with the same value share a draw, so that standard errors are too small unless --clusters "+
			"names that column", m.person)
	}
	if m.held {
		add("some rows may show earlier draws or none, which the mechanism does not describe: figures leave that out")
	}
	if t.numberless > 0 {
		add("%s hold no number in %q, and no mean counts them", report.Several(t.numberless, "row", "rows"), q.Mean)
	}
	if r.Test != nil && r.Test.Small > .2 {
		add("%.0f %% of the cells of the test expect fewer than 5 rows: its chance may be off", 100*r.Test.Small)
	}
	if len(q.By)+len(q.Where) > 0 || q.Mean != "" {
		add("a column of --by, --where or --mean must have been published as it was: figures are wrong " +
			"for one that was privatized")
	}
	if q.Whose == "population" && q.Clusters != "" {
		add("rows of one %s with different values count as independent", q.Clusters)
	}
	if r.lost {
		add("floats cannot tell the mechanism from a singular one: some shares that it tells have no estimate")
	}
	if slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Gap != nil && !(*c.Gap <= gap) }) {
		add("the search for the most likely shares ended after %d rounds; the gap says how much likelier others may be",
			rounds)
	}
}

// widen adds the limit of the release to intervals of a plain count.
func (r *Result) widen(limit float64) {
	for i := range r.Cells {
		for j := range r.Cells[i].Figures {
			f := &r.Cells[i].Figures[j]
			f.Low, f.High = max(0, f.Low-limit), min(1, f.High+limit)
		}
	}
}
