package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

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
