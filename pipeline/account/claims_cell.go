package account

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A reading is what somebody who sees one cell is told: relative to the prior of the promise or,
// own, to the records; for whoever knows the stratum of the record, where there is one to know, or,
// unaware, does not.
type reading struct{ own, unaware bool }

// The readings.
var (
	knows, knowsOwn   = reading{}, reading{own: true}
	misses, missesOwn = reading{unaware: true}, reading{own: true, unaware: true}
)

// allMerged reports whether no stratum is told from the others: then whoever
// does not know the stratum is the only observer.
func allMerged(s *report.Strata) bool { return len(s.Groups) == 1 && s.Merged > 1 }

// claim is a claim about the leakage of one cell.
func (i reading) claim(r *report.Report, standing claim.Standing) claim.Value {
	v, s := about(standing, claim.Leakage, claim.SeesCell, claim.ThisFile, drawnOf(r)), r.Strata
	v.Column, v.Asked, v.Given = r.Column, r.Epsilon.Target, s.Given()
	known := s != nil && !i.unaware && !allMerged(s)
	if known {
		if v.Observer = claim.KnowsStratum; s.Merged > 1 {
			v.Names = []string{"merged strata"}
		}
	} else if s != nil {
		v.Observer = claim.MissesStratum
	}
	switch {
	case r.Prior.Of == "declared prior" && !i.own:
		v.Relative, v.Note = claim.Declared, r.Prior.File
	case r.Prior.Of == "this file, smoothed" && !i.own:
		v.Relative, v.Note = claim.Smoothed, r.Prior.Smooth
	case known:
		v.Relative = claim.OwnStratum
	case r.Prior.Part != nil:
		v.Relative = claim.PlanData
	}
	return v
}

// there reports whether a reading says anything beside the others: that of the records where the
// prior is another, and that of whoever does not know the stratum where somebody may.
func (i reading) there(r *report.Report) bool {
	another := r.Prior.Of == "declared prior" || r.Prior.Of == "this file, smoothed"
	return (another || !i.own) && (!i.unaware || r.Strata != nil && !allMerged(r.Strata))
}

// givenUp reports whether nothing is promised by a reading.
func (i reading) givenUp(r *report.Report) bool {
	return i.own && r.Prior.Only || i.unaware && r.Strata.GivenOnly
}

// promised is what epsilon promises by a reading.
func (i reading) promised(r *report.Report) (claim.Value, bool) {
	if !i.there(r) {
		return claim.Value{}, false
	}
	v, some := i.claim(r, claim.Promised), r.Floor.Of > 0
	if i.givenUp(r) {
		v.Standing = claim.Nothing
		return v, i == knowsOwn || i == misses && some // the last reading says no more than these
	}
	if some {
		v.Figure = &claim.Figure{Times: r.Most}
	}
	return v, some || i == knows
}

// reached is what the output tells by a reading.
func (i reading) reached(r *report.Report) (claim.Value, bool) {
	if !i.there(r) || i == knowsOwn && r.Prior.Own == "" {
		return claim.Value{}, false
	}
	v, s := i.claim(r, claim.Reached), r.Strata
	if i.givenUp(r) {
		v.Standing = claim.Told
	}
	known := v.Observer == claim.KnowsStratum
	switch {
	case i == knows && noneDrawn(r):
		v.Note = noDraw
	case i == misses:
		v.Figure = factorOf(s.Observed.Overall, s.Observed.OverallNats, true)
	case i == missesOwn:
		v.Figure = factorOf(s.Own.Overall, s.Own.OverallNats, true)
	case known && i.own: // that of merged strata may be the largest
		v.Figure = factorOf(s.Own.Known, s.Own.KnownNats, s.Merged < 2)
	case known: // its names are the strata that are not told apart
		v.Figure = knownFigure(s)
	case i.own:
		v.Figure = factorOf(r.Prior.Own, r.Prior.OwnNats, true)
	default:
		v.Figure = factorOf(r.Epsilon.Factor, r.Epsilon.Nats, true)
		if c := r.Certainty; c != nil && c.Nothing != "" {
			v.Note = c.Nothing
		}
	}
	return v, r.Floor.Of > 0 || i.unaware
}

// knownFigure is the largest factor of any stratum that is told from the
// others.
func knownFigure(s *report.Strata) *claim.Figure {
	f, most := factorOf(s.Observed.Known, s.Observed.KnownNats, s.Merged < 2), new(big.Rat)
	for _, g := range s.Groups {
		if q := fraction(g.Factor); s.Merged > 1 && !g.Rest && q.Cmp(most) > 0 {
			most, f = q, factorOf(g.Factor, g.Nats, true)
		}
	}
	return f
}

// learnt is what whoever learns the stratum is told, where it is published: by it and the output,
// or by it alone.
func learnt(observer claim.Observer) tell {
	return func(r *report.Report) (claim.Value, bool) {
		s := r.Strata
		if s == nil || !s.Published {
			return claim.Value{}, false
		}
		v := missesOwn.claim(r, claim.Told)
		v.Observer, v.Figure = observer, factorOf(s.Observed.Together, s.Observed.TogetherNats, true)
		if observer == claim.OnlyStratum {
			v.Figure = factorOf(s.Observed.Alone, s.Observed.AloneNats, true)
		}
		return v, true
	}
}
