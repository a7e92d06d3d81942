package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
)

func estimateCommand() *cli.Command {
	return &cli.Command{
		Name:        "estimate",
		Usage:       "count the letters of a column",
		Description: "Writes label,count to a file that only its owner may read. Counts of shards may be added up before the design.",
		Flags:       slices.Concat(inputFlags, []cli.Flag{text("counts", "", "counts `FILE` to write"), overwriteFlag}),
		Action: func(c *cli.Context) error {
			o, err := optionsOf(c)
			if err != nil {
				return err
			}
			to := o.Counts
			o.Counts = ""
			n, err := pipeline.Estimate(c.Context, o, to)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			_, err = fmt.Fprintf(c.App.Writer, "%d records, %d letters\nwritten:  %s\n", n.Total(), n.Letters(), to)
			return err
		},
	}
}
