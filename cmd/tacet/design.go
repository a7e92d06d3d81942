package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

func designCommand() *cli.Command {
	return onData("design", "choose a floor and a mechanism, and write the plan",
		"Makes the decisions of a run and writes them to plan.json, with order.csv in the same folder. Both "+
			"files hold counts: protect them like the data.",
		func(c *cli.Context, o pipeline.Options) error {
			var rows []report.Compared
			if people(c) != io.Discard {
				o.Compared = func(r []report.Compared) { rows = r }
			}
			p, advice, err := pipeline.Design(c.Context, o)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			if err := account.WriteSummary(people(c), p, advice); err != nil {
				return err
			}
			if err := report.WriteCompared(people(c), rows); err != nil {
				return err
			}
			_, err = fmt.Fprintf(people(c), "written:  %s\n", o.WritePlan)
			return err
		},
		"tacet design --input visits.parquet --column diagnosis --utility prefix:3 \\",
		"    --max-factor 4 --write-plan plan.json",
		"tacet design --counts counts.csv --column diagnosis --utility prefix:3 --epsilon 0.85 \\",
		"    --write-plan plan.json")
}
