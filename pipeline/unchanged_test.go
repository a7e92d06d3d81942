package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// ran runs a file of these counts.
func ran(t *testing.T, o pipeline.Options, count ...int) (words map[string]string, err error) {
	t.Helper()
	o.Column = "c"
	if o.Utility == "" {
		o.Utility = "ordered:a,b,c,d"
	}
	r, err := followed(t, pipeline.Run, o, count...)
	if err != nil {
		return nil, err
	}
	words = map[string]string{"warnings": strings.Join(r.Warnings, "; ")}
	for _, c := range r.Claims {
		words[c.Key] = c.Words
	}
	for _, c := range r.Publish().Claims {
		words["public"] += c.Words
	}
	return words, nil
}

// TestUnchangedData: with an epsilon that admits it, the best design publishes
// the data as they are. That is refused unless it is allowed, and then every
// view says so.
func TestUnchangedData(t *testing.T) {
	for _, o := range []pipeline.Options{{Epsilon: "3"}, {Epsilon: "3", Design: "safe"},
		{MaxFactor: "20", Design: "optimal"}, {Epsilon: "5", Prefer: "unchanged"}} {
		_, err := ran(t, o, 500, 300, 150, 50)
		f := fault.As(err)
		if err == nil || f.Class != fault.Privacy || !strings.Contains(f.What, "unchanged") ||
			!strings.Contains(f.Hint, "--max-factor below 20 (epsilon below 2.9958), or publish") {
			t.Errorf("%+v: %v; %v", o, err, f)
		}
		o.AllowUnchanged = true
		words, err := ran(t, o, 500, 300, 150, 50)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(words["unchanged.reached"], "The output is the input") || !strings.Contains(words["warnings"],
			"the output is the input") ||
			!strings.Contains(words["public"], "allowed to publish the values as they are") ||
			!strings.HasPrefix(words["confirmed"], "At most 100 in 100 of the records") || !strings.HasPrefix(words["kept"],
			"At most 100 in 100 of the records") {
			t.Errorf("%v", words)
		}
	}
	// Names that are all others are no change, either.
	dir := t.TempDir()
	order := filepath.Join(dir, "order.csv")
	if err := os.WriteFile(order, []byte("c,w,x,y,z\na,1,0,0,0\nb,0,1,0,0\nc,0,0,1,0\nd,0,0,0,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ran(t, pipeline.Options{Epsilon: "3", Utility: "matrix:" + order}, 500, 300, 150, 50); err == nil ||
		fault.As(err).Class != fault.Privacy {
		t.Errorf("renamed: %v", err)
	}
	// One value is no secret that could be kept.
	if words, err := ran(t, pipeline.Options{Epsilon: "3", Domain: domainOf(t)}, 500, 0, 0, 0); err != nil ||
		words["confirmed"] != "No record: every output that occurs can come from several values." {
		t.Errorf("one value: %v, %v", err, words)
	}
	// So it is with a plan that is followed.
	plan := designed(t, pipeline.Options{Epsilon: "3"}, 500, 300, 150, 50)
	if _, err := followed(t, pipeline.Apply, pipeline.Options{Plan: plan}, 500, 300, 150, 50); err == nil ||
		!strings.Contains(fault.As(err).What, "unchanged") {
		t.Errorf("apply: %v", err)
	}
}

// TestNothingTold: an output that tells nothing is said to, why, and what would
// help; no factor of 1 is called a bound.
func TestNothingTold(t *testing.T) {
	words, err := ran(t, pipeline.Options{Epsilon: "0", Design: "safe"}, 500, 300, 150, 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"leakage.reached", "warnings"} {
		if s := words[key]; !strings.Contains(s,
			"he output tells nothing about the input: every value is published as each output equally often; the next better "+
				"floor, rank 2, needs --max-factor") || strings.Contains(s, "1 times") {
			t.Errorf("%s: %s", key, s)
		}
	}
	rank := 1
	words, err = ran(t, pipeline.Options{Epsilon: "1", Design: "safe", FloorRank: &rank, MaxFactor: ""}, 1, 1, 1, 1)
	if err != nil || strings.Contains(words["leakage.reached"], "1 times") {
		t.Errorf("%v: %v", err, words)
	}
	words, err = ran(t, pipeline.Options{Epsilon: "1", Domain: domainOf(t)}, 500, 0, 0, 0)
	if err != nil || !strings.Contains(words["leakage.reached"], "all records hold one value") ||
		!strings.Contains(words["warnings"], "all records hold one value") {
		t.Errorf("one value: %v, %v", err, words)
	}
}
