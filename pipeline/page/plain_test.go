package page

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// unclear are sentences that readers took for something else, or for nothing.
var unclear = []*regexp.Regexp{
	regexp.MustCompile(`(?i)e\^epsilon times as often|[0-9] times as often|at most that: at most`),
	regexp.MustCompile(`(?i)relative to (this|the) file's own histogram`),
	regexp.MustCompile(`(?i)the next row holds the same letter|several draws of one letter`),
	regexp.MustCompile(`(?i)letters? of the order w(as|ere) ignored`),
	regexp.MustCompile(`(?i)epsilon given the columns published in clear`),
	regexp.MustCompile(`(?i)what can be believed|\bcap (is )?1\b|does not exclude certainty`),
	regexp.MustCompile(`(?i)certified bracket|left open [0-9.e-]+ of the range`),
	regexp.MustCompile(`(?i)utility worst -[0-9.]+ km|(mean|distance|away|farthest)[^|.;<]{0,20} -[0-9.]+ ?km`),
	regexp.MustCompile(`(?i)cumulative epsilon: no ledger|WP ?216`),
	regexp.MustCompile(`(?m)^(## )?Why( this column.*)?$|(?i)\| at this detail \|`),
	regexp.MustCompile(`(?i)levels up \([0-9]+ is the root\)|rows of the order have ties; the lower letter`),
	regexp.MustCompile(`(?i)treat letters of fewer than|save with probability D over|job FILE \(YAML\) with a line for`),
	regexp.MustCompile(`(?i)of a sealed release: somebody|take a release out of the count, of which`),
	regexp.MustCompile(`(?i)what nulls are: refuse|name letters known from the data alone|does not belong into a ledger`),
	regexp.MustCompile(`(?i)other letters were drawn for than|needs epsilon 0 at the least`),
	regexp.MustCompile(`(?i)there may be 10,000 strata at most|is judged where it has at least 20 records`),
}

// TestSentencesThatWereMisread: no view, no document and no string of the programs has one of them.
func TestSentencesThatWereMisread(t *testing.T) {
	texts := map[string]string{}
	full := everywhere("plain")
	full.Utility.Unit = "km"
	for _, r := range []*report.Report{sample(), full, {}} {
		for of, d := range map[string]*report.Document{"the report": Internal(r), "the public report": Public(r.Publish())} {
			for format := range showing {
				texts[of+" as "+format] += shown(t, d, format)
			}
		}
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/nightly/*", "cmd/*/*.go", "io/*/*.go",
		"io/*/*/*.go", "mechanism/*.go", "mechanism/*/*.go", "pipeline/*.go", "pipeline/*/*.go", "pipeline/*/*/*.go"} {
		paths, err := filepath.Glob("../../" + pattern)
		if len(paths) == 0 {
			t.Fatalf("no file is %s: %v", pattern, err)
		}
		for _, path := range paths {
			if name := filepath.Base(path); name == "CHANGELOG.md" || strings.HasSuffix(name, "_test.go") {
				continue // which say what was
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if texts[path] = string(data); filepath.Ext(path) == ".go" {
				texts[path] = literals(t, path, data)
			}
		}
	}
	for where, text := range texts {
		text += "\n" + flat(text)
		for _, u := range unclear {
			if found := u.FindString(text); found != "" {
				t.Errorf("%s says %q", where, found)
			}
		}
	}
}

// literals are the strings of a program, one after another: help, messages, words.
func literals(t *testing.T, path string, source []byte) string {
	file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			all.WriteString(text)
		}
		return true
	})
	return all.String()
}

// TestPublicReportAdvisesNoCommand: it is for who uses the file, not for who made it, and
// what it names is there for everyone.
func TestPublicReportAdvisesNoCommand(t *testing.T) {
	bad := regexp.MustCompile(`--[a-z]{2,}|\btacet (run|verify|recover|report|frontier|design|apply|estimate)\b|` +
		`stated above|see the section|\bplan\.json|order\.csv`)
	for format := range showing {
		for _, r := range []*report.Report{sample(), everywhere("plain")} {
			text := shown(t, Public(r.Publish()), format)
			if format == "html" {
				text = regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(text, "")
			}
			check := regexp.MustCompile(`tacet verify --report report\.json --output`) // which page one names
			if found := bad.FindString(check.ReplaceAllString(flat(text), "")); found != "" {
				t.Errorf("the %s view says %q", format, found)
			}
		}
	}
}

// TestHeads: tables have one word for each idea, and where utility is a distance they say
// so.
func TestHeads(t *testing.T) {
	twice := regexp.MustCompile(`(?i)\b(letters?|symbols?|caps?|laws?|channels?|supports?)\b|^(worst |mean )?utility$`)
	away := regexp.MustCompile(`-[0-9][0-9.,]* ?km\b`)
	full := everywhere("plain")
	full.Utility.Unit = "km"
	full.Utility.Worst, full.Utility.Expected, full.Floor.Value = -1234.5, -12.25, -1234.5
	tables := 0
	for _, r := range []*report.Report{sample(), full} {
		for _, d := range []*report.Document{Internal(r), Public(r.Publish())} {
			for _, s := range d.All() {
				for _, table := range s.Tables {
					tables++
					for _, words := range append(table.Head, table.Caption) {
						if found := twice.FindString(words); found != "" {
							t.Errorf("a table of section %q says %q", s.Title, words)
						}
					}
				}
			}
			for format := range showing {
				if found := away.FindString(shown(t, d, format)); found != "" {
					t.Errorf("the %s view has a distance below 0: %q", format, found)
				}
			}
		}
	}
	if tables < 12 {
		t.Errorf("%d tables were looked at", tables)
	}
}
