package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// nights are the inputs of three nights of one file.
func nights(t *testing.T, dir string, records int) {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 4))
	letter := make([]byte, records)
	for i := range letter {
		letter[i] = "abcd"[r.IntN(4)]
	}
	for night := 1; night <= 3; night++ {
		var b strings.Builder
		b.WriteString("id:int64,x:string\n")
		for i := range letter {
			if r.IntN(50) == 0 {
				letter[i] = "abcd"[r.IntN(4)]
			}
			fmt.Fprintf(&b, "%d,%c\n", i*night%records+i/records, letter[i])
		}
		text := strings.Split(b.String(), "\n")
		rows, err := csv.NewReader(strings.NewReader(unique(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		rec, err := record(rows[0], rows[1:])
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprint("in", night)))
		if err != nil {
			t.Fatal(err)
		}
		w, err := pqarrow.NewFileWriter(rec.Schema(), f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteBuffered(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// unique leaves the first row of every id.
func unique(lines []string) string {
	seen := map[string]bool{}
	var b strings.Builder
	for _, l := range lines {
		id, _, _ := strings.Cut(l, ",")
		if l != "" && !seen[id] {
			seen[id] = true
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// nightly is the job of a night.
func nightly(night int) []string {
	n := fmt.Sprint(night)
	return []string{"apply", "--plan", "plan.json", "--input", "in" + n, "--output", "out" + n, "--report", "report" + n,
		"--overwrite", "--audit", "off",
		"--record-id", "id", "--key-file", "key", "--ledger", "ledger", "--dataset", "visits", "--on-change", "draw"}
}

// TestSlowKillANight kills the second night at many moments. Whatever it left, the
// ledger holds, an output that is in place is the right one, and the same night
// again, or the next one, ends as if nothing had happened.
func TestSlowKillANight(t *testing.T) {
	times := 4
	if os.Getenv("TACET_TORTURE") != "" {
		times = 300
	}
	first := t.TempDir()
	nights(t, first, 5000)
	tacet := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("tacet", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("tacet %s: %v: %s", args[0], err, out)
		}
	}
	tacet(first, "key", "new", "--type", "draw", "--output", "key")
	tacet(first, "design", "--input", "in1", "--column", "x", "--utility", "ordered:a,b,c,d", "--epsilon", "0.7",
		"--headroom", "10%", "--write-plan", "plan.json")
	tacet(first, nightly(1)...)
	copied := func() string {
		dir := t.TempDir()
		if out, err := exec.Command("cp", "-r", first+"/.", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return dir
	}
	whole := copied()
	start := time.Now()
	tacet(whole, nightly(2)...)
	took := time.Since(start)
	tacet(whole, nightly(3)...)
	want := [4][]byte{}
	for n := 2; n <= 3; n++ {
		data, err := os.ReadFile(filepath.Join(whole, fmt.Sprint("out", n)))
		if err != nil {
			t.Fatal(err)
		}
		want[n] = data
	}
	is := func(dir string, n int, missing bool) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("out", n)))
		if !(missing && err != nil) && !bytes.Equal(data, want[n]) {
			t.Errorf("night %d did not give what it gives undisturbed", n)
		}
	}
	killed := 0
	watched := []string{"ledger.history/*/*5.history", "out2", "report2/plan.json", "report2/report.json"}
	for i := range within(t, times+2*len(watched), 1) {
		dir := copied()
		cmd := exec.Command("tacet", nightly(2)...)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if i < times {
			time.Sleep(took * time.Duration(97*i%times) / time.Duration(times-1))
		} else { // as soon as this is there
			for end := time.Now().Add(10 * took); time.Now().Before(end); {
				if found, _ := filepath.Glob(filepath.Join(dir, watched[(i-times)/2])); len(found) > 0 {
					break
				}
			}
		}
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		is(dir, 2, true)
		tacet(dir, "ledger", "--ledger", "ledger", "verify")
		again := i%2 == 0
		if again {
			tacet(dir, nightly(2)...)
			is(dir, 2, false)
		}
		tacet(dir, nightly(3)...)
		is(dir, 3, false)
		tacet(dir, "ledger", "--ledger", "ledger", "verify")
		tacet(dir, "verify", "--report", "report3/report.json", "--input", "in3", "--output", "out3")
		if again {
			out, err := exec.Command("tacet", "ledger", "--ledger", filepath.Join(dir, "ledger"), "list").Output()
			if n := bytes.Count(out, []byte("committed")); err != nil || n != 3 || bytes.Count(out, []byte("\n")) != 4 {
				t.Errorf("%d releases are committed, want all of 3:\n%s", n, out)
			}
			if files, _ := filepath.Glob(filepath.Join(dir, "ledger.history", "*", "*.history")); len(files) != 1 {
				t.Errorf("%d record histories are left, want that in effect", len(files))
			}
		}
	}
	t.Logf("torture: %d kills of nights", killed)
	if killed == 0 {
		t.Error("control: no night was killed before its end")
	}
}
