package main

import (
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
			}), []cli.Flag{claimFlag, jointFlag}, outputFlags, repeatFlags),
		Action: releasing(pipeline.Apply),
	}
}
