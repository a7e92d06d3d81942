package main

import (
	"encoding/json"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/floors"
)

func frontierCommand() *cli.Command {
	return &cli.Command{
		Name:  "frontier",
		Usage: "show what every floor costs and keeps",
		Description: "Searches every floor, the coarse shape first, for the least epsilon of the utility-safe, the flat " +
			"and the optimal design, and\n" + "prints what each keeps. Nothing is released; the figures encode counts.",
		Flags: flagsFor("frontier"),
		Action: func(c *cli.Context) error {
			o := optionsOf(c)
			f, err := floors.New(c.Context, o)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			return frontierFormats[o.Format](c.App.Writer, f)
		},
	}
}

var frontierFormats = map[string]func(io.Writer, *floors.Frontier) error{
	"text": func(w io.Writer, f *floors.Frontier) error { return frontierText(legible{w}, f) },
	"csv":  frontierCSV,
	"json": func(w io.Writer, f *floors.Frontier) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(f)
	},
}
