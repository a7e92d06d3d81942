package pipeline

import (
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Frontier is what every floor costs and keeps.
type Frontier struct {
	Column string          `json:"column,omitempty"`
	Unit   string          `json:"unit,omitempty"` // of utilities
	Of     int             `json:"of"`             // M
	Points []FrontierPoint `json:"points"`
}

// A FrontierPoint is one floor under the utility-safe design.
type FrontierPoint struct {
	Rank     int     `json:"rank"`    // the floor, 1 to M
	Least    int     `json:"allowed"` // outputs per record
	Most     int     `json:"allowed_most"`
	Factor   string  `json:"factor"` // e^epsilon at this floor, "p/q"
	Nats     float64 `json:"nats"`   // rounded up
	Cost     string  `json:"cost"`   // least factor of this and all better floors, "p/q"
	CostNats float64 `json:"cost_nats"`
	Worst    float64 `json:"worst"`
	Expected float64 `json:"expected"`
	Words    string  `json:"in_words"` // what the floor promises
}

// NewFrontier scans every rank floor: leakage is not monotone in the floor,
// so none may be skipped.
func NewFrontier(ctx context.Context, o Options) (*Frontier, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s, d, err := o.letters(ctx)
	if err != nil {
		return nil, err
	}
	if s != nil {
		defer s.close()
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
	points, err := mechanism.Frontier(d.prior, order.Order)
	if err != nil {
		return nil, explain(err, d, order, mechanism.Goal{})
	}
	f := &Frontier{Column: o.Column, Unit: order.Unit, Of: order.Outputs.Len()}
	text := texts{}
	for _, p := range points {
		f.Points = append(f.Points, FrontierPoint{Rank: p.Floor.Rank, Least: p.Least, Most: p.Most,
			Factor: text.of(p.Factor), Nats: mechanism.Nats(p.Factor), Cost: text.of(p.Cost), CostNats: mechanism.Nats(p.Cost),
			Worst: p.WorstValue, Expected: p.ExpectedUtility, Words: order.Describe(p.WorstValue)})
	}
	return f, nil
}

// texts remembers the text of fractions that many floors share.
type texts map[*big.Rat]string

func (t texts) of(r *big.Rat) string {
	if _, ok := t[r]; !ok {
		t[r] = r.RatString()
	}
	return t[r]
}
