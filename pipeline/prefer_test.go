package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// What was preferred, and what the optimum left open, survive the plan file.
func TestPlanKeepsWhatWasPreferred(t *testing.T) {
	dir := t.TempDir()
	counts := filepath.Join(dir, "counts.csv")
	if err := os.WriteFile(counts, []byte("label,count\n1,40\n2,30\n3,20\n4,10\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := request.Options{Counts: []string{counts}, Column: "x", Utility: "numeric", MaxFactor: "5/2",
		Prefer:    request.Unchanged,
		WritePlan: filepath.Join(dir, "plan.json")}
	p, _, err := Design(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	p.Gap = .25
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.WritePlan, data, 0o600); err != nil {
		t.Fatal(err)
	}
	q, err := decide.LoadPlan(o.WritePlan)
	if err != nil {
		t.Fatal(err)
	}
	if q.Prefer != request.Unchanged || q.Share != p.Share || q.ShareBound != p.ShareBound || q.Gap != .25 ||
		!(p.Share > 0 && p.Share <= p.ShareBound && p.ShareBound <= 1) {
		t.Errorf("prefer %q, share %v of at most %v, gap %v", q.Prefer, q.Share, q.ShareBound, q.Gap)
	}
}
