package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/inspect"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:  "inspect",
		Usage: "look at a file: what could be private, and how to go on",
		Description: `Tells type, values, nulls and shares of every column, which columns could be private, which of
the others give them away, and which order would suit each, with a command to go on. It prints no value of the
file unless --show-values is given, and its figures promise nothing.`,
		Flags: flagsOf(
			&request.Option{Name: "input", Usage: "Parquet, Arrow IPC or CSV `FILE` to look at",
				Example: "visits.parquet", Need: "inspect"},
			&request.Option{Name: "column", Usage: "`NAME` of the only column to suggest a command for, and to judge the " +
				"others beside as a run does", Example: "diagnosis"},
			&request.Option{Name: "epsilon", Default: "1",
				Usage: "leakage in nats by which the others are judged beside --column"},
			&request.Option{Name: "show-values", Kind: request.Switch, Once: true,
				Usage: "show the commonest values of every column: what is printed is then as private as the file"},
			request.Find("csv-delimiter"), request.Find("csv-header"),
			&request.Option{Name: "format", Default: "text", Choices: []string{"text", "json"},
				Usage: "output format: text or json"},
		),
		Action: func(c *cli.Context) error {
			a := askedOf(c)
			var f *inspect.File
			if err := decide.Interruptible(c.Context, func() (err error) { // a record batch takes seconds
				f, err = inspect.Look(c.Context, inspect.Request{Path: a.text("input"), Column: a.text("column"),
					Epsilon: a.text("epsilon"),
					Values:  value[bool](a, "show-values"), Delimiter: a.text("csv-delimiter"), Header: a.text("csv-header")})
				return err
			}); err != nil {
				return err
			}
			if a.text("format") == "json" {
				return f.WriteJSON(c.App.Writer)
			}
			return f.WriteText(people(c))
		},
	}
}
