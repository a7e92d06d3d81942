package account

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// allMerged reports whether no stratum is told from the others: then whoever
// does not know the stratum is the only observer.
func allMerged(s *report.Strata) bool { return len(s.Groups) == 1 && s.Merged > 1 }

// knowing makes of a claim about one cell one for whoever knows the stratum, where there
// is one to know.
func knowing(r *report.Report, v *claim.Value) {
	s := r.Strata
	switch v.Given = s.Given(); {
	case s == nil:
		return
	case allMerged(s):
		if v.Observer = claim.MissesStratum; v.Relative == claim.OwnStratum {
			v.Relative = claim.ThisFile
		}
		return
	}
	if v.Observer = claim.KnowsStratum; s.Merged > 1 {
		v.Names = []string{"merged strata"}
	}
}

// notKnowing makes of a claim one for whoever does not know the stratum.
func notKnowing(v *claim.Value) {
	if v.Observer, v.Names = claim.MissesStratum, nil; v.Relative == claim.OwnStratum {
		v.Relative = claim.ThisFile
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
	notKnowing(&v)
	if v.Figure = (&claim.Figure{Times: r.Most}); s.GivenOnly {
		v.Standing, v.Figure = claim.Nothing, nil
	}
	return v, true
}

// unawareOfFile is the same promise relative to the records, where the prior is
// something else.
func unawareOfFile(r *report.Report) (claim.Value, bool) {
	v, ok := unawarePromised(r)
	if !ok || r.Strata.Own == nil || r.Prior.Only || v.Standing == claim.Nothing {
		return v, false
	}
	relativeToRecords(r, &v)
	return v, true
}

// overall is what whoever does not know the stratum is told.
func overall(r *report.Report) (claim.Value, bool) {
	s := r.Strata
	if s == nil || allMerged(s) {
		return claim.Value{}, false
	}
	v := leakageOf(r, claim.Reached)
	notKnowing(&v)
	if s.GivenOnly {
		v.Standing = claim.Told
	}
	o := &s.Observed
	v.Figure = &claim.Figure{Factor: o.Overall, Nats: o.OverallNats, Exact: true}
	return v, true
}

// overallOwn is the same relative to the records, where the prior is something else.
func overallOwn(r *report.Report) (claim.Value, bool) {
	v, ok := overall(r)
	if !ok || r.Strata.Own == nil {
		return v, false
	}
	if relativeToRecords(r, &v); r.Prior.Only {
		v.Standing = claim.Told
	}
	o := r.Strata.Own
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
	v.Observer, v.Relative, v.Note, v.Names = claim.LearnsStratum, claim.ThisFile, "", nil
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
