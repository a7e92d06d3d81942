package figures

import (
	"math"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckSeries holds what the report says of the series and of persons to
// itself; the figures are recomputed from ledger and history, which are not
// part of a release.
func CheckSeries(v *subject.View) {
	const name = "series"
	var w verdict.Faults
	if p := v.Report.Persons; p != nil {
		f, ok := exact.Fraction(p.Factor)
		w.Match(ok && f.Cmp(exact.One) >= 0 && exact.Nats(p.Nats, f), "what rows of one person tell together")
		w.Match(p.Mixed <= p.Several && p.Several <= p.Persons && p.Persons <= v.Report.Records, "the number of persons")
	}
	w.Match((v.Report.Randomness.Kind == "memoised") == (v.Report.Randomness.KeyID != ""), "the kind of the draws")
	if m := v.Report.History.Moved; m != nil {
		w.Match(m.Both+m.Vanished == m.Rows && m.Both+m.New == v.Report.Input.Rows && m.Changed >= 0 && m.Changed <= m.Both && min(m.New, m.Vanished) >= 0, "what differs from the input before")
	}
	s := v.Report.History.Series
	if s == nil {
		w.Match(v.Report.History.State == "no ledger", "the state of the history")
		v.Settle(name, w, "no ledger")
		return
	}
	w.Match(v.Report.History.State == "ledger" && s.Night > 0 && s.Release > 0, "the state of the history")
	total, isTotal := budgetOf(s.Budget)
	for _, c := range []document.FigureClaim{s.Reserved, s.Cumulative} {
		f, ok := exact.Fraction(c.Factor)
		switch {
		case c.Label == "none":
			w.Match(c.Factor == "" && c.Nats == 0, "a figure of the series")
		case c.Label != "exact" && c.Label != "bound" || !ok || f.Cmp(exact.One) < 0:
			w.Addf("a figure of the series is none")
		default:
			w.Match(exact.Nats(c.Nats, f), "the nats of a figure of the series")
			if isTotal && c.Nats > total*(1+1e-12)+1e-12 {
				w.Addf("a figure of the series is beyond its total")
			}
		}
	}
	reserved, ok := exact.Fraction(s.Reserved.Factor)
	reached, ok2 := exact.Fraction(s.Cumulative.Factor)
	if ok && ok2 && reached.Cmp(reserved) > 0 {
		w.Addf("more was reached than was reserved")
	}
	last := 0
	for _, e := range s.Earlier {
		w.Match(e.Night > last && e.Night != s.Night, "the order of the releases before")
		last = e.Night
	}
	if k := s.Kept; k != nil {
		rows := v.Report.Output.Rows
		w.Match(k.Limited <= k.Held && k.Held <= rows && k.Suppressed <= k.Held && k.Changed <= rows && k.New <= k.Records && k.Visible <= k.Records && k.Vanished <= k.Records, "the count of records")
		before := 0.0
		for _, q := range k.Spread {
			w.Match(q.Nats >= before && q.Share > 0 && q.Share <= 1, "the spread of the figures")
			before = q.Nats
		}
		if n := len(k.Spread); n > 0 && s.Cumulative.Label == "exact" {
			w.Match(k.Spread[n-1].Nats >= s.Cumulative.Nats-1e-6 && k.Spread[n-1].Nats <= s.Cumulative.Nats+0.0011, "the largest of the figures")
		}
	}
	v.Settle(name, w, "release %d, night %d; figures agree with each other%s", s.Release, s.Night,
		verdict.Either(v.Replays, "", " (ledger, history and key recompute them)"))
}

// budgetOf reads a total in nats.
func budgetOf(text string) (nats float64, ok bool) {
	if inner, cut := strings.CutPrefix(text, "log("); cut {
		f, ok := exact.Fraction(strings.TrimSuffix(inner, ")"))
		if !ok || f.Sign() <= 0 {
			return 0, false
		}
		v, _ := f.Float64()
		return math.Log(v), true
	}
	nats, err := strconv.ParseFloat(text, 64)
	return nats, err == nil
}
