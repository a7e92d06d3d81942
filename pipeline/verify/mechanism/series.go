package mechanism

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckSeries holds what the report says of the series and of persons to
// itself; the figures are recomputed from ledger and history, which are not
// part of a release.
func CheckSeries(v *document.View) {
	const name = "series"
	var w document.Faults
	if p := v.Report.At("person_figures"); p.Has("") {
		f, ok := p.Factor("factor")
		want := Figures{"persons": number, "with_several_rows": number, "with_several_letters": number,
			"rows_at_most": number, "factor": Rule(func(Node) bool { return ok && f.Cmp(exact.One) >= 0 }), "nats": f,
			"bound": truth}
		if v.Report.Earlier() > 0 { // of rows of one person some show earlier draws
			want["factor"], want["nats"], want["bound"] = nil, nil, nil
		} else if !ok {
			want["nats"] = number
		}
		v.Expect(&w, Figures{"person_figures": want})
		w.Match(p.Int("with_several_letters") <= p.Int("with_several_rows") &&
			p.Int("with_several_rows") <= p.Int("persons") &&
			p.Int("persons") <= v.Report.Int("records"), "the number of persons")
	}
	w.Match((v.Report.Text("randomness.kind") == "memoised" || v.Report.Has("randomness.run_id")) ==
		v.Report.Has("randomness.key_id"), "the kind of the draws")
	s := v.Report.Series
	if s == nil {
		v.Expect(&w, Figures{"history": Figures{"state": "no ledger"}})
		v.Settle(name, w, "no ledger")
		return
	}
	v.Expect(&w, Figures{"history": Figures{"state": "ledger", "series": document.Same(s)}})
	w.Match(s.Night > 0 && s.Release > 0, "the number of the release")
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
		f, ok := exact.Fraction(e.Cumulative.Factor)
		w.Match(e.Cumulative.Factor == "" && e.Cumulative.Nats == 0 || ok && exact.Nats(e.Cumulative.Nats, f),
			"the nats of a release before")
		if made := v.Report.Text("made"); made != "" && len(e.When) >= len(made) && e.When[:len(made)] > made {
			w.Addf("the report is older than a release before")
		}
	}
	if k := s.Kept; k != nil {
		rows := v.Report.Int("output.rows")
		w.Match(k.Limited <= k.Held && k.Held <= rows && k.Suppressed+k.Shown <= k.Held && k.Changed <= rows &&
			k.New <= k.Records && k.Visible <= k.Records && k.Vanished <= k.Records, "the count of records")
		before := 0.0
		for _, q := range k.Spread {
			w.Match(q.Nats >= before && q.Share > 0 && q.Share <= 1, "the spread of the figures")
			before = q.Nats
		}
		if n := len(k.Spread); n > 0 && s.Cumulative.Label == "exact" {
			w.Match(k.Spread[n-1].Nats >= s.Cumulative.Nats-1e-6 && k.Spread[n-1].Nats <= s.Cumulative.Nats+0.0011,
				"the largest of the figures")
		}
	}
	v.Settle(name, w, "release %d, night %d; figures agree with each other%s", s.Release, s.Night,
		document.Either(v.Replays, "", " (ledger, history and key recompute them)"))
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

