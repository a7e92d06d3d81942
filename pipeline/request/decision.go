package request

import (
	"cmp"
	"math/big"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
)

// Decision is what a plan is to be: all that decides it beside the records,
// parsed once.
type Decision struct {
	Column, Null string
	Goal         design.Goal // epsilon, floor and kind of design
	Prefer       string      // what the design makes best: "utility" (default), Unchanged or Shares
	MaxShift     string      // limit of the shift as written; "" for none
	Room         *big.Rat    // by how much Goal.MaxShift is below that limit; nil for none
	Usual        Usual       // that limit, where it is the default
	SolveTime    time.Duration
	Workers      int

	Order    Order
	Prior    Prior
	Headroom Headroom
	Claim    string // of the population: the chance that it fails, as written; "" for none
	Strata   Strata
}

// Prior is what epsilon is relative to beside, or in place of, the frequencies
// of the file.
type Prior struct {
	File     string // label,probability; "" for none
	Smooth   string // Add/Per as written; "" for none
	Add, Per int64  // records added to every letter: Add/Per
	Only     bool   // it alone is held to epsilon
}

// Headroom is how far counts may drift before a plan fails.
type Headroom struct {
	Share *big.Rat // 0 for none
	Text  string   // as written
}

// Strata says which there are, how they are put together, and for whom epsilon
// holds.
type Strata struct {
	Column string // "" for none
	Shown  bool   // its column stands in the output
	Min    int64  // records below which strata are merged; 0 is for the program to say
	Only   bool   // epsilon need not hold for whoever does not know the stratum
}

// Least is the number of records below which strata are merged; 0 where they are
// published, as those cannot be merged.
func (s Strata) Least(published bool) int64 {
	switch {
	case published:
		return 0
	case s.Min > 0:
		return s.Min
	}
	return leastStratum
}

// At is the decision with another epsilon.
func (d Decision) At(e mechanism.Epsilon) *Decision {
	d.Goal.Epsilon = e
	return &d
}

// Unlimited is the decision without the limit of the shift that is the default, and why.
func (d Decision) Unlimited(why string) *Decision {
	d.Goal.MaxShift, d.Room, d.MaxShift, d.Usual.Gone = nil, nil, "", why
	return &d
}

// Limit is that of the shift, nil for none: the design keeps it less Room.
func (d *Decision) Limit() *big.Rat {
	if d.Goal.MaxShift == nil || d.Room == nil {
		return d.Goal.MaxShift
	}
	return new(big.Rat).Add(d.Goal.MaxShift, d.Room)
}

// Decision parses what the options ask of a plan.
func (o *Options) Decision() (_ *Decision, err error) {
	goal, prior := got(o.Goal())(&err), got(o.PriorRule())(&err)
	share, room := got(o.ParseHeadroom())(&err), got(o.ParseRoom(goal.MaxShift))(&err)
	if err = cmp.Or(err, o.checkConfidence()); err != nil {
		return nil, err
	}
	d := &Decision{Column: o.Column, Null: o.Null, Goal: goal, Prefer: o.Prefer,
		MaxShift: o.Limit(), Usual: o.usual(), SolveTime: o.SolveTime,
		Workers: o.Pace().Workers(), Order: o.Order(), Prior: prior,
		Strata: Strata{o.Strata, o.shows(o.Strata), o.StrataMin, o.GivenOnly},
		Claim:  o.Confidence, Room: room,
	}
	d.Headroom.Share = share
	d.Headroom.Text, _ = Rooms(o.Headroom)
	if d.Room != nil {
		d.Goal.MaxShift = new(big.Rat).Sub(d.Goal.MaxShift, d.Room)
	}
	if d.Usual.Gone != "" {
		d = d.Unlimited(d.Usual.Gone)
	}
	return d, nil
}

// PriorRule parses what the options say of the prior.
func (o *Options) PriorRule() (Prior, error) {
	p := Prior{File: o.Prior, Smooth: o.Smooth, Only: o.PriorOnly}
	if o.Smooth == "" {
		return p, nil
	}
	var err error
	p.Add, p.Per, err = o.ParseSmooth()
	return p, err
}
