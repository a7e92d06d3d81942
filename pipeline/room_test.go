package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// drifting are the records of each value in a night from 1 on: all grow by 1 % a night, one
// doubles in night 10, one is gone from night 15 on, and one is new in night 20.
func drifting(night int) []int {
	counts := []int{6000, 5000, 4000, 3000, 1600, 170, 60, 0}
	for range night - 1 {
		for x, c := range counts {
			counts[x] = c + (c+50)/100
		}
	}
	if night >= 10 {
		counts[5] *= 2
	}
	if night >= 15 {
		counts[6] = 0
	}
	if night >= 20 {
		counts[7] = 80
	}
	return counts
}

// TestNightsKeepTheLimit: a plan that was made with room keeps its limit of shares over 30
// nights of counts that drift within it, and each says how much of the room it used. Without
// room the second night ends.
func TestNightsKeepTheLimit(t *testing.T) {
	for _, c := range []struct {
		change, room string
		nights       int
	}{{"draw", "", 30}, {"hold", "", 30}, {"draw", ",0", 1}} {
		t.Run(c.change+c.room, func(t *testing.T) {
			dir, secret := t.TempDir(), newKey(t)
			input, domain := filepath.Join(dir, "in.csv"), filepath.Join(dir, "domain.txt")
			if err := os.WriteFile(domain, []byte("A\nB\nC\nD\nE\nF\nG\nH\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			limit, used := big.NewRat(1, 20), new(big.Rat)
			for night := 1; night <= c.nights+1; night++ {
				var rows bytes.Buffer
				rows.WriteString("id,x\n")
				for x, n := range drifting(night) {
					for i := range n {
						fmt.Fprintf(&rows, "%d,%c\n", 8*i+x, 'A'+x)
					}
				}
				if err := os.WriteFile(input, rows.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				job := remembered(dir, input, secret, "id")
				job.Utility, job.Domain, job.MaxShift = "ordered:A,B,C,D,E,F,G,H,OTHER", domain, "5%"
				if c.room == "" { // the values of few records, of which one goes and one comes, are treated alike
					job.MinCount, job.Other = 100, "OTHER"
				}
				job.Keep, job.Overwrite, job.Headroom, job.Epsilon = []string{"id"}, true, "50%"+c.room, "1.4"
				job.Ledger, job.Dataset, job.OnChange = filepath.Join(dir, "ledger"), "visits", c.change
				rep, err := pipeline.Run(context.Background(), job)
				var f *fault.Fault
				switch {
				case night > c.nights && c.room == ",0":
					if !errors.As(err, &f) || f.Class != fault.Privacy || !strings.Contains(f.What, "does not keep --max-shift 5%") {
						t.Fatalf("night %d: %v", night, err)
					}
					return
				case night > c.nights:
					return
				case err != nil:
					t.Fatalf("night %d: %v", night, err)
				}
				warned := slices.ContainsFunc(rep[0].Warnings, func(w string) bool { return strings.Contains(w, "no room") })
				s := rep[0].Shares
				if warned != (c.room == ",0") || s == nil && (c.change != "hold" || night == 1) {
					t.Fatalf("night %d: %+v, warnings %q", night, s, rep[0].Warnings)
				}
				if s == nil || c.room == ",0" {
					continue
				}
				shift, drift := mechtest.Ratio(t, s.Shift), mechtest.Ratio(t, s.Drift)
				if shift.Cmp(limit) > 0 || s.Room != "1/40" || night == 1 && drift.Sign() != 0 || drift.Cmp(big.NewRat(1, 80)) > 0 {
					t.Errorf("night %d: %+v", night, s)
				}
				used = drift
			}
			if used.Cmp(big.NewRat(1, 160)) < 0 && c.change == "draw" {
				t.Errorf("so little drift, %v, shows nothing", used)
			}
		})
	}
}
