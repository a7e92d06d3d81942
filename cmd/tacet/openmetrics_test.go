package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// parsed reads the file as a node exporter does.
func metricsIn(t *testing.T, path string) map[string]*dto.MetricFamily {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := expfmt.NewTextParser(model.LegacyValidation)
	families, err := p.TextToMetricFamilies(f)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

func gaugesIn(t *testing.T, path string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for name, f := range metricsIn(t, path) {
		if f.GetType() != dto.MetricType_GAUGE || f.GetHelp() == "" || len(f.Metric) != 1 {
			t.Errorf("%s: %v", name, f)
		}
		m := f.Metric[0]
		if len(m.Label) != 1 || m.Label[0].GetName() != "release" || m.TimestampMs != nil {
			t.Errorf("%s: %v", name, m)
		}
		out[name] = m.GetGauge().GetValue()
	}
	return out
}

func TestMetricsOfRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), `a"b\.prom`)
	at := time.Unix(1_800_000_000, 0)
	total, room := 1.25, 0.0375
	write := func(n runEnd) map[string]float64 {
		t.Helper()
		if err := writeMetrics(path, n); err != nil {
			t.Fatal(err)
		}
		return gaugesIn(t, path)
	}
	want := func(got map[string]float64, want map[string]float64) {
		t.Helper()
		if len(got) != len(want) {
			t.Errorf("%v, want %v", got, want)
		}
		for k, v := range want {
			if g, ok := got[k]; !ok || !(g == v) {
				t.Errorf("%s = %v, want %v", k, g, v)
			}
		}
	}
	want(write(runEnd{ended: at, took: time.Second, exitCode: 3}), map[string]float64{
		"tacet_last_run_timestamp_seconds": 1.8e9, "tacet_last_run_duration_seconds": 1, "tacet_last_exit_code": 3})
	want(write(runEnd{ended: at.Add(time.Hour), took: 1500 * time.Millisecond, released: &releaseGauges{rows: 7,
		epsilon: 0.8473, cumulative: &total, room: &room, warnings: 2}}), map[string]float64{
		"tacet_last_run_timestamp_seconds": 1.8e9 + 3600, "tacet_last_run_duration_seconds": 1.5, "tacet_last_exit_code": 0,
		"tacet_last_success_timestamp_seconds": 1.8e9 + 3600,
		"tacet_release_rows":                   7, "tacet_release_epsilon_nats": 0.8473, "tacet_release_warnings": 2,
		"tacet_cumulative_epsilon_nats": 1.25, "tacet_plan_room_ratio": 0.0375})
	if got := metricsIn(t, path)["tacet_release_rows"].Metric[0].Label[0].GetValue(); got != `a"b\` {
		t.Errorf("the release is called %q", got)
	}
	// A run that fails forgets the figures and keeps the last success.
	want(write(runEnd{ended: at.Add(2 * time.Hour), exitCode: 4}), map[string]float64{
		"tacet_last_run_timestamp_seconds": 1.8e9 + 7200, "tacet_last_run_duration_seconds": 0, "tacet_last_exit_code": 4,
		"tacet_last_success_timestamp_seconds": 1.8e9 + 3600})
	want(write(runEnd{ended: at.Add(3 * time.Hour), released: &releaseGauges{}}), map[string]float64{
		"tacet_last_run_timestamp_seconds": 1.8e9 + 10800, "tacet_last_run_duration_seconds": 0, "tacet_last_exit_code": 0,
		"tacet_last_success_timestamp_seconds": 1.8e9 + 10800,
		"tacet_release_rows":                   0, "tacet_release_epsilon_nats": 0, "tacet_release_warnings": 0})
}

// TestMetricsForm: what OpenMetrics asks for beyond the older format.
func TestMetricsForm(t *testing.T) {
	text := string(runEnd{ended: time.Unix(1, 0), released: &releaseGauges{}}.text("x.prom", 1))
	if !strings.HasSuffix(text, "\n# EOF\n") || strings.Count(text, "# EOF") != 1 {
		t.Error("the end is not marked")
	}
	for _, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "# UNIT "); ok {
			if name, unit, _ := strings.Cut(rest, " "); !strings.HasSuffix(name, "_"+unit) {
				t.Errorf("%s has the unit %s", name, unit)
			}
		}
	}
}

func TestMetricsUnwritable(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "x.prom")} {
		if checkMetricsFile(path) == nil {
			t.Errorf("%s can be written", path)
		}
		if writeMetrics(path, runEnd{released: &releaseGauges{}}) == nil {
			t.Errorf("%s was written", path)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestForeign: a file of something else stays, also after a run that failed;
// an empty one is taken.
func TestForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, text := range []string{"PAR1", "label,count\n" + strings.Repeat("a,1\n", 100),
		metricsHead[:len(metricsHead)-1]} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if checkMetricsFile(path) == nil || writeMetrics(path, runEnd{released: &releaseGauges{}}) == nil ||
			writeMetrics(path, runEnd{exitCode: 2}) == nil {
			t.Errorf("%.20q was replaced", text)
		}
		if is, err := os.ReadFile(path); err != nil || string(is) != text {
			t.Errorf("%.20q became %.20q: %v", text, is, err)
		}
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := writeMetrics(path, runEnd{released: &releaseGauges{}}); err != nil {
			t.Error(err)
		}
	}
}
