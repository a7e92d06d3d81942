package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// verifyEdge tells how far this release's counts are from making a plan fail.
func verifyEdge(c *cli.Context) error {
	a := askedOf(c)
	for _, flag := range []string{"report", "input", "output", "order", "trust"} {
		if a.text(flag) != "" {
			return usagef("remove one of the two", "--counts checks a plan and cannot be combined with --%s", flag)
		}
	}
	plan, counts := a.text("plan"), a.text("counts")
	if plan == "" {
		return usagef("give --plan plan.json", "--plan is missing")
	}
	e, err := pipeline.EdgeOf(plan, counts)
	if err != nil {
		return err
	}
	if err := e.WriteText(people(c)); err != nil {
		return err
	}
	const hint = "make a new plan: tacet design, or tacet run with --redesign"
	switch {
	case len(e.Lacking) > 0:
		return &fault.Fault{Class: fault.Privacy,
			What: fmt.Sprintf("%s: %d values with records are not in the plan, first in line %d", counts, len(e.Lacking),
				e.Lacking[0]), Hint: hint}
	case !e.Holds:
		return &fault.Fault{Class: fault.Privacy,
			What: fmt.Sprintf("%s: the plan does not keep epsilon %s under these counts: its factor is above e^epsilon by "+
				"%.2g %%", counts, e.Plan.Target, -100*e.Room/(1+e.Room)), Hint: hint}
	}
	return nil
}
