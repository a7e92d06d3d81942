package main

import (
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
)

func orderCommand() *cli.Command {
	return &cli.Command{
		Name:  "order",
		Usage: "check a utility order and show the nearest outputs of a value",
		Description: `Checks a utility spec and describes it. With --show VALUE it prints the ten nearest outputs of
that value. Values come from --input and --column, from --counts or --domain, or else from the spec.`,
		Flags: flagsFor("order"),
		Action: func(c *cli.Context) error {
			o := optionsOf(c)
			v, err := pipeline.ShowOrder(c.Context, o)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			w := people(c)
			fmt.Fprintf(w, "order:    %s\nutility:  %s\nvalues:   %d, outputs %d\n", o.Utility, v.Basis, v.Inputs, v.Outputs)
			fmt.Fprintf(w, "ties:     in %d rows; the lower value ranks lower\n", v.Ties)
			if v.Extra > 0 {
				fmt.Fprintf(w, "ignored:  %d values of the spec that the data do not have\n", v.Extra)
			}
			if len(v.Nearest) > 0 {
				fmt.Fprintf(w, "\n%6s  %14s  %s\n", "rank", "utility", "output")
			}
			for _, n := range v.Nearest {
				fmt.Fprintf(w, "%6d  %14s  %s\n", n.Rank, strconv.FormatFloat(n.Value, 'g', 8, 64), n.Label)
			}
			return nil
		},
	}
}
