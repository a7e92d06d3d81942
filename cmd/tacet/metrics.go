package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/fault"
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

// releaseOf is what is said of a release with a report for each private column:
// of several, epsilon is what they tell together.
func releaseOf(all []*report.Report) *metrics.Release {
	r := all[0]
	m := &metrics.Release{Rows: r.Output.Rows, Epsilon: r.Epsilon.Nats}
	if r.Joint != nil {
		m.Epsilon = r.Joint.Nats
	}
	for _, one := range all {
		m.Warnings += len(one.Warnings)
	}
	if s := r.History.Series; s != nil && s.Cumulative.Label != "none" {
		m.Cumulative = &s.Cumulative.Nats
	}
	if p := r.Pinned; p != nil && p.State == "followed" && p.Factor != "" {
		m.Room = &p.Room
	}
	return m
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
	switch {
	case err != nil && code == 0:
		u.say("the release is published, its metrics are not: %s", fault.As(err).What)
	case err != nil && u.log != nil:
		u.say("the metrics are not written: %s", fault.As(err).What)
	}
}
