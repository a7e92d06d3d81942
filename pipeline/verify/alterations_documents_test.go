package verify_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify"
	"github.com/tacet-privacy/tacet/test/torture"
)

// file is where a file of a release lies: the output, key or history by that word, or a file
// of the report's folder.
func (r *release) file(name string) string {
	switch name {
	case "output":
		return r.output
	case "key":
		return r.drawKey
	case "history":
		return r.history
	}
	return r.path(name)
}

// text changes a file of the release by its text.
func text(file string, change func(string) string) change {
	return func(t *testing.T, r *release) { changeFile(t, r.file(file), change) }
}

// removed takes a file of the release away.
func removed(file string) change {
	return func(t *testing.T, r *release) { must(t, os.Remove(r.file(file))) }
}

// changeFile changes a file by its text.
func changeFile(t *testing.T, path string, change func(string) string) {
	t.Helper()
	was := mustRead(t, path)
	is := change(was)
	if is == was {
		t.Fatalf("nothing changed in %s", path)
	}
	must(t, os.WriteFile(path, []byte(is), 0o600))
}

func replace(old, fresh string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, fresh, 1) }
}

func add(more string) func(string) string { return func(s string) string { return s + more } }

func half(s string) string { return s[:len(s)/2] }

func nothing(string) string { return "" }

func become(text string) func(string) string { return func(string) string { return text } }

// digits exchanges digits of a hash.
func digits(s string) string { return strings.NewReplacer("0", "1", "1", "0").Replace(s) }

// noise changes the bytes between two places, which are counted from the end.
func noise(from, to int) func(string) string {
	return func(s string) string {
		data := []byte(s)
		for i := len(data) - from; i < len(data)-to; i++ {
			data[i] ^= byte(i * 7)
		}
		return string(data)
	}
}

// damaged are the rows of documents that are none.
func damaged() (rows []row) {
	for _, file := range []string{"report.json", "plan.json"} {
		for name, change := range map[string]func(string) string{
			"cut in half": half, "empty": nothing, "more behind": add("{}"), "a list": become("[]"), "null": become("null"),
			"NaN":            replace(`"rank":`, `"rank": NaN, "r":`),
			"a member twice": replace(`"schema":`, `"schema": "x", "schema":`),
			"deep":           become(strings.Repeat("[", 100_000)),
		} {
			rows = append(rows, row{"safe", file + " " + name, `"` + file + ` `, text(file, change)})
		}
		rows = append(rows, row{"safe", file + " is gone", `"cannot be read"`, removed(file)})
	}
	return rows
}

// ofDocuments change documents and statements byte by byte.
var ofDocuments = slices.Concat(of(asItLies, damaged()), of(asItLies, []row{
	{"safe", "a member behind the plan's hash", `"has a member twice"`, text("plan.json", func(s string) string {
		return strings.TrimSuffix(s, "\n}\n") + ",\n\"null\": \"public\"}\n"
	})},
	// Statements.
	{"safe", "a word of a page", "statement", text("report.html", replace("rank", "bank"))},
	{"safe", "a figure of the text", "statement", text("report.txt", add("9\n"))},
	{"safe", "a line of a public page", "statement", text("public/report.html", add("\n"))},
	{"safe", "a file left out", "statement", text("release.json", replace("report.html", "report.htmm"))},
	{"safe", "another type", "statement", text("release.json", replace("Statement/v1", "Statement/v2"))},
	{"safe", "a statement of another version", "statement",
		text("release.json", replace("\"version\": \"\"", "\"version\": \"9\""))},
	{"safe", "another sum", "commitment", text("public/release.json", digits)},
	{"safe", "no key of the commitment", "commitment", text("commitment.key", nothing)},
	{"safe", "no statement", `"holds no release"`, removed("release.json")},
	{"no hash", "a list of what has no hash, cut short", "statement",
		text("release.json", replace("\"output\",\n      \"input\"", "\"output\""))},
}), of(restated, []row{
	// The hash of a plan covers what stands before its key: nothing else may stand behind it.
	{"safe", "a blank behind the plan", "plan hash", text("plan.json", add(" "))},
	{"open", "a value of the public mechanism", "views", text("public/mechanism.json", replace("\"e\"", "\"f\""))},
}), of(hashed, []row{
	// The rows of a safe design follow from order and floor, of no other design.
	{"safe", "a utility for a rank, rows left out", "row sums",
		put("plan.mechanisms[0].rows", gone{}, "plan.floor.by", "value", "plan.floor.at", 1)},
	{"weights", "an order that is no table", "order", func(_ *testing.T, r *release) {
		at(r.plan, "order")["load"], r.order = "circular:@order.csv", []byte("a\nb\nc\nd\ne\n")
	}},
}))

// shown shows verify the public report and the output.
func shown(r *release, q *verify.Request) {
	q.Report, q.Input, q.Trust = r.path("public/report.json"), "", ""
}

func untrusted(_ *release, q *verify.Request) { q.Trust = "" }

// told says a text in the public report otherwise, as its recipient has it.
func told(old, fresh string) row {
	return row{"signed", "public: " + fresh, "told again", text("public/report.json", replace(old, fresh))}
}

