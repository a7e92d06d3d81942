package main

import (
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

const logFormat = "log-format"

// newLog writes a JSON object a line; nil writes text.
func newLog(to io.Writer, format string) *slog.Logger {
	if format != "json" {
		return nil
	}
	return slog.New(slog.NewJSONHandler(to, nil))
}

// earlyFormat looks for the format before the flags are parsed, so that faults
// in them have it.
func earlyFormat(args []string) string {
	format := os.Getenv(request.Find(logFormat).Environment())
	for i, a := range args {
		name, value, inline := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		switch {
		case name != logFormat || !strings.HasPrefix(a, "-"):
		case inline:
			format = value
		case i+1 < len(args):
			format = args[i+1]
		}
	}
	return format
}

// logAs takes the format from flags, environment and job file.
func (u *ui) logAs(a *asked) {
	u.log = newLog(u.err, a.text(logFormat))
}

// released logs what was published. Warnings may name outputs, so that they are
// counted only.
func (u *ui) released(r *report.Report) {
	if u.log == nil {
		return
	}
	all := []any{"command", r.Command, "output", oneLine(r.Output.Path), "output_sha256", r.Output.SHA256,
		"plan_sha256", r.Plan.Plan, "rows", r.Output.Rows, "epsilon_nats", r.Epsilon.Nats, "warnings", len(r.Warnings)}
	if s := r.History.Series; s != nil && s.Cumulative.Label != "none" {
		all = append(all, "cumulative_nats", s.Cumulative.Nats)
	}
	if p := r.Pinned; p.Followed() && p.Factor != "" {
		all = append(all, "room", p.Room)
	}
	u.log.Info("published", all...)
}
