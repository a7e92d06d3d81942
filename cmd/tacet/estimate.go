package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
)

func estimateCommand() *cli.Command {
	return onData("estimate", "count the values of a column",
		"Writes the records of every value to a file that only its owner may read; with --strata, those of "+
			"every group. tacet design --counts a.csv,b.csv adds the counts of parts of the data up.",
		func(c *cli.Context, o pipeline.Options) error {
			count := pipeline.Estimate
			if o.Shard != "" {
				count = withItsParent(count)
			}
			n, err := count(c.Context, o)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			_, err = fmt.Fprintf(people(c), "%d records, %d values\nwritten:  %s\n", n.Total(), n.Letters(), o.WriteCounts)
			return err
		})
}
