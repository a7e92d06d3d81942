package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate/audit"
	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/kept"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// mostNamed is how many findings a refusal names.
const mostNamed = 4

// auditBeside judges what stays beside the private column, before anything is drawn.
// It fails where that is beyond the bounds and not allowed.
func auditBeside(ctx context.Context, o *options.Options, s *source.Source, p *plan.Plan, a records.Alphabets) (*report.Beside, error) {
	var columns []colfile.Column
	for _, c := range s.File.Columns() {
		if !slices.Contains(s.Names(), c.Name) && !slices.Contains(s.Drop, c.Name) {
			columns = append(columns, c)
		}
	}
	for _, name := range o.AllowLinked {
		if !slices.ContainsFunc(columns, func(c colfile.Column) bool { return c.Name == name }) {
			return nil, fault.New(fault.Usage, "name a column that stays in the output", "--allow-linked names %q, which is not published in clear", name)
		}
	}
	switch {
	case o.Audit == "off":
		return &report.Beside{State: account.NotAsked}, nil
	case p.Empty() || s.Rows == 0:
		return &report.Beside{State: account.Nothing}, nil
	}
	o.Tell("judging columns", 0, s.Rows)
	laws, given := judgedBy(p)
	r, err := kept.Measure(ctx, s.Local, kept.Request{Private: p.Column, Columns: columns, Full: o.Audit == "full", Threads: o.Threads, Strata: given}, a.In, laws...)
	if err != nil {
		return nil, s.Failed(err)
	}
	found := r.Judge(o.AllowLinked, o.AllowSorted)
	if err := refusal(o, found, r.Restores()); err != nil {
		return nil, err
	}
	out := &report.Beside{State: account.Measured, Records: r.Rows, Of: r.Of}
	if len(columns) == 0 {
		out.State = account.Nothing
	}
	for _, c := range r.Columns {
		out.Columns = append(out.Columns, told(p, c))
	}
	for _, c := range r.Pairs {
		out.Pairs = append(out.Pairs, told(p, c))
	}
	place := told(p, r.Place)
	place.Names, out.Place = nil, &place
	seen, expected := r.Runs.Shares()
	out.Runs = &report.Runs{Equal: seen, Expected: expected, Excess: r.Runs.Excess()}
	for _, f := range found {
		out.Found = append(out.Found, report.Finding{Names: f.Names, Allowed: f.Allowed, What: f.What})
	}
	return out, nil
}

// refusal is the fault of the findings that are refused, nil where none is.
func refusal(o *options.Options, found []kept.Finding, restores []string) error {
	var what, linked []string
	places := false
	for _, f := range found {
		if !f.Refused {
			continue
		}
		if what = append(what, f.What); len(what) > mostNamed {
			continue
		}
		places = places || f.Names == nil
		for _, n := range f.Names {
			if !slices.Contains(linked, n) && !slices.Contains(o.AllowLinked, n) {
				linked = append(linked, n)
			}
		}
	}
	switch more := len(what) - mostNamed; {
	case len(what) == 0:
		return nil
	case more > 0:
		what = append(what[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	var hints []string
	if len(linked) > 0 {
		hints = append(hints, fmt.Sprintf("leave out what is not needed with --drop %s, or allow it with --allow-linked %[1]s", strings.Join(linked, ",")))
	}
	if places {
		shuffle := `shuffle the rows first (duckdb -c "COPY (FROM 'in.parquet' ORDER BY random()) TO 'shuffled.parquet'"), or allow their order with --allow-sorted`
		if len(restores) > 0 {
			shuffle += fmt.Sprintf("; a shuffle counts only without %s, which would give the order back", strings.Join(restores, ", "))
		}
		hints = append(hints, shuffle)
	}
	return fault.New(fault.Privacy, strings.Join(hints, "; "), "what is published beside the column gives it away: %s", strings.Join(what, "; "))
}

// told is a column's figures as the report has them.
func told(p *plan.Plan, c kept.Column) report.Told {
	out := report.Told{Names: c.Names, Judged: c.Judged, Why: c.Why, Identifier: c.Identifier, Bins: c.Bins, Strata: c.Strata, Small: c.SmallRecords,
		Alone: c.Alone, Given: c.Given, Total: c.Total, Guess: c.GuessAlone, GuessNone: c.GuessNone, GuessBoth: c.GuessBoth,
		Certain: c.CertainAlone, Sure: c.CertainBoth, Removed: c.Removed}
	if c.Judged {
		out.Worst, out.Within = learner(p, c.Joint), learner(p, c.Worst)
	}
	return out
}

// learner names what an observer sees and guesses, nil where there is nothing.
func learner(p *plan.Plan, w audit.Worst) *report.Insight {
	if w.Letter < 0 {
		return nil
	}
	return &report.Insight{Output: p.OutputLabels()[w.Output], Guess: p.InputLabels()[w.Letter], Before: w.Prior, After: min(1, w.After), Factor: w.Factor}
}

// judgedBy are the mechanisms by which columns beside the private one are
// judged, and, where there are several, which of them redraws a row.
func judgedBy(p *plan.Plan) ([]*mechanism.Mechanism, *kept.Strata) {
	if p.Strata == nil {
		return []*mechanism.Mechanism{p.Mechanism}, nil
	}
	laws, of := p.Strata.Laws()
	if len(laws) == 1 {
		return laws, nil
	}
	return laws, &kept.Strata{Column: p.Strata.Column, Reader: source.NewGrouper(p).Reader, Law: of}
}
