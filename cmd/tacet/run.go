package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/page"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "privatize a column: estimate, design, redraw, check, report",
		Description: `Reads a Parquet or Arrow IPC file, redraws every record of one column from the best mechanism that
stays within epsilon, and writes the file again with a report of what it leaks.`,
		Flags:  slices.Concat(inputFlags, orderFlags, goalFlags, priorFlags, outputFlags, repeatFlags),
		Action: releasing(pipeline.Run),
	}
}

// releasing runs a job that publishes a file and prints what its report says
// first.
func releasing(job func(context.Context, pipeline.Options) (*report.Report, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		o, err := optionsOf(c)
		if err != nil {
			return err
		}
		if err := checkMetrics(c); err != nil {
			return err
		}
		r, err := job(c.Context, o)
		if err != nil {
			return err
		}
		u := uiOf(c)
		u.watch.released = releaseOf(r)
		u.finish()
		u.released(r)
		err = page.Summary(c.App.Writer, r)
		if err == nil {
			_, err = fmt.Fprintf(c.App.Writer, "written:  %s\nreport:   %s\n", o.Output, filepath.Join(o.Report, "report.txt"))
		}
		if err != nil {
			return afterRelease(err)
		}
		return nil
	}
}
