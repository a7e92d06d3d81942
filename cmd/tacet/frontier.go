package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/floors"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

func frontierCommand() *cli.Command {
	return &cli.Command{
		Name:  "frontier",
		Usage: "show what every floor costs and keeps",
		UsageText: examples("frontier",
			"tacet frontier --input visits.parquet --column diagnosis --utility prefix:3",
			"tacet frontier --input visits.parquet --column diagnosis --utility prefix:3 --html frontier.html"),
		Description: "Searches every floor, the coarse shape first, for the least epsilon of the utility-safe and the " +
			"optimal design, and\n" + "prints what each keeps. Nothing is released; the figures encode counts.",
		Flags: flagsFor("frontier"),
		Action: func(c *cli.Context) error {
			o := optionsOf(c)
			var err error
			if o.Then, err = following(askedOf(c), &o); err != nil {
				return err
			}
			f, err := floors.New(c.Context, o)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			return formatted(c, f, frontierText, frontierRows)
		},
	}
}

// following are the options of the run or the design that frontier leads to, from the
// same flags, environment and job file.
func following(a *asked, o *request.Options) (*request.Options, error) {
	name := "run"
	if o.Input == "" {
		name = "design"
	}
	var flags []*parsedFlag
	for _, t := range request.For(name) {
		f := &parsedFlag{Option: t}
		if i := slices.IndexFunc(a.flags, func(of *parsedFlag) bool { return of.Name == t.Name }); i >= 0 {
			f.values = a.flags[i].values
		}
		flags = append(flags, f)
	}
	then, err := askFor(name, flags)
	if err != nil {
		return nil, err
	}
	return then.Options()
}
