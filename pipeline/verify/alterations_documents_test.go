package verify_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// text changes a file of the release by its text.
func text(file string, change func(string) string) func(*testing.T, *release) {
	return func(t *testing.T, r *release) { changeFile(t, r.path(file), change) }
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

// digits exchanges digits of a hash.
func digits(s string) string { return strings.NewReplacer("0", "1", "1", "0").Replace(s) }

// lineOf changes a line of a text.
func lineOf(n int, change func(string) string) func(string) string {
	return func(s string) string {
		lines := strings.Split(s, "\n")
		lines[n] = change(lines[n])
		return strings.Join(lines, "\n")
	}
}

// damaged are the rows of documents that are none.
func damaged() (rows []alteration) {
	for _, file := range []string{"report.json", "plan.json"} {
		for name, change := range map[string]func(string) string{
			"cut in half": half, "empty": nothing, "more behind": add("{}"),
			"a list":         func(string) string { return "[]" },
			"null":           func(string) string { return "null" },
			"NaN":            replace(`"rank":`, `"rank": NaN, "r":`),
			"a member twice": replace(`"schema":`, `"schema": "x", "schema":`),
			"deep":           func(string) string { return strings.Repeat("[", 100_000) },
		} {
			rows = append(rows, alteration{name: file + " " + name, base: "safe", want: `"` + file + ` `, raw: true,
				do: text(file, change)})
		}
		rows = append(rows, alteration{name: file + " is gone", base: "safe", want: `"cannot be read"`, raw: true,
			do: func(t *testing.T, r *release) { must(t, os.Remove(r.path(file))) }})
	}
	return rows
}

// ofDocuments change documents and statements byte by byte.
var ofDocuments = append(damaged(), []alteration{
	// The hash of a plan covers what stands before its key: nothing else may stand behind it.
	{name: "a blank behind the plan", base: "safe", want: "plan hash", raw: true, do: restated("plan.json", add(" "))},
	{name: "a member behind the plan's hash", base: "safe", want: `"has a member twice"`, raw: true,
		do: text("plan.json", func(s string) string {
			return strings.TrimSuffix(s, "\n}\n") + ",\n\"null\": \"public\"}\n"
		})},
	// The rows of a safe design follow from order and floor, of no other design.
	{name: "a utility for a rank, rows left out", base: "safe", want: "row sums",
		do: put("plan.mechanisms[0].rows", gone{}, "plan.floor.by", "value", "plan.floor.at", 1)},
	{name: "an order that is no table", base: "weights", want: "order", do: func(_ *testing.T, r *release) {
		at(r.plan, "order")["load"], r.order = "circular:@order.csv", []byte("a\nb\nc\nd\ne\n")
	}},
	// Statements.
	{name: "a word of a page", base: "safe", want: "statement", raw: true,
		do: text("report.html", replace("rank", "bank"))},
	{name: "a figure of the text", base: "safe", want: "statement", raw: true, do: text("report.txt", add("9\n"))},
	{name: "a line of a public page", base: "safe", want: "statement", raw: true,
		do: text("public/report.html", add("\n"))},
	{name: "a file left out", base: "safe", want: "statement", raw: true,
		do: text("release.json", replace("report.html", "report.htmm"))},
	{name: "another type", base: "safe", want: "statement", raw: true,
		do: text("release.json", replace("Statement/v1", "Statement/v2"))},
	{name: "a statement of another version", base: "safe", want: "statement", raw: true,
		do: text("release.json", replace("\"version\": \"\"", "\"version\": \"9\""))},
	{name: "another sum", base: "safe", want: "commitment", raw: true, do: text("public/release.json", digits)},
	{name: "no key of the commitment", base: "safe", want: "commitment", raw: true, do: text("commitment.key", nothing)},
	{name: "a value of the public mechanism", base: "open", want: "views", raw: true,
		do: restated("public/mechanism.json", replace("\"e\"", "\"f\""))},
	{name: "no statement", base: "safe", want: `"holds no release"`, raw: true,
		do: func(t *testing.T, r *release) { must(t, os.Remove(r.path("release.json"))) }},
	{name: "a list of what has no hash, cut short", base: "no hash", want: "statement", raw: true,
		do: text("release.json", replace("\"output\",\n      \"input\"", "\"output\""))},
}...)

// restated changes a file and states the release anew.
func restated(file string, change func(string) string) func(*testing.T, *release) {
	return func(t *testing.T, r *release) {
		text(file, change)(t, r)
		restate(t, r.path(""))
	}
}

// shown shows verify the public report and the output.
func shown(r *release, q *verify.Request) {
	q.Report, q.Input, q.Trust = r.path("public/report.json"), "", ""
}

// public is a row that changes a public report as its recipient has it; told says a text in
// the public report otherwise.
func told(old, fresh, want string) alteration {
	return alteration{name: "public: " + fresh, base: "signed", want: want, raw: true, ask: shown,
		do: text("public/report.json", replace(old, fresh))}
}

// ofPublic change public report and public statement.
var ofPublic = []alteration{
	told(`"rows": 400`, `"rows": 401`, "columns"),
	told(`"target": "0.9"`, `"target": "0.8"`, "claims"),
	told(`"target_factor": 2.4596`, `"target_factor": 2.4595`, "caps"),
	told(`"times": 2.4`, `"times": 2.3`, "claims"),
	told(`"words": "the floor (rank`, `"words": "the floor (rung`, "claims"),
	told(`"stamp": "NOT A`, `"stamp": "A`, "report"),
	told(`"column"`, `"colunm"`, "claims"),
	{name: "another output", base: "signed", want: "output hash", raw: true, ask: shown,
		do: func(t *testing.T, r *release) {
			j := job{cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c",
				options: pipeline.Options{Epsilon: "1.4", AllowUnchanged: true}}
			must(t, os.Rename(j.make(t).output, r.output))
		}},
	// Whoever has commitment.key, but no key to sign with.
	{name: "its hash", base: "signed", want: "commitment", raw: true, ask: untrusted,
		do: text("public/release.json", func(s string) string {
			return replaceFirst(s, regexp.MustCompile("\"sha256\": \"[0-9a-f]{8}"), "\"sha256\": \"00000000")
		})},
	{name: "its version", base: "signed", want: "commitment", raw: true, ask: untrusted,
		do: text("public/release.json", replace("\"version\": \"", "\"version\": \"9"))},
	{name: "its stamp", base: "signed", want: "commitment", raw: true, ask: untrusted,
		do: text("public/release.json", replace("NOT A PRIVATE", "A PRIVATE"))},
	{name: "a public statement that nobody signed", base: "signed", want: "public signature", raw: true,
		do: text("public/release.json", replace("out.parquet", "oot.parquet"))},
}

func untrusted(_ *release, q *verify.Request) { q.Trust = "" }

// ofSignatures change what is signed, or who signs.
var ofSignatures = []alteration{
	{name: "a digit of the statement", base: "signed", want: "signature", raw: true, do: text("release.json", digits)},
	{name: "half a signature", base: "signed", want: "signature", raw: true, do: text("release.json.minisig", half)},
	{name: "a signature by another key", base: "signed", want: "signature", raw: true,
		do: func(t *testing.T, r *release) {
			must(t, os.WriteFile(r.path("release.json.minisig"),
				[]byte(mustRead(t, signed(t).path("release.json.minisig"))), 0o600))
		}},
	{name: "a signature of the old kind", base: "signed", want: "signature", raw: true,
		do: text("release.json.minisig", lineOf(1, replace("RU", "RW")))},
	{name: "no signature", base: "signed", want: "signature", raw: true,
		do: func(t *testing.T, r *release) { must(t, os.Remove(r.path("release.json.minisig"))) }},
	{name: "another key than the one that is trusted", base: "signed", want: "signature", raw: true,
		do: func(t *testing.T, r *release) { r.trust = signed(t).trust }},
}