// CheckPublished holds what the report says of rows that are not drawn anew
// to itself, to the epsilon asked for, and to input and output side by side.
// Which rows these are takes history and key.
func CheckPublished(v *document.View, f *document.Files) {
	const name = "earlier draws"
	s := v.Report.Series
	if s == nil || s.Published == nil {
		return
	}
	var w document.Faults
	p := s.Published
	w.Match(p.Drawn >= 0 && p.Drawn+v.Report.Earlier()-v.Report.Absent() == v.Report.Int("records"),
		"the number of rows drawn anew")
	rows, most := map[files.Label]int64{}, map[files.Label]*big.Rat{}
	for class, c := range p.Classes() {
		if c == nil {
			continue
		}
		w.Match(map[string]bool{"held": s.OnChange == "hold" && s.Night > 1, "repeated": s.OverBudget == "repeat",
			"suppressed": s.OverBudget == "suppress"}[class], "that rows are "+class)
		checkShown(v, &w, class, c, p.KeepEarlier, rows, most)
	}
	for i, o := range v.Report.List("outputs") {
		l, _ := o.Label("label")
		document.Some(&w, fmt.Sprintf("outputs[%d]", i), o,
			Figures{"earlier_rows?": rows[l], "earlier_factor?": most[l], "earlier_nats?": most[l]})
		delete(rows, l)
	}
	if v.Plan.Null == "public" {
		delete(rows, files.Label{Null: true})
	}
	w.Match(len(rows) == 0, "the list of outputs, which lacks some that earlier draws show,")
	checkWorstShown(v, &w, f, p)
	v.Settle(name, w, "%d rows are drawn anew, %d are not; their figures agree with each other, and with epsilon "+
		"unless they were to be kept", p.Drawn, v.Report.Earlier())
}

// checkShown holds one class to itself and to epsilon.
func checkShown(v *document.View, w *document.Faults, class string, c *document.ShownClaim, keep bool,
	rows map[files.Label]int64, most map[files.Label]*big.Rat) {
	w.Match(c.Rows > 0 && c.Absent >= 0 && c.Absent <= c.Rows && c.Visible >= 0 && c.Visible <= c.Rows &&
		c.Forbidden >= 0 && c.Forbidden <= c.Rows && c.Rank >= 0 && c.Rank <= len(v.Plan.Outputs), "a count of rows "+class)
	sum := int64(0)
	var top *big.Rat
	for _, o := range c.Outputs {
		sum += o.Rows
		rows[o.Label] += o.Rows
		w.Match(o.Rows > 0, "a count of rows "+class)
		if o.Factor == "" {
			continue
		}
		q, ok := exact.Fraction(o.Factor)
		if !ok || q.Cmp(exact.One) < 0 {
			w.Addf("what an output tells of rows %s is no factor", class)
			continue
		}
		if top == nil || q.Cmp(top) > 0 {
			top = q
		}
		if m := most[o.Label]; m == nil || q.Cmp(m) > 0 {
			most[o.Label] = q
		}
	}
	w.Match(sum == c.Rows, "the rows "+class+" by output")
	if top == nil {
		w.Match(c.Factor == "" && c.Nats == 0, "the factor of rows "+class)
	} else {
		w.Match(c.Factor == top.RatString() && exact.Nats(c.Nats, top), "the factor of rows "+class)
	}
	if keep {
		return
	}
	t, ok := exact.ParseTarget(v.Plan.Epsilon.Target)
	if top != nil && (!ok || !t.Admits(top)) || class == "suppressed" && c.Visible > 0 {
		w.Addf("rows %s tell more than epsilon, and nobody asked to keep them", class)
	}
}

// checkWorstShown holds the worst ranks to the worst of all rows: what is below
// the floor is not drawn anew.
func checkWorstShown(v *document.View, w *document.Faults, f *document.Files, p *document.PublishedClaim) {
	if _, ok := v.Paired(f); !ok || v.Order == nil || v.Rows == nil {
		return
	}
	stated, least, forbidden, outside := math.MaxInt, math.MaxInt, int64(0), int64(0)
	for _, c := range p.Classes() {
		if c != nil {
			if forbidden += c.Forbidden; c.Rank > 0 {
				stated = min(stated, c.Rank)
			}
		}
	}
	var rank []int
	at := -1
	v.Pairs.Each(func(x, y int, n int64) {
		if x != at {
			rank, at = v.Order.Ranks(x), x
		}
		least = min(least, rank[y])
		if math.IsInf(v.Order.Row(x)[y], -1) {
			outside += n
		}
	})
	if least < v.Worst.Rank {
		w.Match(least == stated, "the worst rank of a row that is not drawn anew")
	} else {
		w.Match(stated >= least, "the worst rank of a row that is not drawn anew")
	}
	w.Match(forbidden == outside, "the number of rows that the order forbids")
}
