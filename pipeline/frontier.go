package pipeline

import (
	"context"
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A Frontier is what every floor costs and keeps. It encodes counts.
type Frontier struct {
	Column  string          `json:"column,omitempty"`
	Unit    string          `json:"unit,omitempty"` // of utilities
	By      string          `json:"floors_by"`      // "rank" or "value"
	Of      int             `json:"of"`             // M
	Guess   float64         `json:"guess"`          // chance that the best guess of a letter is right without any output
	Sampled bool            `json:"sampled"`        // not every distinct utility is a point
	Stopped bool            `json:"stopped"`        // time ended the search before everything was searched
	Large   bool            `json:"too_large"`      // for the search of flat and optimal mechanisms
	Points  []FrontierPoint `json:"points"`         // the worst floor first

	// Steepest is about the floor with the largest step in the least epsilon
	// from the point before; nil where no floor costs anything.
	Steepest *Advice `json:"steepest,omitempty"`
}

// A FrontierPoint is one floor. Its candidates are each the cheapest of their
// kind at this floor or a better one.
type FrontierPoint struct {
	Rank  int     `json:"rank,omitempty"` // the floor, 1 to M; 0 where floors are values
	Value float64 `json:"value"`          // the floor, or the worst value at rank
	Words string  `json:"in_words"`       // what the floor promises
	Least int     `json:"allowed"`        // outputs per record
	Most  int     `json:"allowed_most"`
	Here  string  `json:"safe_here"` // factor of the utility-safe mechanism of this very floor, not monotone

	Lower string  `json:"lower_factor"` // the least factor of any mechanism is between these
	Upper string  `json:"upper_factor"`
	From  float64 `json:"lower_nats"` // rounded down
	To    float64 `json:"upper_nats"` // rounded up
	Open  bool    `json:"open"`       // they are more than a relative 1e-9 apart

	Safe    *FrontierDesign `json:"safe"`
	Flat    *FrontierDesign `json:"flat"`    // null where none is known
	Optimal *FrontierDesign `json:"optimal"` // of largest utility at 1.0001 times the least factor known
}

// A FrontierDesign is one mechanism, measured.
type FrontierDesign struct {
	At          float64 `json:"at"`     // the floor it was designed for
	Factor      string  `json:"factor"` // e^epsilon, "p/q"
	Nats        float64 `json:"nats"`   // rounded up
	WorstRank   int     `json:"worst_rank"`
	Worst       float64 `json:"worst"`
	Expected    float64 `json:"expected"`    // mean utility
	Information float64 `json:"information"` // mutual information, in nats
	Guess       float64 `json:"guess"`       // chance that the best guess is right after the output is seen
}

// NewFrontier searches the floors within o.SolveTime, the coarse shape first,
// and draws o.Plot if it is named.
func NewFrontier(ctx context.Context, o Options) (f *Frontier, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s, d, err := o.letters(ctx)
	if err != nil {
		return nil, err
	}
	set, err := openSet(s)
	if err != nil {
		return nil, err
	}
	if s != nil {
		defer s.close()
	}
	defer abort(set, &err)
	var plot *publish.File
	if o.Plot != "" {
		if plot, err = set.Add(publish.Target{Path: o.Plot, Overwrite: o.Overwrite, Private: true}); err != nil {
			return nil, err
		}
	}
	if d.letters.Len() == 0 {
		return nil, faultf(Input, "there is nothing to privatize", "the column has no letters")
	}
	order, err := buildOrder(ctx, &o, d, s)
	if err != nil {
		return nil, err
	}
	if err := fitsMemory(d.letters.Len(), order.Outputs.Len()); err != nil {
		return nil, err
	}
	if f, err = searchFrontier(ctx, &o, d, order); err != nil || plot == nil {
		return f, err
	}
	picture, err := f.picture()
	if err != nil {
		return nil, err
	}
	return f, errors.Join(writeWhole(plot, picture), set.Commit())
}

func searchFrontier(ctx context.Context, o *Options, d *domain, order *utility.Result) (*Frontier, error) {
	solve, cancel := o.solving(ctx)
	defer cancel()
	curves, err := mechanism.Frontiers(solve, d.prior, order.Order, mechanism.FrontierOptions{
		ByValue: o.FloorBy == "value", Floors: o.Floors, Workers: o.Threads, Bytes: memory() / 2, Weights: o.weights(d.letters, order.Outputs)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, explain(err, d, order, mechanism.Goal{})
	}
	f := &Frontier{Column: o.Column, Unit: order.Unit, By: "rank", Of: order.Outputs.Len(), Guess: curves.Guess, Sampled: curves.Sampled, Stopped: curves.Stopped, Large: curves.Large}
	if o.FloorBy == "value" {
		f.By = "value"
	}
	for i := range curves.Points {
		f.Points = append(f.Points, newPoint(&curves.Points[i], order))
	}
	return f, f.advise(solve, curves, d, order)
}

func newPoint(q *mechanism.CurvePoint, order *utility.Result) FrontierPoint {
	p := FrontierPoint{Rank: q.Floor.Rank, Value: q.Floor.Value, Least: q.Least, Most: q.Most, Here: q.Here.RatString(),
		Lower: q.Lower.RatString(), Upper: q.Upper.RatString(), From: 0 - mechanism.Nats(new(big.Rat).Inv(q.Lower)), To: mechanism.Nats(q.Upper), Open: q.Open(),
		Safe: newDesign(&q.Safe), Flat: newDesign(&q.Flat), Optimal: newDesign(&q.Optimal)}
	if !q.Floor.ByValue {
		p.Value = q.WorstValue
	}
	p.Words = order.Describe(p.Value)
	return p
}

func newDesign(c *mechanism.Candidate) *FrontierDesign {
	if c.Factor == nil {
		return nil
	}
	d := &FrontierDesign{At: float64(c.At.Rank), Factor: c.Factor.RatString(), Nats: mechanism.Nats(c.Factor),
		WorstRank: c.WorstRank, Worst: c.WorstValue, Expected: c.ExpectedUtility, Information: c.Information, Guess: c.Guess}
	if c.At.ByValue {
		d.At = c.At.Value
	}
	return d
}

// advise looks at the steepest step of the least epsilon.
func (f *Frontier) advise(ctx context.Context, curves *mechanism.Curves, d *domain, order *utility.Result) error {
	at, most := -1, 0.0
	for i := 1; i < len(f.Points); i++ {
		if step := f.Points[i].To - f.Points[i-1].To; step > most && !f.Points[i].Open {
			at, most = i, step
		}
	}
	if at < 0 || f.Large {
		return nil
	}
	a, err := curves.Advise(ctx, d.prior, order.Order, at, mechanism.LeastOptions{})
	if err != nil {
		return err
	}
	f.Steepest = newAdvice(a, d.letters)
	return nil
}
