package verify

import (
	"bytes"
	"context"
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
	_, err := pipeline.Run(context.Background(), pipeline.Options{Input: r.input, Column: "c",
		Utility: "ordered:a,b,c,d,e",
		Epsilon: "1.5", Output: r.output, Report: filepath.Join(r.dir, "report"), TestSeed: &seed, AllowSorted: true})
	must(t, err)
	r.load(t)
	return r
}

// TestAlteredCSV: every altered output is refused by name, though every hash fits.
func TestAlteredCSV(t *testing.T) {
	base := csvRelease(t)
	result, err := Run(context.Background(), base.request())
	must(t, err)
	if failed := result.Failed(); len(failed) > 0 {
		t.Fatal(failed)
	}
	last := func(b []byte) int { return bytes.LastIndex(b[:len(b)-3], []byte("\"\r\n")) + 3 }
	for _, k := range []struct {
		name, want string
		do         func(b []byte) []byte
	}{
		{"another cell", "copied columns", func(b []byte) []byte {
			return bytes.Replace(b, []byte("\n7;"), []byte("\n8;"),
				1)
		}},
		{"another cell within quotes", "copied columns",
			func(b []byte) []byte { return bytes.Replace(b, []byte("x\r\n7"), []byte("x\n7"), 1) }},
		{"quotes of another cell", "copied columns",
			func(b []byte) []byte { return bytes.Replace(b, []byte("\n7;"), []byte("\n\"7\";"), 1) }},
		{"a line end", "copied columns", func(b []byte) []byte {
			return bytes.Replace(b, []byte("\"\r\n"), []byte("\"\n"),
				1)
		}},
		{"no byte order mark", "copied columns", func(b []byte) []byte { return b[3:] }},
		{"the header's quotes", "copied columns",
			func(b []byte) []byte { return bytes.Replace(b, []byte(";c;d"), []byte(";c;\"d\""), 1) }},
		{"a forbidden value", "forbidden cells", func(b []byte) []byte {
			at := last(b)
			return append(b[:at:at], bytes.ReplaceAll(bytes.ReplaceAll(b[at:], []byte(";b;"), []byte(";e;")), []byte(";a;"),
				[]byte(";e;"))...)
		}},
		{"a value that is no output", "alphabet",
			func(b []byte) []byte { return bytes.Replace(b, []byte(";b;"), []byte(";f;"), 1) }},
		{"a null", "alphabet", func(b []byte) []byte { return bytes.Replace(b, []byte(";b;"), []byte(";;"), 1) }},
		{"quotes that tell", "quotes", func(b []byte) []byte {
			return bytes.Replace(b, []byte(";b;"), []byte(";\"b\";"),
				1)
		}}, {"a row dropped", "output file", func(b []byte) []byte { return b[:last(b)] }},
		{"a row doubled", "output file", func(b []byte) []byte { return append(b, b[last(b):]...) }},
		{"a row cut", `"row 4000"`, func(b []byte) []byte { return b[:last(b)+3] }},
		{"a column dropped", `"row 1"`,
			func(b []byte) []byte { return bytes.Replace(b, []byte("k;c;d"), []byte("k;c"), 1) }},
		{"columns renamed", "columns", func(b []byte) []byte {
			return bytes.Replace(b, []byte("k;c;d"), []byte("h;c;d"),
				1)
		}},
	} {
		t.Run(k.name, func(t *testing.T) {
			r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
			data, err := os.ReadFile(r.output)
			must(t, err)
			changed := k.do(bytes.Clone(data))
			if bytes.Equal(changed, data) {
				t.Fatal("nothing was altered")
			}
			must(t, os.WriteFile(r.output, changed, 0o666))
			r.save(t, true)
			r.refused(t, k.want)
		})
	}
	for _, k := range []struct {
		name, want string
		do         func(d map[string]any)
	}{
		{"another delimiter", `"no column"`, func(d map[string]any) { d["delimiter"] = "," }},
		{"no header", `"no column"`, func(d map[string]any) { d["header"] = false }},
	} {
		t.Run(k.name, func(t *testing.T) {
			r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
			k.do(at(at(r.report, "output"), "dialect"))
			r.save(t, true)
			r.refused(t, k.want)
		})
	}
	t.Run("another input", func(t *testing.T) {
		r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
		at(at(r.report, "input"), "dialect")["delimiter"] = ","
		r.save(t, true)
		r.refused(t, "input file")
	})
}
