package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
)

var _ = does("estimate", onData(estimate))

func estimate(c *cli.Context, o pipeline.Options) error {
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
}
