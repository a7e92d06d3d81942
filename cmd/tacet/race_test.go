package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/decide"
)

// raceLetters are so many that the outputs of three releases are too many to
// try all: from there on the ledger accounts by the closed bound.
const raceLetters = 200

// TestSlowBudgetRace lets two processes release one dataset with fresh draws as
// often as they can. A plan without zeros has factor e^e alone and e^d as
// local privacy, so that k releases are bounded by e + (k-1) d, and exactly
// 1 + floor((cap - e)/d) of all attempts are committed.
func TestSlowBudgetRace(t *testing.T) {
	attempts := 4
	if os.Getenv("TACET_TORTURE") != "" {
		attempts = 200
	}
	dir := t.TempDir()
	zeroFree(t, dir)
	// By two names of one ledger the processes miss each other's lock of the
	// series, so that reservations alone have to keep the budget.
	if err := os.Symlink("0.db", filepath.Join(dir, "1.db")); err != nil {
		t.Fatal(err)
	}
	// e = log(400/201), d = log 2: e + 2d = log(1600/201) <= cap < e + 3d.
	const admitted = 3
	total := "log(1700/201)"
	var mu sync.Mutex
	committed, refused := 0, 0
	attempt := func(p, i int) {
		name := fmt.Sprintf("%d-%d", p, i)
		cmd := exec.Command("tacet", "apply", "--plan", "plan.json", "--input", "in", "--output", name, "--report", name+".r",
			"--audit", "off",
			"--ledger", fmt.Sprint(p, ".db"), "--dataset", "d", "--independent-releases", "--total-epsilon", total)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		_, missing := os.Stat(filepath.Join(dir, name))
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil && missing == nil:
			committed++
		case err != nil && missing != nil && cmd.ProcessState.ExitCode() == 4 &&
			bytes.Contains(out, []byte("would bring the total to")):
			refused++
		default:
			t.Errorf("attempt %s: %v, output: %v: %s", name, err, missing, out)
		}
	}
	attempt(0, 0) // makes the ledger
	var group sync.WaitGroup
	for p := range 2 {
		group.Go(func() {
			for i := 1 - p; i < attempts; i++ {
				attempt(p, i)
			}
		})
	}
	group.Wait()
	if committed != admitted || committed+refused != 2*attempts {
		t.Errorf("%d of %d attempts were committed and %d refused, want %d", committed, 2*attempts, refused, admitted)
	}
	out, err := exec.Command("tacet", "ledger", "--ledger", filepath.Join(dir, "0.db"), "list").Output()
	if err != nil || strings.Count(string(out), " committed ") != admitted || strings.Count(string(out), " reserved ")+
		strings.Count(string(out), " sealed ") > 0 {
		t.Errorf("the ledger holds (%v):\n%s", err, out)
	}
	if out, err := exec.Command("tacet", "ledger", "--ledger", filepath.Join(dir, "0.db"),
		"verify").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// zeroFree writes an input of as many records of every letter, and a plan by
// which every letter stays with 2/201 and becomes any other with 1/201.
func zeroFree(t *testing.T, dir string) {
	t.Helper()
	var csv strings.Builder
	csv.WriteString("x:string\n")
	var names []string
	for i := range raceLetters {
		names = append(names, fmt.Sprintf("v%03d", i))
	}
	for i := range 3 * raceLetters {
		csv.WriteString(names[i*77%raceLetters] + "\n")
	}
	tableFile(t, csv.String(), filepath.Join(dir, "in"))
	cmd := exec.Command("tacet", "design", "--input", "in", "--column", "x", "--utility", "ordered:"+
		strings.Join(names, ","), "--design", "safe", "--floor-rank", "1",
		"--epsilon", "1", "--write-plan", "plan.json")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p, err := decide.LoadPlan(filepath.Join(dir, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]mechanism.Row, raceLetters)
	for x := range rows {
		rows[x].Total = raceLetters + 1
		for y := range raceLetters {
			w := int64(1)
			if x == y {
				w = 2
			}
			rows[x].Output, rows[x].Weight = append(rows[x].Output, uint16(y)), append(rows[x].Weight, w)
		}
	}
	g := p.Groups[0]
	if g.Mechanism, err = mechanism.New(raceLetters, rows); err != nil {
		t.Fatal(err)
	}
	g.Rank, g.Value = g.Mechanism.Floor(p.Order)
	g.Leakage = g.Mechanism.Leakage(p.Prior)
	p.Redraw(g)
	p.Kind, p.Floor = "optimal", mechanism.RankFloor(1)
	p.Upper = p.Factor()
	p.DesignHash = p.HashDesign()
	if want := big.NewRat(2*raceLetters, raceLetters+1); p.Factor().Cmp(want) != 0 {
		t.Fatalf("the plan has factor %s, want %s", p.Factor().RatString(), want.RatString())
	}
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// tableFile writes a table as the scripts' command does.
func tableFile(t *testing.T, text, path string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record(rows[0], rows[1:])
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(rec.Schema(), f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err == nil {
		err = errors.Join(w.WriteBuffered(rec), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
