package main

import (
	"time"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A watch reports a command's end to monitoring.
type watch struct {
	metrics  string // file that is written at the end; "" for none
	began    time.Time
	released *releaseGauges // nil where nothing was published
}

// checkMetrics refuses a file that cannot be written, before anything is
// published.
func checkMetrics(o *pipeline.Options) error {
	if o.Metrics != "" {
		return checkMetricsFile(o.Metrics)
	}
	return nil
}

// releaseOf is what is said of a release with a report for each private column:
// of several, epsilon is what they tell together.
func releaseOf(all []*report.Report) *releaseGauges {
	r := all[0]
	m := &releaseGauges{rows: r.Output.Rows, epsilon: r.Epsilon.Nats}
	if r.Joint != nil {
		m.epsilon = r.Joint.Nats
	}
	if h := r.History.Series; h != nil && h.Published != nil && h.Published.Held != nil {
		m.epsilon = max(m.epsilon, h.Published.Held.Nats)
	}
	for _, one := range all {
		m.warnings += len(one.Warnings)
	}
	if s := r.History.Series; s != nil && s.Cumulative.Label != "none" {
		m.cumulative = &s.Cumulative.Nats
	}
	if p := r.Pinned; p != nil && p.State == "followed" && p.Factor != "" {
		m.room = &p.Room
	}
	return m
}

// end writes the metrics. A release that cannot be told of is a release: the
// exit code stays.
func (u *ui) end(code int) {
	w := u.watch
	if w.metrics == "" {
		return
	}
	n := runEnd{ended: time.Now(), took: time.Since(w.began), exitCode: code}
	if code == 0 {
		n.released = w.released
	}
	err := writeMetrics(w.metrics, n)
	switch {
	case err != nil && code == 0:
		u.say("the release is published, but its metrics file cannot be written: %s", fault.As(err).What)
	case err != nil && u.log != nil:
		u.say("the metrics file cannot be written: %s", fault.As(err).What)
	}
}
