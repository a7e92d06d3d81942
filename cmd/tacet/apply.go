package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

var _ = does("apply", onData(apply))

func apply(c *cli.Context, o pipeline.Options) error {
	switch {
	case o.Streams():
		return stream(c, o)
	case o.Shard != "":
		return shard(c, o)
	}
	return releasing(pipeline.Apply)(c, o)
}

// stream follows a plan from standard input to standard output, where nothing else is
// written.
func stream(c *cli.Context, o pipeline.Options) error {
	if _, screen := uiOf(c).out.(legible); screen {
		return usagef("send it to a program or a file", "--output - is a terminal, which cannot show an Arrow stream")
	}
	u := uiOf(c)
	u.streams = true
	done, err := pipeline.Stream(c.Context, o, c.App.Reader, c.App.Writer)
	if err != nil {
		return err
	}
	switch {
	case u.log != nil:
		u.log.Info("streamed", "command", "apply", "plan_sha256", done.Plan, "rows", done.Rows)
	case !u.quiet:
		u.say("column %q of %s redrawn; the plan says nothing of the other columns of a stream", done.Column,
			report.Several(int(done.Rows), "row", "rows"))
	}
	return nil
}
