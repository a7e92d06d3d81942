package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/floors"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

func frontierCommand() *cli.Command {
	return onData("frontier", "show what every floor costs and keeps",
		"Searches every floor, the coarse shape first, for the least epsilon of the utility-safe and the "+
			"optimal design, and\nprints what each keeps. Nothing is released; the figures encode counts.",
		func(c *cli.Context, o pipeline.Options) (err error) {
			if o.Then, err = following(askedOf(c), &o); err != nil {
				return err
			}
			return found(floors.New, frontierText, frontierRows)(c, o)
		},
		"tacet frontier --input visits.parquet --column diagnosis --utility prefix:3",
		"tacet frontier --input visits.parquet --column diagnosis --utility prefix:3 --html frontier.html")
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
