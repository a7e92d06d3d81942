package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
)

func applyCommand() *cli.Command {
	return &cli.Command{
		Name:  "apply",
		Usage: "privatize a file by an existing plan",
		Description: "Follows plan.json, with order.csv in the same folder, and decides nothing. A value that the plan " +
			"lacks ends the run.",
		Flags:  flagsFor("apply"),
		Action: releasing(pipeline.Apply),
	}
}
