package floors

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Rows, brackets and advice of a small frontier, and its picture.
func TestNewFrontier(t *testing.T) {
	dir := t.TempDir()
	counts := filepath.Join(dir, "counts.csv")
	if err := os.WriteFile(counts, []byte("label,count\n1,4000\n2,3000\n3,2000\n4,1000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := request.Options{Counts: []string{counts}, Utility: "numeric"}
	f, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Points) != 4 || f.Of != 4 || f.By != "rank" || f.Guess != .4 || f.Stopped || f.Large {
		t.Errorf("%+v", f)
	}
	for i, want := range []string{"1", "1", "2", "10"} {
		p := f.Points[i]
		if p.Rank != i+1 || p.Value != float64(i-3) || p.Open || p.From > p.To || p.Safe.Nats < p.To {
			t.Errorf("%+v", p)
		}
		if p.Lower != want {
			t.Errorf("rank %d: least factor %s, want %s", p.Rank, p.Lower, want)
		}
	}
	for i, p := range f.Points {
		if o := p.Optimal; o.Nothing != (i < 2) || o.Unchanged != (i == 3) {
			t.Errorf("rank %d: tells nothing %v, unchanged %v", p.Rank, o.Nothing, o.Unchanged)
		}
	}
	if a := f.Steepest; a == nil || a.Letter == nil || a.Letter.Text != "4" || a.Merge == nil || !a.Merge.Helps ||
		a.Merge.Into.Text != "3" {
		t.Errorf("advice %+v", a)
	}
	chart := f.curves().Chart()
	if len(chart.Zones) != 2 || chart.Above == nil || !strings.Contains(chart.Description,
		"From floor 1 to 2 the optimal design tells nothing about the input. From floor 4 to 4 the optimal design "+
			"publishes the values as they are, up to their names. From epsilon 2.3026 on, a run without a floor publishes") {
		t.Errorf("picture: %+v", chart)
	}
	o.FloorBy, o.SolveTime = "value", 1
	if f, err = New(context.Background(), o); err != nil || f.By != "value" || f.Points[0].Rank != 0 || !f.Stopped {
		t.Errorf("%v, %+v", err, f)
	}
}
