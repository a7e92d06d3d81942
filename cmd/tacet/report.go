package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/render"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "show a report again: as text, Markdown, HTML or JSON, internal or public",
		Description: `Reads a report.json and writes a view of it. The public profile leaves out whatever tells something of
the counts. With --previous it says what differs from an earlier report.`,
		Flags: []cli.Flag{
			text("from", "", "report.json `FILE` to show"),
			text("format", "text", "text, md, html or json"),
			text("profile", "", "internal or public; that of the file unless given"),
			text("previous", "", "report.json `FILE` of an earlier release, to compare with"),
			text("output", "", "`FILE` to write instead of standard output"),
			flag("overwrite", "replace an existing file"),
		},
		Action: func(c *cli.Context) error {
			return render.Write(render.Request{From: c.String("from"), Previous: c.String("previous"), Format: c.String("format"),
				Profile: c.String("profile"), Output: c.String("output"), Overwrite: c.Bool("overwrite")}, c.App.Writer)
		},
	}
}
