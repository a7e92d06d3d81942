package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
)

// TestShuffle predicts which row stands where from the seed; threads do not show.
func TestShuffle(t *testing.T) {
	few, arrow := fewFlights(t), filepath.Join(t.TempDir(), "flights.arrow")
	writeArrow(t, arrow, arrowTable(t, few), true, nil)
	for _, input := range []string{few, arrow} {
		kept := []string{"date", "delay"}
		before := arrowColumns(t, input, kept...)
		var first []byte
		for _, threads := range []int{1, 3} {
			o := flights(t.TempDir(), input, 5)
			o.Shuffle, o.Threads = true, threads
			rep := run(t, o)
			if b := rep.Beside; rep.Output.Order != "random" || b.Place != nil || b.Runs != nil {
				t.Errorf("the report has the order %q, places %v, runs %v", rep.Output.Order, b.Place, b.Runs)
			}
			if out := read(t, o.Output); first == nil {
				first = out
			} else if !bytes.Equal(first, out) {
				t.Error("threads show")
			}
			after := arrowColumns(t, o.Output, kept...)
			for place, row := range draw.Order(draw.TestOrderStream(5), len(before["date"])) {
				for _, c := range kept {
					if after[c][place] != before[c][row] {
						t.Fatalf("%s: row %d is not that of the seed in column %s", input, place+1, c)
					}
				}
			}
		}
	}
}

// TestShuffleRepeats: with a run key the bytes are the same again, and others for another
// run; without, two runs differ in their order.
func TestShuffleRepeats(t *testing.T) {
	k, err := key.New(key.Run, "2026-01-31T12:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "key")
	if err := key.Write(secret, k); err != nil {
		t.Fatal(err)
	}
	few := fewFlights(t)
	out := func(secret, run string) []byte {
		o := flights(t.TempDir(), few, 5)
		o.TestSeed, o.Shuffle = nil, true
		if secret != "" {
			o.RunKey, o.RunID = secret, run
		}
		if _, err := pipeline.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		return read(t, o.Output)
	}
	one := out(secret, "a")
	if !bytes.Equal(one, out(secret, "a")) {
		t.Error("the same run writes other bytes")
	}
	if bytes.Equal(one, out(secret, "b")) || bytes.Equal(out("", ""), out("", "")) {
		t.Error("control: another run writes the same bytes")
	}
}

// TestShuffleAndRunningNumbers: a file in which rows of a value stand together is published
// once it is shuffled, but not with a column that gives the order back.
func TestShuffleAndRunningNumbers(t *testing.T) {
	scattered := rand.New(rand.NewPCG(8, 8)).Perm(6000)
	for _, c := range []struct {
		number  func(i int) int
		shuffle bool
		refused string
	}{
		{func(i int) int { return scattered[i] }, false, "--shuffle"},
		{func(i int) int { return scattered[i] }, true, ""},
		{func(i int) int { return i }, true, "or give --drop number: that column restores the order"},
	} {
		dir := t.TempDir()
		var text strings.Builder
		r, x := rand.New(rand.NewPCG(7, 7)), ""
		text.WriteString("number,x\n")
		for i := range 6000 {
			if i%4 == 0 { // four rows of one value stand together
				x = letterOf(r)
			}
			fmt.Fprintf(&text, "%d,%s\n", c.number(i), x)
		}
		o := pipeline.Options{Input: filepath.Join(dir, "in.csv"), Column: "x", Utility: "ordered:A,B,C,D,E,F,G,H,I,J",
			Epsilon: "1", Output: filepath.Join(dir, "out.csv"), Report: filepath.Join(dir, "report"), Shuffle: c.shuffle}
		if err := os.WriteFile(o.Input, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := pipeline.Run(context.Background(), o)
		switch f := fault.As(err); {
		case err == nil && c.refused != "":
			t.Errorf("not refused: shuffle %v", c.shuffle)
		case err != nil && (f.Class != fault.Privacy || c.refused == "" || !strings.Contains(f.What+f.Hint, c.refused)):
			t.Errorf("shuffle %v: %v; %s", c.shuffle, err, f.Hint)
		}
	}
}
