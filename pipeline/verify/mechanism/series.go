package mechanism

import (
	"fmt"
	"math"
	"math/big"

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
	total, isTotal := exact.ParseTarget(s.Budget)
	for _, c := range []document.FigureClaim{s.Reserved, s.Cumulative} {
		f, ok := exact.Fraction(c.Factor)
		switch {
		case c.Label == "none":
			w.Match(c.Factor == "" && c.Nats == 0, "a figure of the series")
		case c.Label != "exact" && c.Label != "bound" || !ok || f.Cmp(exact.One) < 0:
			w.Addf("a figure of the series is none")
		default:
			w.Match(exact.Nats(c.Nats, f), "the nats of a figure of the series")
			if isTotal && !total.Admits(f) {
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
		w.Match(v.Report.Earlier() <= rows && k.Changed <= rows && k.New <= k.Records && k.Visible <= k.Records &&
			k.Vanished <= k.Records, "the count of records")
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
	w.Match(s.Published.Drawn >= 0 && s.Published.Drawn+v.Report.Earlier()-v.Report.Absent() == v.Report.Int("records"),
		"the number of rows drawn anew")
	rows, factor := map[files.Label]int64{}, map[files.Label]*big.Rat{}
	c := v.Report.Held()
	if c == nil {
		c = &document.ShownClaim{}
	} else {
		w.Match(c.Rows > 0 && s.Night > 1 && (s.OnChange == "hold" || s.Budget != ""), "that rows show earlier draws")
		checkHeld(v, &w, c, rows, factor)
	}
	for i, o := range v.Report.List("outputs") {
		l, _ := o.Label("label")
		document.Some(&w, fmt.Sprintf("outputs[%d]", i), o,
			Figures{"earlier_rows?": rows[l], "earlier_factor?": factor[l], "earlier_nats?": factor[l]})
		delete(rows, l)
	}
	if v.Plan.Null == "public" {
		delete(rows, files.Label{Null: true})
	}
	w.Match(len(rows) == 0, "the list of outputs, which lacks some that earlier draws show,")
	checkWorstHeld(v, &w, f, c)
	v.Settle(name, w, "%d rows are drawn anew, %d are not; their figures agree with each other, and with epsilon",
		s.Published.Drawn, c.Rows)
}

// checkHeld holds the rows to themselves and to epsilon.
func checkHeld(v *document.View, w *document.Faults, c *document.ShownClaim, rows map[files.Label]int64,
	factor map[files.Label]*big.Rat) {
	w.Match(c.Absent >= 0 && c.Absent <= c.Rows && c.Visible >= 0 && c.Visible <= c.Rows &&
		c.Forbidden >= 0 && c.Forbidden <= c.Rows && c.Rank >= 0 && c.Rank <= len(v.Plan.Outputs), "a count of rows held")
	sum, top := int64(0), (*big.Rat)(nil)
	for _, o := range c.Outputs {
		sum += o.Rows
		w.Match(o.Rows > 0 && rows[o.Label] == 0, "a count of rows held")
		rows[o.Label] = o.Rows
		if o.Factor == "" {
			continue
		}
		q, ok := exact.Fraction(o.Factor)
		if !ok || q.Cmp(exact.One) < 0 {
			w.Addf("what an output tells of rows held is no factor")
			continue
		}
		if factor[o.Label] = q; top == nil || q.Cmp(top) > 0 {
			top = q
		}
	}
	w.Match(sum == c.Rows, "the rows held by output")
	if top == nil {
		w.Match(c.Factor == "" && c.Nats == 0, "the factor of rows held")
		return
	}
	w.Match(c.Factor == top.RatString() && exact.Nats(c.Nats, top), "the factor of rows held")
	if t, ok := exact.ParseTarget(v.Plan.Epsilon.Target); !ok || !t.Admits(top) {
		w.Addf("rows held tell more than epsilon")
	}
}

// checkWorstHeld holds the worst rank to the worst of all rows: what is below
// the floor is not drawn anew.
func checkWorstHeld(v *document.View, w *document.Faults, f *document.Files, c *document.ShownClaim) {
	if _, ok := v.Paired(f); !ok || v.Order == nil || v.Rows == nil {
		return
	}
	stated, least, outside := c.Rank, math.MaxInt, int64(0)
	if stated == 0 {
		stated = math.MaxInt
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
	w.Match(least == stated || least >= v.Worst.Rank && stated > least, "the worst rank of a row that is not drawn anew")
	w.Match(c.Forbidden == outside, "the number of rows that the order forbids")
}
