package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
)

func applyCommand() *cli.Command {
	return &cli.Command{
		Name:        "apply",
		Usage:       "privatize a file by a plan that was made before",
		Description: "Follows plan.json (with order.csv beside it) and decides nothing. A value that the plan does not have is refused.",
		Flags: slices.Concat([]cli.Flag{text("plan", "", "plan `FILE` that tacet design wrote")},
			slices.DeleteFunc(slices.Clone(inputFlags), func(f cli.Flag) bool {
				return slices.Contains([]string{"column", "domain", "null", "allow-identifier"}, f.Names()[0])
			}), outputFlags),
		Action: func(c *cli.Context) error {
			o, err := optionsOf(c)
			if err != nil {
				return err
			}
			r, err := pipeline.Apply(contextOf(c), o)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			if err := r.WriteSummary(c.App.Writer); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "written:  %s\nreport:   %s\n", o.Output, reportText(o))
			return err
		},
	}
}

func reportText(o pipeline.Options) string { return filepath.Join(o.Report, "report.txt") }