// ofPublic change public report and public statement.
var ofPublic = slices.Concat(asked(shown, of(asItLies, []row{
	told(`"rows": 400`, `"rows": 401`),
	told(`"target": "0.9"`, `"target": "0.8"`),
	told(`"target_factor": 2.4596`, `"target_factor": 2.4595`),
	told(`"times": 2.4`, `"times": 2.3`),
	told(`"words": "the floor (rank`, `"words": "the floor (rung`),
	told(`"stamp": "NOT A`, `"stamp": "A`),
	told(`"column"`, `"colunm"`),
	{"signed", "another output", "output hash", func(t *testing.T, r *release) {
		must(t, os.Rename(copied(t, "certain all").output, r.output))
	}},
})), asked(untrusted, of(asItLies, []row{
	// Whoever has commitment.key, but no key to sign with.
	{"signed", "its hash", "commitment", text("public/release.json", func(s string) string {
		return replaceFirst(s, regexp.MustCompile("\"sha256\": \"[0-9a-f]{8}"), "\"sha256\": \"00000000")
	})},
	{"signed", "its version", "commitment", text("public/release.json", replace("\"version\": \"", "\"version\": \"9"))},
	{"signed", "its stamp", "commitment", text("public/release.json", replace("NOT A PRIVATE", "A PRIVATE"))},
})), of(asItLies, []row{
	{"signed", "a public statement that nobody signed", "public signature",
		text("public/release.json", replace("out.parquet", "oot.parquet"))},
}))

// ofSignatures change what is signed, or who signs.
var ofSignatures = of(asItLies, []row{
	{"signed", "a digit of the statement", "signature", text("release.json", digits)},
	{"signed", "half a signature", "signature", text("release.json.minisig", half)},
	{"signed", "a signature by another key", "signature", func(t *testing.T, r *release) {
		must(t, writeText(r.path("release.json.minisig"), mustRead(t, signed(t).path("release.json.minisig"))))
	}},
	{"signed", "a signature of the old kind", "signature", text("release.json.minisig", replace("\nRU", "\nRW"))},
	{"signed", "no signature", "signature", removed("release.json.minisig")},
	{"signed", "another key than the one that is trusted", "signature",
		func(t *testing.T, r *release) { r.trust = signed(t).trust }},
})

// edits are what a forger may do to a text, whatever it is.
var edits = []func(string) string{add(" "), half, nothing,
	func(s string) string { return digit.ReplaceAllString(s, "${1}9") + "9" },
	func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest }}

var (
	digit = regexp.MustCompile(`(\d)\d`)
	year  = regexp.MustCompile(`20\d\d`)
)

func replaceFirst(s string, at *regexp.Regexp, fresh string) string {
	loc := at.FindStringIndex(s)
	if loc == nil {
		return s + fresh
	}
	return s[:loc[0]] + fresh + s[loc[1]:]
}

// TestForgedFiles edits every file of signed releases: with --trust each edit is refused,
// even where the release is stated anew; without it where the statement is as it was, and,
// stated anew, wherever the file is one that others contradict. Every file gets one edit, and with
// TACET_TORTURE all.
func TestForgedFiles(t *testing.T) {
	t.Parallel()
	all := torture.Long()
	for _, kind := range []string{"plain", "strata", "columns", "nights"} {
		k := newSigner(t)
		r := build(t, kind, k.path)
		plain, trusting := r.request(t), r.request(t)
		trusting.Trust = k.line()
		untouched(t, kind, plain)
		untouched(t, kind, trusting)
		inside, outside := r.path(report.StatementFile), r.path("public/"+report.StatementFile)
		stated, public := mustRead(t, inside), mustRead(t, outside)
		n := 0
		must(t, filepath.WalkDir(r.path(""), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, report.SignatureEnding) {
				return err
			}
			file, err := filepath.Rel(r.path(""), path)
			must(t, err)
			whole := mustRead(t, path)
			n++
			for i, edit := range edits {
				if !all && i != n%len(edits) {
					continue
				}
				name := fmt.Sprint(kind, ": ", file, ": edit ", i)
				must(t, os.WriteFile(path, []byte(edit(whole)), 0o600))
				refuses(t, name, trusting)
				if open, ok := strings.CutPrefix(file, "public/"); ok && kind == "plain" && open != "mechanism.json" {
					public := trusting
					public.Report, public.Input = r.path("public/report.json"), ""
					refuses(t, name+", by itself", public)
				}
				stating := strings.HasSuffix(file, report.StatementFile) || file == report.CommitmentFile
				if !stating {
					refuses(t, name+", without trust", plain)
				}
				if !stating && json.Valid([]byte(mustRead(t, r.path(firstReport(r.path("")))))) {
					restate(t, r.path(""))
					refuses(t, name+", stated anew", trusting)
					if base := filepath.Base(file); base == "plan.json" || base == "order.csv" {
						refuses(t, name+", stated anew, without trust", plain)
					}
				}
				for path, was := range map[string]string{inside: stated, outside: public, path: whole} {
					must(t, os.WriteFile(path, []byte(was), 0o600))
				}
			}
			return nil
		}))
		if n < 12 {
			t.Errorf("%s: only %d forgeries", kind, n)
		}
	}
}

// firstReport is the report from which a statement has its version and stamp.
func firstReport(folder string) string {
	if _, err := os.Stat(filepath.Join(folder, "report.json")); err == nil {
		return "report.json"
	}
	return "1/report.json"
}

// refuses wants a check to fail, or the files to be refused.
func refuses(t *testing.T, name string, q verify.Request) {
	t.Helper()
	if got, err := verify.Run(t.Context(), q); err == nil && len(got.Failed()) == 0 {
		t.Errorf("%s: nothing failed", name)
	}
}
