package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/neighbours"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"

	"github.com/tacet-privacy/tacet/pipeline/count"
)

// mostNamed is how many findings a refusal names.
const mostNamed = 4

// auditBeside judges what stays beside the private column, before anything is drawn.
// It fails where that is beyond the bounds and not allowed.
func auditBeside(ctx context.Context, o request.Observed, s *count.Source, p *plan.Plan,
	a records.Alphabets) (*report.Beside, error) {
	var columns []table.Column
	for _, c := range s.File.Columns() {
		if !slices.Contains(s.Names(), c.Name) && !slices.Contains(s.Dropped, c.Name) {
			columns = append(columns, c)
		}
	}
	columns = append(columns, s.File.Keys()...) // which paths tell
	for _, name := range o.AllowLinked {
		// whose nulls may be published in clear, see jointly
		private := len(s.Names()) > 1 && slices.Contains(s.Names(), name)
		if !private && !slices.ContainsFunc(columns, func(c table.Column) bool { return c.Name == name }) {
			return nil, fault.New(fault.Usage, "name only columns that stay in the output",
				"--allow-linked names %q, which is not a published column", name)
		}
	}
	switch {
	case o.Audit == "off":
		return &report.Beside{State: account.NotAsked}, nil
	case (p.Empty() || s.Rows == 0) && len(columns) > 0:
		return &report.Beside{State: account.NoRecords}, nil
	case p.Empty() || s.Rows == 0:
		return &report.Beside{State: account.Nothing}, nil
	}
	s.Tell("judging columns", 0, s.Rows)
	asked := neighbours.Request{Private: p.Column, Columns: columns, Full: o.Audit == "full", Threads: s.Threads,
		Person: o.Person, Dialect: s.File.Dialect()}
	asked.Prior, asked.Factor, asked.Labels = neighbours.Shares(s.CountsOf(a.In)), promised(p), p.Inputs.Label
	r, err := neighbours.Measure(ctx, s.File, asked, a.In)
	if err != nil {
		return nil, s.Failed(err)
	}
	found := append(r.Judge(o.AllowLinked, o.AllowSorted), neighbours.InFiles(s, asked.Factor, o.AllowSorted)...)
	if err := refusal(s.Reading, o, r, found); err != nil {
		return nil, err
	}
	out := &report.Beside{State: account.Measured, Records: r.Rows, Of: r.Of, Blind: r.Blind,
		Looked: r.PairsJudged, Possible: r.PairsOf}
	if len(columns) == 0 {
		out.State = account.Nothing
	}
	for _, c := range r.Columns {
		out.Columns = append(out.Columns, figuresOf(p, r, c))
		if c.TellsApart {
			out.Identifiers = append(out.Identifiers, c.Names[0])
		}
	}
	for _, c := range r.Pairs {
		out.Pairs = append(out.Pairs, figuresOf(p, r, c))
	}
	if r.All != nil {
		all := figuresOf(p, r, *r.All)
		out.Together = &all
	}
	if c := r.Most(); c != nil {
		out.Largest = lift(p, *c)
	}
	place := figuresOf(p, r, r.Place)
	place.Names, out.Place = nil, &place
	seen, expected := r.Runs.Shares()
	out.Runs = &report.Runs{Equal: seen, Expected: expected}
	for _, f := range found {
		out.Found = append(out.Found, report.Finding{Names: f.Names, Allowed: f.Allowed, NotJudged: f.NotJudged,
			What: f.What})
	}
	return out, nil
}

// promised is the factor that the plan allows an output, or reaches.
func promised(p *plan.Plan) float64 {
	asked, _ := p.Epsilon.Factor().Float64()
	reached, _ := p.Factor().Float64()
	return max(1, asked, reached)
}

// Revealing is the cause of a refusal: what gives the private column away.
type Revealing struct {
	Drop   []string // without these columns no other is refused
	Places bool     // the places of the rows are refused
}

func (*Revealing) Error() string { return "what is published beside the private column reveals it" }

// refusal is the fault of the findings that are refused, nil where none is. Its
// message names some of them, its hints a set of columns without which none is.
func refusal(read request.Reading, o request.Observed, r *neighbours.Result,
	found []neighbours.Finding) error {
	allowed := o.AllowLinked
	var what, linked []string
	places := false
	for _, f := range found {
		if !f.Refused {
			continue
		}
		what = append(what, f.What)
		places = places || f.Names == nil
		for _, n := range f.Names {
			if !slices.Contains(linked, n) && !slices.Contains(allowed, n) {
				linked = append(linked, n)
			}
		}
	}
	if len(what) == 0 {
		return nil
	}
	if more := len(what) - mostNamed; more > 0 {
		what = append(what[:mostNamed], report.Several(more, "more finding",
			"more findings")+"; the hint names the columns")
	}
	var hints []string
	cause := &Revealing{Places: places}
	if len(linked) > 0 {
		drop := r.Drop(found)
		cause.Drop = drop
		leave := "--drop " + pasted(slices.Concat(read.Drop, drop))
		if read.Keep != nil {
			left := slices.DeleteFunc(slices.Clone(read.Keep), func(n string) bool { return slices.Contains(drop, n) })
			leave = "--keep " + pasted(left)
		}
		hints = append(hints, fmt.Sprintf("leave columns out with %s, or publish all of them nevertheless with "+
			"--allow-linked %s",
			leave, pasted(slices.Concat(allowed, linked))))
	}
	if places {
		hints = append(hints, neighbours.Shuffle(read.Path)+", or publish this order nevertheless with --allow sorted")
		if restores := r.Restores(); len(restores) > 0 {
			hints = append(hints, fmt.Sprintf("also give --drop %s: that column would restore the order", pasted(restores)))
		}
	}
	return &fault.Fault{Class: fault.Privacy, Hint: strings.Join(hints, "; "), Err: cause,
		What: "the output would reveal the private column: " + strings.Join(what, "; ")}
}

// pasted is a list of names as a shell takes it.
func pasted(names []string) string { return report.Shell(report.NameList(names)) }

// figuresOf is what a column tells, as the report has it.
func figuresOf(p *plan.Plan, r *neighbours.Result, c neighbours.Column) report.Told {
	v := &c.Verdict
	out := report.Told{Names: c.Names, Judged: v.Outcome != judge.NotJudged, Why: c.Why, Verdict: v.Outcome.String(),
		Held: int64(v.Held),
		Gain: v.Gain, GainMost: v.GainMost, By: v.By, Lift: lift(p, c)}
	if v.Letter >= 0 && v.Outcome >= judge.Warn {
		out.Breach = &report.Breach{Guess: p.InputLabels()[v.Letter], Chance: v.Precision,
			Allowed: min(1, r.Factor*v.Allowed), Recall: v.Recall}
	}
	if !out.Judged && out.Why == "" {
		out.Why = "it has too few rows to judge"
	}
	return out
}

// lift is the largest factor of a column, nil where held-out rows show none.
func lift(p *plan.Plan, c neighbours.Column) *report.Lift {
	l := c.Verdict.Lift
	if !(l.Factor > 1) {
		return nil
	}
	return &report.Lift{Names: c.Names, Factor: l.Factor, Chance: l.Chance, Guess: p.InputLabels()[l.Letter]}
}
