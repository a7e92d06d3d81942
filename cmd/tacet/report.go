package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "show a report as text, HTML or JSON, internal or public",
		Description: `Reads a report.json and writes a view of it. The public profile leaves out every figure that depends on
the counts.`,
		Flags: flagsOf(
			&request.Option{Name: "from", Usage: "report.json `FILE` to show, or its folder", Example: "report/report.json",
				Need: "report"},
			&request.Option{Name: "format", Default: "text", Choices: page.Formats(),
				Usage: "form of the view: text, html, which any browser prints, or json"},
			&request.Option{Name: "profile", Choices: []string{"internal", "public"},
				Usage: "internal or public; without it, the profile of the file"},
			&request.Option{Name: "output", Usage: "`FILE` to write instead of standard output"},
			&request.Option{Name: "overwrite", Kind: request.Switch, Usage: "replace an existing file"},
		),
		Action: func(c *cli.Context) error {
			a := askedOf(c)
			q := page.Request{From: a.text("from"), Format: a.text("format"), Profile: a.text("profile"),
				Output: a.text("output"), Overwrite: value[bool](a, "overwrite")}
			return page.Write(q, c.App.Writer)
		},
	}
}
