package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/pipeline/fault"
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
// and writes o.Plot and o.Page where they are named.
func NewFrontier(ctx context.Context, o Options) (f *Frontier, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var path []string
	var render []func(*survey) ([]byte, error)
	add := func(to string, r func(*survey) ([]byte, error)) {
		if to != "" {
			path, render = append(path, to), append(render, r)
		}
	}
	add(o.Plot, func(v *survey) ([]byte, error) { return v.f.picture() })
	add(o.Page, func(v *survey) ([]byte, error) { return v.page(ctx) })
	w, err := o.study(ctx, path...)
	if err != nil {
		return nil, err
	}
	defer w.end(&err)
	if w.d.letters.Len() == 0 {
		return nil, fault.New(fault.Input, "there is nothing to privatize", "the column has no letters")
	}
	order, err := buildOrder(ctx, &o, w.d, w.s)
	if err != nil {
		return nil, err
	}
	if err := fitsMemory(w.d.letters.Len(), order.Outputs.Len()); err != nil {
		return nil, err
	}
	v := &survey{o: &o, d: w.d, order: order}
	if err := v.search(ctx); err != nil || len(path) == 0 {
		return v.f, err
	}
	for i, r := range render {
		data, err := r(v)
		if err != nil {
			return nil, err
		}
		if err := writeWhole(w.file[i], data); err != nil {
			return nil, err
		}
	}
	return v.f, w.set.Commit()
}
