package ledger

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

const sample = "../../testdata/ledger/nights.db"

// TestSample: a ledger that version 1 wrote is read as it was written. With
// TACET_WRITE_SAMPLE=1 it is written anew.
func TestSample(t *testing.T) {
	if os.Getenv("TACET_WRITE_SAMPLE") != "" {
		writeSample(t)
	}
	file, err := os.ReadFile(sample)
	ok(t, err)
	path := filepath.Join(t.TempDir(), "l")
	ok(t, os.WriteFile(path, file, 0o600))
	l := open(t, path, Options{})
	v, err := l.Verify(ctx, "")
	if err != nil || v.Events != 11 || v.Releases != 4 || v.Documents != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	list, err := l.List(ctx)
	ok(t, err)
	e := list[1]
	if e.State != IsVoided || e.Night != 2 || e.KeyID != "tk1-4d1c9e" || e.VoidedAt != "2026-03-02T08:15:00Z" ||
		list[2].Realised.Cumulative.Factor != "7/3" {
		t.Errorf("%+v", e)
	}
}

// writeSample plays three nights, of which the second was killed.
func writeSample(t *testing.T) {
	now := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "l")
	l := open(t, path, Options{Create: true, Now: func() time.Time { return now }})
	at := func(day, hour, minute int) { now = time.Date(2026, 3, day, hour, minute, 0, 0, time.UTC) }
	begin := func(input string) Ticket {
		k, err := l.Reserve(ctx, Release{Series: Series{"flights", "origin", "all"}, PlanSHA256: hex64("plan"),
			DesignSHA256: hex64("design"), KeyID: "tk1-4d1c9e",
			InputSHA256: hex64(input), Factor: "7/3", Budget: "log(5)", OnChange: "hold", OverBudget: "repeat",
			Documents: []Document{{Name: "plan.json", Data: []byte("{}\n")}}}, Changes{}, func([]Entry, Documents) (Claim,
			error) {
			return Claim{"7/3", "exact", "one design and key: one draw"}, nil
		})
		ok(t, err)
		return k
	}
	end := func(k Ticket, rows, held int64) {
		ok(t, l.Seal(ctx, k.ID, Realised{OutputSHA256: hex64(k.InputSHA256), Rows: rows, Factor: "7/3",
			Cumulative: Claim{"7/3", "exact", "one design and key: one draw"}, Held: held, New: rows}))
		now = now.Add(2 * time.Second)
		ok(t, l.Commit(ctx, k.ID))
	}
	end(begin("night 1"), 200000, 0)
	at(2, 2, 0)
	killed := begin("night 2")
	at(2, 8, 15)
	ok(t, l.Void(ctx, killed.ID, "host rebooted before anything was drawn", false))
	end(begin("night 2"), 200010, 1990)
	at(3, 2, 0)
	k := begin("night 3")
	ok(t, l.Seal(ctx, k.ID, Realised{OutputSHA256: hex64("3"), Rows: 200021, Factor: "7/3",
		Cumulative: Claim{"7/3", "exact", "one design and key: one draw"}, Held: 3960, New: 11}))
	ok(t, l.Close())
	file, err := os.ReadFile(path)
	ok(t, err)
	ok(t, os.WriteFile(sample, file, 0o644))
}
