package pipeline

import (
	"fmt"
	"io"
	"math/big"
	"text/tabwriter"

	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// An Edge is where other counts stand beside a plan.
type Edge struct {
	Plan    *plan.Plan
	Factor  *big.Rat // of the plan under these counts; nil where they hold values that it lacks
	Records int64    // of these counts
	Lacking []int    // lines of values with records that the plan lacks
	Holds   bool     // the plan can be followed
	Room    float64  // e^epsilon / Factor - 1
}

// EdgeOf measures how far the counts of a file are from making a plan fail.
func EdgeOf(path, counts string) (*Edge, error) {
	p, err := decide.LoadPlan(path)
	if err != nil {
		return nil, err
	}
	if p.Given.Column != "" {
		return nil, fault.New(fault.Input, "run it: it stops where a stratum is beyond the edge",
			"%s holds for strata of another column, whose edges are not computed here", path)
	}
	given, lacking, err := count.CountsFor(counts, p)
	if err != nil {
		return nil, err
	}
	e := &Edge{Plan: p, Lacking: lacking}
	for _, c := range given {
		e.Records += c
	}
	if len(lacking) > 0 || p.Empty() {
		return e, nil
	}
	under, err := decide.Under(p, [][]int64{given})
	if err != nil {
		return nil, err
	}
	at := edge(under)
	e.Factor, e.Holds = at.Factor, at.Holds || e.declared()
	e.Room, _ = at.Room.Float64()
	return e, nil
}

// declared reports whether a declared prior alone is held to epsilon: no counts move it.
func (e *Edge) declared() bool { return e.Plan.Of == plan.Declared && e.Plan.PriorOnly }

// WriteText prints the edge.
func (e *Edge) WriteText(w io.Writer) error {
	shown := func(f *big.Rat) string {
		text := f.RatString()
		if len(text) > 24 {
			text = report.FactorUp(f)
		}
		return fmt.Sprintf("%s nats (factor %s)", report.Nats(f), text)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "epsilon of the plan\t%s\n", e.Plan.Target)
	if !e.Plan.Empty() {
		fmt.Fprintf(t, "reached by its counts\t%s\n", shown(edge(e.Plan).Factor))
	}
	switch {
	case len(e.Lacking) > 0:
		fmt.Fprintf(t, "this release\t%d values with records are not in the plan\n", len(e.Lacking))
	case e.declared():
		fmt.Fprintf(t, "this release\tthe prior was declared: no counts move epsilon\n")
	case e.Factor != nil:
		fmt.Fprintf(t, "this release\t%s, %d records\n", shown(e.Factor), e.Records)
		fmt.Fprintf(t, "room left\t%.2f %% of the factor\n", 100*e.Room)
	}
	if h := e.Plan.Headroom; h != nil {
		fmt.Fprintf(t, "headroom of the design\t%s\n", h.RatString())
	}
	return t.Flush()
}
