package main

import (
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/survey"
)

func frontierCommand() *cli.Command {
	return &cli.Command{
		Name:        "frontier",
		Usage:       "what every floor costs and keeps",
		Description: "Searches every floor, the coarse shape first, for the least epsilon of the utility-safe, the flat and the optimal design, and\n" + "prints what each keeps. Nothing is released; the figures encode counts.",
		Flags: slices.Concat(inputFlags, []cli.Flag{countsFlag}, orderFlags, []cli.Flag{
			text("floor-by", "rank", "floors by rank or value"),
			number("floors", "about how many floors to look at, spread; 0 means all"),
			preferFlag,
			&cli.DurationFlag{Name: "solve-time", Value: time.Minute, Usage: "longest time to search; what was proven by then is shown", EnvVars: env("solve-time")},
			text("format", "text", "text, json or csv"),
			text("plot", "", "SVG `FILE` to draw"),
			text("html", "", "HTML `FILE` to write: a page to choose on, that works offline"),
			flag("overwrite", "replace an existing file"),
		}),
		Action: func(c *cli.Context) error {
			write, ok := frontierFormats[c.String("format")]
			if !ok {
				return usagef("choose text, json or csv", "--format has the unknown value %q", c.String("format"))
			}
			o, err := optionsOf(c)
			if err != nil {
				return err
			}
			f, err := survey.New(c.Context, o)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			return write(c.App.Writer, f)
		},
	}
}

var frontierFormats = map[string]func(io.Writer, *survey.Frontier) error{
	"text": frontierText,
	"csv":  frontierCSV,
	"json": func(w io.Writer, f *survey.Frontier) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(f)
	},
}
