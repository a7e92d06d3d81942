package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/parquet-go/parquet-go"
)

type numberRow struct {
	N int64 `parquet:"n"`
	K int64 `parquet:"k"`
}

// numbers is a Parquet file of rows rows with the letters 0..letters-1.
func numbers(t *testing.T, rows, letters int) []byte {
	t.Helper()
	var b bytes.Buffer
	all := make([]numberRow, rows)
	for i := range all {
		all[i] = numberRow{int64(i % letters), int64(i)}
	}
	must(t, parquet.Write(&b, all))
	return b.Bytes()
}

// twice is a file in which two columns have one name.
func twice(t *testing.T, format string, names ...string) []byte {
	t.Helper()
	path, rows := filepath.Join(t.TempDir(), "in."+format), [][]string{nil, {}, {}, {}}
	for i, name := range names {
		rows[0] = append(rows[0], name+":int64")
		for k, cell := range []string{"1", "2", fmt.Sprint(i)} {
			rows[k+1] = append(rows[k+1], cell)
		}
	}
	must(t, writeTable(path, rows, compress.Codecs.Snappy))
	return readFile(t, path)
}

// TestLimits: files that are refused, or that look odd and are not, each over
// the files of an earlier run.
func TestLimits(t *testing.T) {
	good := numbers(t, 2000, 4)
	encrypted := append(append([]byte("PARE"), good[4:len(good)-4]...), "PARE"...)
	for _, c := range []struct {
		name string
		file []byte
		args string
		code int
		says string // on standard error, or in the summary where code is 0
	}{
		{"identifier", numbers(t, 2000, 2000), "", 4, "looks like an identifier: 2000 different values in 2000 rows; hint: "},
		{"identifier allowed", numbers(t, 1001, 501), "--allow=identifier --audit=off", 0, "(epsilon 2)"},
		{"more than half distinct", numbers(t, 1001, 501), "", 4, "looks like an identifier"},
		{"half distinct", numbers(t, 1002, 501), "--audit=off", 0, "(epsilon 2)"},
		{"few rows", numbers(t, 300, 300), "--audit=off", 0, "(epsilon 2)"},
		{"too many letters", numbers(t, 65_600, 65_600), "--allow=identifier", 3, "more than 65535 distinct values; hint: "},
		{"encrypted footer", encrypted, "", 3, "encrypted Parquet file"},
		{"private name twice", twice(t, "parquet", "n", "k", "n"), "", 3, `two columns named "n"; hint: `},
		{"private name twice in arrow", twice(t, "arrow", "n", "k", "n"), "", 3, `two columns named "n"; hint: `},
		{"dropped name twice", twice(t, "parquet", "n", "k", "k"), "--drop k", 3, `two columns named "k"; hint: `},
		{"kept name twice", twice(t, "parquet", "n", "k", "k"), "--allow=unchanged --audit=off", 0, "(epsilon 2)"},
		{"kept name twice in arrow", twice(t, "arrow", "n", "k", "k"), "--allow=unchanged --audit=off", 0, "(epsilon 2)"},
		{"no row group", numbers(t, 0, 1), "", 3, "has no rows; hint: "},
		{"no row group allowed", numbers(t, 0, 1), "--allow=empty", 0, "There was nothing to privatize."},
		{"seven bytes", []byte("PAR1PAR"), "", 3, "too few; hint: "},
		{"magic only", []byte("PAR1PAR1"), "", 3, "too few; hint: "},
		{"arrow magic only", []byte("ARROW1\x00\x00ARROW1"), "", 3, "hint: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, given := t.TempDir(), t.TempDir()
			output, report := filepath.Join(dir, "out"), filepath.Join(dir, "report")
			before(t, output, report)
			was := snapshot(t, dir)
			input := writeFile(t, filepath.Join(given, "in"), c.file)
			done := tacet(t, append([]string{"run", "--input", input, "--column", "n", "--utility", "numeric", "--epsilon", "2",
				"--design", "safe", "--output", output, "--report", report, "--overwrite"}, strings.Fields(c.args)...)...)
			done.want(t, c.code)
			if said := done.stdout + done.stderr; !strings.Contains(strings.Join(strings.Fields(said), " "), c.says) {
				t.Errorf("%q is not said:\n%s", c.says, said)
			}
			if c.code != 0 {
				unchanged(t, dir, was)
			} else if bytes.Equal(readFile(t, output), []byte("an earlier output")) {
				t.Error("the output was not replaced")
			}
		})
	}
}

// TestMemoryIsEstimated: a table of letters larger than memory allows is
// refused before it is allocated.
func TestMemoryIsEstimated(t *testing.T) {
	for _, letters := range []int{3_000, 8_000} {
		dir, given := t.TempDir(), t.TempDir()
		output, report := filepath.Join(dir, "out"), filepath.Join(dir, "report")
		before(t, output, report)
		was := snapshot(t, dir)
		input := writeFile(t, filepath.Join(given, "in"), numbers(t, 3*letters, letters))
		args := []string{"run", "--input", input, "--column", "n", "--utility", "numeric", "--epsilon", "2", "--output",
			output, "--report", report, "--overwrite"}
		t.Setenv("GOMEMLIMIT", "32MiB")
		done := tacet(t, args...)
		done.want(t, 5)
		if took := peak(t, 5, args...); took > mostMemory/2 {
			t.Errorf("%d letters took %d MiB before they were refused", letters, took>>20)
		}
		if want := fmt.Sprintf("%d by %d values needs about", letters, letters); !strings.Contains(done.stderr, want) ||
			!strings.Contains(done.stderr, "hint: ") {
			t.Error(done.stderr)
		}
		unchanged(t, dir, was)
	}
}
