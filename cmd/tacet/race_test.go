package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestSlowBudgetRace lets two processes release one dataset without record ids as
// often as they can: one attempt is committed, since a second draw of the same records
// would leak more.
func TestSlowBudgetRace(t *testing.T) {
	attempts := 4
	if torture.Long() {
		attempts = 200
	}
	dir := t.TempDir()
	tableFile(t, "x:string\n"+strings.Repeat("a\nb\nc\n", 50), filepath.Join(dir, "in"))
	tacet := func(args ...string) ([]byte, int) {
		cmd := inFolder(dir, args...)
		out, _ := cmd.CombinedOutput()
		return out, cmd.ProcessState.ExitCode()
	}
	if out, code := tacet("design", "--input", "in", "--column", "x", "--utility", "ordered:a,b,c", "--epsilon", "1",
		"--write-plan", "plan.json"); code != 0 {
		t.Fatalf("%s", out)
	}
	// By two names of one ledger the processes miss each other's lock of the
	// series, so that reservations alone have to keep the rule.
	must(t, os.Symlink("0.db", filepath.Join(dir, "1.db")))
	attempt := func(p, i int, more ...string) ([]byte, int, bool) {
		name := fmt.Sprintf("%d-%d", p, i)
		out, code := tacet(append([]string{"apply", "--plan", "plan.json", "--input", "in", "--output", name, "--report",
			name + ".r", "--audit", "off", "--ledger", fmt.Sprint(p, ".db"), "--dataset", "d"}, more...)...)
		_, missing := os.Stat(filepath.Join(dir, name))
		return out, code, missing == nil
	}
	if out, code, _ := attempt(0, attempts, "--total-epsilon", "0"); code != 4 { // makes the ledger
		t.Fatalf("%s", out)
	}
	var mu sync.Mutex
	committed, refused, made := 0, 0, [2]int{}
	var group sync.WaitGroup
	for p := range 2 {
		group.Go(func() {
			for i := range torture.Within(t, attempts, 1) {
				made[p]++
				out, code, written := attempt(p, i)
				mu.Lock()
				switch {
				case code == 0 && written:
					committed++
				case code == 4 && !written && bytes.Contains(out, []byte("was released before")):
					refused++
				default:
					t.Errorf("attempt %d of %d: exit code %d, output %v: %s", i, p, code, written, out)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	t.Logf("torture: %d races", made[0]+made[1])
	if committed != 1 || refused != made[0]+made[1]-1 {
		t.Errorf("%d of %d attempts were committed and %d refused", committed, made, refused)
	}
	if out, code := tacet("ledger", "--ledger", "0.db", "list"); code != 0 || strings.Count(string(out), " committed ") != 1 ||
		strings.Count(string(out), " reserved ")+strings.Count(string(out), " sealed ") > 0 {
		t.Errorf("the ledger holds:\n%s", out)
	}
	if out, code := tacet("ledger", "--ledger", "0.db", "verify"); code != 0 {
		t.Errorf("%s", out)
	}
}

// tableFile writes a table as the scripts' command does.
func tableFile(t *testing.T, text, path string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	must(t, err)
	must(t, writeTable(path, rows, compress.Codecs.Snappy))
}
