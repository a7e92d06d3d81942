package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// Noise is not published, not where values are too many for the optimum, and not where
// somebody asks for a closed form that tells nothing at this epsilon.
func TestNoiseIsRefused(t *testing.T) {
	const values = 1030
	factor := "1000" // takes a third of a second; at the other the search is worth no more than noise
	if os.Getenv("TACET_TORTURE") != "" {
		factor = "5/4"
	}
	var counts strings.Builder
	counts.WriteString("label,count\n")
	for x := range values {
		fmt.Fprintf(&counts, "%d,%d\n", 10_000+x, 1+x%7*(x%11))
	}
	dir := t.TempDir()
	o := pipeline.Options{Counts: []string{filepath.Join(dir, "counts.csv")}, Column: "zip", MaxFactor: "2",
		WritePlan: filepath.Join(dir, "plan.json"), Overwrite: true}
	if err := os.WriteFile(o.Counts[0], []byte(counts.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		utility, design, factor string
		kind                    string // "" where it is refused
	}{
		{"numeric", "auto", factor, "blocks"},
		{"numeric", "safe", "2", ""},
		{"prefix:3,4", "", "5/4", ""},
		{"prefix:3,4", "blocks", "30", "blocks"},
		{"prefix:3,4", "", "30", "blocks"},
	} {
		o.Utility, o.Design, o.MaxFactor = c.utility, c.design, c.factor
		p, _, err := pipeline.Design(context.Background(), o)
		f := fault.As(err)
		switch {
		case c.kind == "" && (err == nil || f.Class != fault.Privacy || !strings.Contains(f.What, "tells nothing")):
			t.Errorf("%v: %v", c, err)
		case c.kind != "" && err != nil:
			t.Errorf("%v: %v", c, err)
		case c.kind != "" && p.Kind != c.kind:
			t.Errorf("%v: a design of kind %s", c, p.Kind)
		}
	}
}
