package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/io/publish"
)

// A runEnd is how a run ended.
type runEnd struct {
	ended    time.Time
	took     time.Duration
	exitCode int
	released *releaseGauges // nil where nothing was published
}

// A releaseGauges is what is said of a run that published.
type releaseGauges struct {
	rows       int64
	epsilon    float64  // nats, of this release alone
	cumulative *float64 // nats, of all releases of the series; nil where nothing counts them
	room       *float64 // of the pinned plan: e^epsilon / this release's factor - 1; nil without one
	warnings   int
}

// metricsHead is what a file begins with.
const metricsHead = "# TYPE tacet_last_run_timestamp_seconds gauge\n"

// lastSuccessMetric survives a run that failed.
const lastSuccessMetric = "tacet_last_success_timestamp_seconds"

// A gauge is one metric; unit is the end of its name, "" for none.
type gauge struct {
	name, unit, help string
	value            float64
}

// checkMetricsFile reports, before a run, whether path can be written.
func checkMetricsFile(path string) error {
	if err := publish.InFolder(path); err != nil {
		return err
	}
	if err := publish.Check(path, true); err != nil {
		return err
	}
	return ourMetrics(path)
}

// writeMetrics puts the file in place at once, so that no reader sees half of it. A
// run that failed keeps the time of the last success and has no figures.
func writeMetrics(path string, n runEnd) (err error) {
	if err := checkMetricsFile(path); err != nil {
		return err
	}
	last := float64(n.ended.Unix())
	if n.released == nil {
		if last, err = lastSuccess(path); err != nil {
			return err
		}
	}
	return publish.Put(publish.Target{Path: path, Overwrite: true}, n.text(path, last))
}

// text is the file; last is the time of the last success, 0 for none.
func (n runEnd) text(path string, last float64) []byte {
	all := []gauge{
		{"tacet_last_run_timestamp_seconds", "seconds", "When the last run ended.", float64(n.ended.Unix())},
		{"tacet_last_run_duration_seconds", "seconds", "How long the last run took.", n.took.Seconds()},
		{"tacet_last_exit_code", "", "Exit code of the last run; 6 means published, do not run again.", float64(n.exitCode)},
	}
	if last > 0 {
		all = append(all, gauge{lastSuccessMetric, "seconds", "When a run last published and ended well.", last})
	}
	if r := n.released; r != nil {
		all = append(all,
			gauge{"tacet_release_rows", "", "Rows of the last release.", float64(r.rows)},
			gauge{"tacet_release_epsilon_nats", "nats", "Epsilon of the last release alone.", r.epsilon},
			gauge{"tacet_release_warnings", "", "Warnings in the report of the last release.", float64(r.warnings)})
		if r.cumulative != nil {
			all = append(all, gauge{"tacet_cumulative_epsilon_nats", "nats",
				"Epsilon of all releases of the series together, for the worst record; changed records are not covered.",
				*r.cumulative})
		}
		if r.room != nil {
			all = append(all, gauge{"tacet_plan_room_ratio", "ratio",
				"Room before the plan fails: e^epsilon divided by the factor of this input, minus 1.", *r.room})
		}
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	var b bytes.Buffer
	for _, g := range all {
		fmt.Fprintf(&b, "# TYPE %s gauge\n", g.name)
		if g.unit != "" {
			fmt.Fprintf(&b, "# UNIT %s %s\n", g.name, g.unit)
		}
		fmt.Fprintf(&b, "# HELP %s %s\n%s{release=\"%s\"} %s\n", g.name, g.help, g.name, escapeLabel(name),
			strconv.FormatFloat(g.value, 'g', -1, 64))
	}
	b.WriteString("# EOF\n")
	return b.Bytes()
}

// escapeLabel quotes a label value.
func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "?"))
}

// ourMetrics refuses a file that writeMetrics has not made: it is replaced in every run,
// unasked, and must not be the input or a table of the user.
func ourMetrics(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(metricsHead))
	if n, err := io.ReadFull(f, head); err != io.EOF && string(head[:n]) != metricsHead {
		return &publish.TargetError{Path: path, What: "does not hold the metrics of a run",
			Hint: "give another file, or remove this one"}
	}
	return nil
}

// lastSuccess reads the time of the last success out of a file that
// writeMetrics made, 0 where there is none.
func lastSuccess(path string) (float64, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(data), "\n") {
		rest, ok := strings.CutPrefix(line, lastSuccessMetric+"{")
		if !ok {
			continue
		}
		at := strings.LastIndexByte(rest, ' ')
		if v, err := strconv.ParseFloat(rest[at+1:], 64); err == nil && v > 0 && !math.IsInf(v, 0) {
			return v, nil
		}
	}
	return 0, nil
}
