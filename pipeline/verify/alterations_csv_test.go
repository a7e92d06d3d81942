package verify_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// csvRelease is a release of a file of three columns, of which c may move by one place.
func csvRelease(t *testing.T) *release {
	t.Helper()
	r := &release{dir: t.TempDir()}
	r.input, r.output = filepath.Join(r.dir, "in.csv"), filepath.Join(r.dir, "out.csv")
	var in strings.Builder
	in.WriteString("\ufeffk;c;d\r\n")
	for i := range 4000 {
		fmt.Fprintf(&in, "%d;%s;\"x\r\n%d\"\r\n", i%97, abcde[i*i%5], i%11)
	}
	must(t, writeText(r.input, in.String()))
	seed := uint64(1)
	_, err := pipeline.Run(t.Context(), pipeline.Options{Input: r.input, Column: "c",
		Utility: "ordered:a,b,c,d,e",
		Epsilon: "1.5", Output: r.output, Report: filepath.Join(r.dir, "report"), TestSeed: &seed, AllowSorted: true})
	must(t, err)
	r.load(t)
	return r
}

// cells is a row that changes the bytes of a CSV output.
func cells(base, name, want string, change func(b []byte) []byte) alteration {
	return alteration{name: name, base: base, want: want, do: func(t *testing.T, r *release) {
		data := []byte(mustRead(t, r.output))
		changed := change(bytes.Clone(data))
		if bytes.Equal(changed, data) {
			t.Fatal("nothing was altered")
		}
		must(t, os.WriteFile(r.output, changed, 0o666))
	}}
}

// lastLine is where the last row of a CSV file begins.
func last(b []byte) int { return bytes.LastIndex(b[:len(b)-3], []byte("\"\r\n")) + 3 }

// ofCSV change a CSV output, or how it is said to be written.
var ofCSV = []alteration{
	cells("csv", "quotes of another cell", "copied columns", func(b []byte) []byte {
		return bytes.Replace(b,
			[]byte("\n7;"), []byte("\n\"7\";"), 1)
	}),
	cells("csv", "a line end", "copied columns", func(b []byte) []byte {
		return bytes.Replace(b, []byte("\"\r\n"), []byte("\"\n"),
			1)
	}),
	cells("csv", "no byte order mark", "copied columns", func(b []byte) []byte { return b[3:] }),
	cells("csv", "the header's quotes", "copied columns", func(b []byte) []byte {
		return bytes.Replace(b,
			[]byte(";c;d"), []byte(";c;\"d\""), 1)
	}),
	cells("csv", "quotes that tell", "quotes", func(b []byte) []byte {
		return bytes.Replace(b, []byte(";b;"), []byte(";\"b\";"),
			1)
	}),
	cells("csv", "a row cut", `"row 4000"`, func(b []byte) []byte { return b[:last(b)+3] }),
	{name: "another delimiter", base: "csv", want: `"no column"`,
		do: put("report.output.dialect.delimiter", ",")},
}
