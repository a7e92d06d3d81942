package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/inspect"
)

var _ = does("inspect", inspectFile)

func inspectFile(c *cli.Context) error {
	a := askedOf(c)
	var f *inspect.File
	if err := decide.Interruptible(c.Context, func() (err error) { // a record batch takes seconds
		f, err = inspect.Look(c.Context, inspect.Request{Path: a.text("input"), Column: a.text("column"),
			Epsilon: a.text("epsilon"), Values: value[bool](a, "show-values"), Delimiter: a.text("csv-delimiter"),
			Header: a.text("csv-header")})
		return err
	}); err != nil {
		return err
	}
	if a.text("format") == "json" {
		return f.WriteJSON(c.App.Writer)
	}
	return f.WriteText(people(c))
}
