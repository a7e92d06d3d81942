package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
)

func applyCommand() *cli.Command {
	return &cli.Command{
		Name:  "apply",
		Usage: "privatize a file by a plan that was made before",
		Description: "Follows plan.json (with order.csv beside it) and decides nothing. A value that the plan does not " +
			"have is refused.",
		Flags:  flagsFor("apply"),
		Action: releasing(pipeline.Apply),
	}
}
