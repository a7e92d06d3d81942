package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestCorruptPage: every page of a private column that is damaged in one place
// ends in exit code 3, and nothing of an earlier run is touched.
func TestCorruptPage(t *testing.T) {
	file := numbers(t, 20_000, 300)
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	chunk := f.Metadata().RowGroups[0].Columns[0].MetaData
	if chunk.PathInSchema[0] != "N" && chunk.PathInSchema[0] != "n" {
		t.Fatalf("the first column is %q", chunk.PathInSchema)
	}
	end := chunk.DataPageOffset + chunk.TotalCompressedSize
	if chunk.DictionaryPageOffset > 0 {
		end = chunk.DictionaryPageOffset + chunk.TotalCompressedSize
	}
	for _, at := range []int64{chunk.DataPageOffset + 100, end - 200, end - 1} {
		damaged := bytes.Clone(file)
		damaged[at] ^= 0x10
		dir, given := t.TempDir(), t.TempDir()
		output, report := filepath.Join(dir, "out"), filepath.Join(dir, "report")
		before(t, output, report)
		was := snapshot(t, dir)
		input := writeFile(t, filepath.Join(given, "in"), damaged)
		tacet(t, "run", "--input", input, "--column", "n", "--utility", "numeric", "--epsilon", "2", "--design", "safe",
			"--output", output, "--report", report, "--overwrite").want(t, 3)
		unchanged(t, dir, was)
	}
}

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
