package main

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

var _ = does("run", onData(releasing(pipeline.Run)))

// How far the release is, for the last line of a process that the runtime ends.
const (
	nothingPlaced = iota
	placing
	allPlaced
	stages
)

var stage atomic.Int32

// releasing runs a job that publishes a file and prints what its report says
// first.
func releasing(release job[[]*report.Report]) func(*cli.Context, pipeline.Options) error {
	return func(c *cli.Context, o pipeline.Options) error {
		var rows []report.Compared
		if people(c) != io.Discard && len(o.Columns) == 0 { // several columns would fill more than a screen
			o.Compared = func(r []report.Compared) { rows = r }
		}
		r, err := release(c.Context, o)
		if err != nil {
			return err
		}
		u := uiOf(c)
		stage.Store(allPlaced)
		u.published = true
		u.finish()
		for _, one := range r {
			u.released(one)
		}
		if err := told(people(c), &o, r, rows); err != nil {
			return afterRelease(err)
		}
		return nil
	}
}

// told prints what the reports say first, and where the page of all is.
func told(w io.Writer, o *pipeline.Options, r []*report.Report, limits []report.Compared) error {
	if err := page.Summary(w, r); err != nil {
		return err
	}
	if err := report.WriteCompared(w, limits); err != nil {
		return err
	}
	if empty := r[0].Input.Empty; len(empty) > 0 {
		fmt.Fprintf(w, "left out: %s of 0 bytes, the first %s\n", report.Several(len(empty), "file", "files"),
			report.Shell(empty[0]))
	}
	_, err := fmt.Fprintf(w, "written:  %s\nreport:   %s\n", store.Plain(o.Output),
		store.Plain(store.In(o.Report, "report.html")))
	return err
}
