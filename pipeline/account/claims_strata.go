package account

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// allMerged reports whether no stratum is told from the others: then whoever
// does not know the stratum is the only observer.
func allMerged(s *report.Strata) bool { return len(s.Groups) == 1 && s.Merged > 1 }

// knowing makes of a claim about one cell one for whoever knows the stratum.
func knowing(r *report.Report, v *claim.Value) {
	s := r.Strata
	if v.Given = s.Given(); allMerged(s) {
		v.Observer, v.Relative = claim.MissesStratum, claim.ThisFile
		return
	}
	if v.Observer = claim.KnowsStratum; s.Merged > 1 {
		v.Note = "merged strata"
	}
}

// knownFigure is the largest factor of any stratum that is told from the
// others.
func knownFigure(r *report.Report) *claim.Figure {
	s := r.Strata
	o := &s.Observed
	f := &claim.Figure{Factor: o.Known, Nats: o.KnownNats, Exact: true}
	if s.Merged < 2 {
		return f
	}
	f.Exact = false
	most := new(big.Rat)
	for _, g := range s.Groups {
		q, ok := new(big.Rat).SetString(g.Factor)
		if ok && !g.Rest && q.Cmp(most) > 0 {
			most = q
			*f = claim.Figure{Factor: g.Factor, Nats: g.Nats, Exact: true}
		}
	}
	return f
}

// unawarePromised is the promise to whoever does not know the stratum.
func unawarePromised(r *report.Report) (claim.Value, bool) {
	s := r.Strata
	if s == nil || r.Floor.Of == 0 || allMerged(s) {
		return claim.Value{}, false
	}
	v := leakageOf(r, claim.Promised)
	v.Observer, v.Relative, v.Note = claim.MissesStratum, claim.ThisFile, ""
	if v.Figure = (&claim.Figure{Times: r.Most}); s.GivenOnly {
		v.Standing, v.Figure = claim.Nothing, nil
	}
	return v, true
}

// overall is what whoever does not know the stratum is told.
func overall(r *report.Report) (claim.Value, bool) {
	s := r.Strata
	if s == nil || allMerged(s) {
		return claim.Value{}, false
	}
	v := leakageOf(r, claim.Reached)
	v.Observer, v.Relative, v.Note = claim.MissesStratum, claim.ThisFile, ""
	if s.GivenOnly {
		v.Standing = claim.Told
	}
	o := &s.Observed
	v.Figure = &claim.Figure{Factor: o.Overall, Nats: o.OverallNats, Exact: true}
	return v, true
}

// together is what stratum and output tell, where both are published.
func together(r *report.Report) (claim.Value, bool) {
	if r.Strata == nil || !r.Strata.Published {
		return claim.Value{}, false
	}
	v := leakageOf(r, claim.Told)
	o := &r.Strata.Observed
	v.Observer, v.Relative, v.Note = claim.LearnsStratum, claim.ThisFile, ""
	v.Figure = &claim.Figure{Factor: o.Together, Nats: o.TogetherNats, Exact: true}
	return v, true
}

// stratumAlone is what the stratum tells without the output.
func stratumAlone(r *report.Report) (claim.Value, bool) {
	v, ok := together(r)
	if !ok {
		return v, false
	}
	o := &r.Strata.Observed
	v.Observer, v.Figure = claim.OnlyStratum, &claim.Figure{Factor: o.Alone, Nats: o.AloneNats, Exact: true}
	return v, true
}
