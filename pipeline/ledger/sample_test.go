package ledger

import (
	"os"
	"path/filepath"
	"testing"
)

const sample = "../../testdata/ledger/nights.db"

// TestSample: a ledger that version 1 wrote is read as it was written.
func TestSample(t *testing.T) {
	file, err := os.ReadFile(sample)
	ok(t, err)
	path := filepath.Join(t.TempDir(), "l")
	ok(t, os.WriteFile(path, file, 0o600))
	l := open(t, path, Options{})
	v, err := l.Verify(ctx, "")
	if err != nil || v.Events != 11 || v.Releases != 4 || v.Documents != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	list := look(t, l).Entries
	e := list[1]
	if e.State != IsVoided || e.Night != 2 || e.KeyID != "tk1-4d1c9e" || e.VoidedAt != "2026-03-02T08:15:00Z" ||
		list[2].Realised.Cumulative.Factor != "7/3" {
		t.Errorf("%+v", e)
	}
}
