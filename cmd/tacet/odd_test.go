package main

import (
	"path/filepath"
	"testing"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestSlowManyLetters: many letters take time, and memory that is known before: 5,000
// less than 256 MiB, and 10,000, with TACET_TORTURE, less than 1 GiB.
func TestSlowManyLetters(t *testing.T) {
	letters, most := 5000, int64(1<<28)
	if torture.Long() {
		letters, most = 10_000, 1<<30
	}
	dir, given := t.TempDir(), t.TempDir()
	input := writeFile(t, filepath.Join(given, "in"), numbers(t, 3*letters, letters))
	took := peak(t, 0, "run", "--input", input, "--column", "n", "--utility", "numeric", "--epsilon", "2", "--design",
		"safe", "--audit", "off", "--output", filepath.Join(dir, "out"), "--report", filepath.Join(dir, "report"))
	t.Logf("%d letters: %d MiB", letters, took>>20)
	if took > most {
		t.Errorf("%d letters took %d MiB, want at most %d", letters, took>>20, most>>20)
	}
}
