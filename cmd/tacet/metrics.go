package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/metrics"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

var metricsFlag = text("metrics", "", "`FILE` for a monitoring system (OpenMetrics text), written at the end of every run, also of one that failed")

// A watch is a command whose end a monitoring system is told.
type watch struct {
	c        *cli.Context
	began    time.Time
	released *metrics.Release // nil where nothing was published
}

// checkMetrics refuses a file that cannot be written, before anything is
// published.
func checkMetrics(c *cli.Context) error {
	if path := c.String("metrics"); path != "" {
		return metrics.Check(path)
	}
	return nil
}

func releaseOf(r *report.Report) *metrics.Release {
	return &metrics.Release{Rows: r.Output.Rows, Epsilon: r.Epsilon.Nats, Warnings: len(r.Warnings)}
}

// end writes the metrics. A release that cannot be told of is a release: the
// exit code stays.
func (u *ui) end(code int) {
	w := u.watch
	if w.c == nil || lookup(w.c, "metrics") == nil || w.c.String("metrics") == "" {
		return
	}
	n := metrics.Night{Ended: time.Now(), Took: time.Since(w.began), ExitCode: code}
	if code == 0 {
		n.Released = w.released
	}
	err := metrics.Write(w.c.String("metrics"), n)
	if err != nil && (code == 0 || u.log != nil) {
		u.say("the release is published, its metrics are not: %s", pipeline.AsFault(err).What)
	}
}
