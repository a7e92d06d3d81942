package main

import (
	"context"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

var _ = does("finish", onData(releasing(finishShards)))

func finishShards(ctx context.Context, o pipeline.Options) ([]*report.Report, error) {
	growth.Store(15) // what is kept of files is most of the heap
	return withItsParent(pipeline.Finish)(ctx, o)
}
