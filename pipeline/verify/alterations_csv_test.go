package verify_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// csvRelease is a release of a file of three columns, of which c may move by one place.
func csvRelease(t *testing.T) *release {
	t.Helper()
	r := &release{dir: folder(t)}
	r.input, r.output = filepath.Join(r.dir, "in.csv"), filepath.Join(r.dir, "out.csv")
	var in strings.Builder
	in.WriteString("\ufeffk;c;d\r\n")
	for i := range 4000 {
		fmt.Fprintf(&in, "%d;%s;\"x\r\n%d\"\r\n", i%97, abcde[i*i%5], i%11)
	}
	must(t, writeText(r.input, in.String()))
	seed := uint64(1)
	_, err := pipeline.Run(t.Context(), options{Input: r.input, Column: "c", Utility: ordered, Epsilon: "1.5",
		Output: r.output, Report: filepath.Join(r.dir, "report"), TestSeed: &seed, AllowSorted: true})
	must(t, err)
	r.load(t)
	return r
}

// lastRow is where the last row of a CSV file begins.
func lastRow(s string) int { return strings.LastIndex(s[:len(s)-3], "\"\r\n") + 3 }

// ofCSV change a CSV output, or how it is said to be written.
var ofCSV = of(hashed, []row{
	{"csv", "quotes of another cell", "copied columns", text("output", replace("\n7;", "\n\"7\";"))},
	{"csv", "a line end", "copied columns", text("output", replace("\"\r\n", "\"\n"))},
	{"csv", "no byte order mark", "copied columns", text("output", func(s string) string { return s[3:] })},
	{"csv", "the header's quotes", "copied columns", text("output", replace(";c;d", ";c;\"d\""))},
	{"csv", "quotes that tell", "quotes", text("output", replace(";b;", ";\"b\";"))},
	{"csv", "a row cut", `"row 4000"`, text("output", func(s string) string { return s[:lastRow(s)+3] })},
	{"csv", "another delimiter", `"no column"`, put("report.output.dialect.delimiter", ",")},
})
