package main

import (
	"fmt"

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

// shard follows a plan for a part of the files of a folder.
func shard(c *cli.Context, o pipeline.Options) error {
	done, err := withItsParent(pipeline.Shard)(c.Context, o)
	if err != nil {
		return err
	}
	u := uiOf(c)
	u.finish()
	if u.log != nil {
		u.log.Info("shard written", "command", "apply", "shard", o.Shard, "files", done.Files, "there", done.There)
	}
	_, err = fmt.Fprintf(people(c), "shard:    %s, %s, %d of them there before\n"+
		"next:     tacet finish, once all shards are written\n", o.Shard,
		report.Several(done.Files, "file", "files"), done.There)
	return err
}
