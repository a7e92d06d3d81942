package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "show a report as text, Markdown, HTML, JSON or PDF, internal or public",
		Description: `Reads a report.json and writes a view of it. The public profile leaves out every figure that depends on
the counts. With --previous it shows what differs from an earlier report.`,
		Flags: flagsOf(
			&request.Option{Name: "from", Usage: "report.json `FILE` to show, or its folder", Example: "report/report.json",
				Need: "report"},
			&request.Option{Name: "format", Default: "text", Choices: []string{"text", "md", "html", "json", "pdf"},
				Usage: "form of the view: text, md, html, json, or pdf, which needs a Chromium and --output"},
			&request.Option{Name: "paper", Default: "A4", Choices: []string{"A4", "Letter"}, Usage: "of a PDF: A4 or Letter"},
			&request.Option{Name: "chromium", Usage: "`PROGRAM` that prints a PDF; without it chromium, chromium-browser or " +
				"google-chrome"},
			&request.Option{Name: "profile", Choices: []string{"internal", "public"},
				Usage: "internal or public; without it, the profile of the file"},
			&request.Option{Name: "previous", Usage: "report.json `FILE` of an earlier release, or its folder, to compare with"},
			&request.Option{Name: "output", Usage: "`FILE` to write instead of standard output"},
			&request.Option{Name: "overwrite", Kind: request.Switch, Usage: "replace an existing file"},
		),
		Action: func(c *cli.Context) error {
			a := askedOf(c)
			q := page.Request{From: a.text("from"), Previous: a.text("previous"), Format: a.text("format"),
				Profile: a.text("profile"), Output: a.text("output"), Overwrite: value[bool](a, "overwrite")}
			if q.Format == "pdf" {
				return page.WritePDF(c.Context, q, page.Printer{Chromium: a.text("chromium"), Paper: a.text("paper")})
			}
			return page.Write(q, c.App.Writer)
		},
	}
}
