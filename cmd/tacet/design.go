package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

var _ = does("design", onData(design))

func design(c *cli.Context, o pipeline.Options) error {
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
}
