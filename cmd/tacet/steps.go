package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// The steps of a release, one by one: estimate, design, apply, and finish where apply was in shards.

var _ = does("estimate", onData(estimate))

func estimate(c *cli.Context, o pipeline.Options) error {
	count := pipeline.Estimate
	if o.Shard != "" {
		count = withItsParent(count)
	}
	n, err := count(c.Context, o)
	if err != nil {
		return err
	}
	uiOf(c).finish()
	_, err = fmt.Fprintf(people(c), "%d records, %d values\nwritten:  %s\n", n.Total(), n.Letters(), o.WriteCounts)
	return err
}

var _ = does("design", onData(design))

func design(c *cli.Context, o pipeline.Options) error {
	var rows []report.Compared
	if people(c) != io.Discard {
		o.Compared = func(r []report.Compared) { rows = r }
	}
	p, advice, err := pipeline.Design(c.Context, o)
	if err != nil {
		return err
	}
	uiOf(c).finish()
	if err := account.WriteSummary(people(c), p, advice); err != nil {
		return err
	}
	if err := report.WriteCompared(people(c), rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(people(c), "written:  %s\n", o.WritePlan)
	return err
}

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

var _ = does("finish", onData(releasing(finishShards)))

func finishShards(ctx context.Context, o pipeline.Options) ([]*report.Report, error) {
	growth.Store(15) // what is kept of files is most of the heap
	return withItsParent(pipeline.Finish)(ctx, o)
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
