package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/floors"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

var _ = does("frontier", onData(frontier))

func frontier(c *cli.Context, o pipeline.Options) (err error) {
	if o.Then, err = following(askedOf(c), &o); err != nil {
		return err
	}
	return found(floors.New, frontierText, frontierRows)(c, o)
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
