package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tacet-privacy/tacet/"

// packages says what each part of the module may import directly, and why. The
// longest prefix decides. Standard library packages are named one by one
// where a package is pure, and else by "std". What ends in "$" is that package
// alone, without those below it.
var packages = []struct {
	prefix, why string
	allowed     []string
}{
	{"mechanism", "the mathematics: what mechanisms are and what they leak, exactly, with nothing of how they are found",
		[]string{
			"bytes", "cmp", "errors", "fmt", "iter", "maps", "math", "math/big", "math/bits", "runtime", "slices",
			"sort", "strconv", "strings", "sync", "sync/atomic", module + "mechanism$"}},
	{"mechanism/optimum", "makes integers of what the solver proposes, and accepts or rejects them", []string{
		"cmp", "context", "errors", "fmt", "math", "math/big", "math/bits", "slices", "strconv", module + "mechanism$",
		module + "mechanism/interior$"}},
	{"mechanism/recovery", "mechanisms that can be undone: searches in floats, proves what it finds", []string{
		"cmp", "context", "math", "math/big", "math/bits", "math/rand/v2", "slices", "gonum.org/v1/gonum/mat",
		module + "mechanism$", module + "mechanism/optimum$"}},
	{"mechanism/frontier", "what floors cost: knows no goal", []string{
		"cmp", "context", "errors", "fmt", "math", "math/big", "runtime", "slices", "sync", "sync/atomic", module +
			"mechanism$",
		module + "mechanism/optimum$"}},
	{"mechanism/design", "goals: the registry of designs; time is the search's own", []string{
		"cmp", "context", "errors", "fmt", "math", "math/big", "slices", "strings", "time", module + "mechanism$",
		module + "mechanism/blocks$", module + "mechanism/frontier$", module + "mechanism/optimum$",
		module + "mechanism/recovery$"}},
	{"mechanism/blocks", "partitions of letters: knows no goal", []string{"cmp", "math", "math/big", "slices", "sort",
		module + "mechanism$"}},
	{"mechanism/draw", "sampling: key streams come from the standard library's cryptography", []string{
		"bytes", "cmp", "encoding/binary", "errors", "fmt", "math", "math/big", "math/bits", "slices", "strconv",
		"sync", "crypto/aes", "crypto/cipher", "crypto/hkdf", "crypto/hmac", "crypto/rand", "crypto/sha256", module + "mechanism"}},
	{"mechanism/interior", "the float solver: returns proposals, knows nothing exact", []string{
		"cmp", "context", "errors", "fmt", "math", "runtime", "slices", "sort", "sync", "sync/atomic", "time",
		"gonum.org/v1/gonum/"}},
	{"mechanism/mechtest", "the conformance suite reads its vectors", []string{
		"std", module + "mechanism"}},
	{"estimate", "priors and their bounds, and from outputs back to shares of letters: no I/O", []string{
		"cmp", "context", "errors", "fmt", "maps", "math", "math/big", "math/bits", "math/rand/v2", "slices", "sort",
		"gonum.org/v1/gonum/", module + "mechanism"}},
	{"estimate/judge", "rules that are learnt on one half of rows and held against the other: letters and keys, no I/O",
		[]string{
			"cmp", "encoding/binary", "fmt", "iter", "math", "math/big", "math/bits", "slices", "sync", module + "estimate$",
			module + "mechanism$"}},
	{"io", "files: no mathematics", []string{
		"std", "golang.org/x/sys/", "golang.org/x/sync/", "github.com/apache/arrow-go/v18/",
		"github.com/parquet-go/parquet-go",
		"github.com/parquet-go/bitpack", "github.com/klauspost/compress/", "github.com/andybalholm/brotli",
		"github.com/pierrec/lz4/v4", module + "io/"}},
	{"io/store", "objects that are no files: knows no cloud, but the program that does", []string{"std",
		"golang.org/x/sync/errgroup$"}},
	{"io/table", "the contract of formats and what they share: knows none of them",
		[]string{"std", module + "io/publish$"}},
	{"io/dataset", "many files read as one: knows no format", []string{
		"std", module + "io/delta$", module + "io/publish$", module + "io/store$", module + "io/table$"}},
	{"io/delta", "which files are the rows of a Delta table", []string{"std", "github.com/parquet-go/parquet-go$"}},
	{"io/arrow", "Arrow files and streams by arrow-go, read and written anew: knows nothing of Parquet", []string{
		"std", "github.com/apache/arrow-go/v18/", "github.com/klauspost/compress/", "github.com/pierrec/lz4/v4",
		module + "io/publish$", module + "io/table$"}},
	{"io/csv", "CSV files, read and written anew", []string{"std", module + "io/publish$", module + "io/table$"}},
	{"io/parquet/meta", "where the chunks of a file are: copies and decodes none", []string{"std"}},
	{"io/parquet/page", "pages of a chunk, read and written: knows no file but its footer", []string{
		"std", "github.com/parquet-go/bitpack", "github.com/parquet-go/parquet-go/encoding/bytestreamsplit$",
		"github.com/klauspost/compress/", "github.com/andybalholm/brotli",
		"github.com/pierrec/lz4/v4", module + "io/parquet/meta$", module + "io/table$"}},
	{"io/parquet/splice", "Parquet files, read and written anew: of Arrow it knows the schema that writers leave",
		[]string{
			"std", "golang.org/x/sync/", "golang.org/x/sys/", "github.com/apache/arrow-go/v18/",
			"github.com/parquet-go/parquet-go", module + "io/arrow$",
			module + "io/parquet/meta$", module + "io/parquet/page$", module + "io/publish$", module + "io/table$"}},
	{"test/torture", "for tests that count: how long, and from which seed", []string{"std"}},
	{"pipeline", "where data and mathematics meet", []string{
		"std", "golang.org/x/sync/", module + "mechanism", module + "estimate", module + "io/", module + "pipeline/"}},
	{"pipeline/request", "what was asked for: reads job files, and no record",
		append(of("pipeline/", "fault", "key", "plan", "report", "utility"),
			"std", "go.yaml.in/yaml/v4", "github.com/xrash/smetrics$", module+"io/store$", module+"mechanism")},
	{"pipeline/count", "the input, its letters and their counts: designs nothing, draws nothing", append(
		of("pipeline/", "fault", "plan", "report", "request", "utility"),
		"std", "golang.org/x/sync/", module+"estimate", module+"io/", module+"mechanism$")},
	{"pipeline/plan", "what was decided, and the groups that it is decided for: bytes in, bytes out",
		append(of("pipeline/", "report", "utility"), "std", module+"io/table$", module+"mechanism")},
	{"pipeline/utility", "specs become orders: files are read by the caller", []string{"std", module + "mechanism"}},
	{"pipeline/decide", "makes the plan from letters and counts: writes nothing, draws nothing", append(
		of("pipeline/", "count", "fault", "plan", "report", "request", "utility"), "std", "golang.org/x/sync/", module+
			"estimate", module+"mechanism")},
	{"pipeline/neighbours", "what other columns tell: letters and keys, decides nothing",
		append(of("pipeline/", "count", "fault", "plan", "report", "request"),
			"std", "golang.org/x/sync/", module+"estimate", module+"io/", module+"mechanism")},
	{"pipeline/releases", "what releases remember: designs nothing", append(
		of("pipeline/", "count", "fault", "key", "ledger", "plan", "report", "request"),
		"std", "golang.org/x/sync/", module+"estimate", module+"io/", module+"mechanism")},
	{"pipeline/ledger", "what was released when: stores and orders, knows no mathematics", []string{
		"std", "modernc.org/sqlite", "golang.org/x/sys/unix", module + "io/publish"}},
	{"pipeline/records", "draws every record and checks what was written: decides nothing, says nothing", append(
		of("pipeline/", "count", "fault", "neighbours", "plan", "releases", "report", "request"),
		"std", "golang.org/x/sync/", module+"estimate", module+"io/", module+"mechanism")},
	{"pipeline/account", "figures and claims of a report: draws nothing, reads no record", append(
		of("pipeline/", "claim", "count", "decide", "plan", "report", "request"), "std", module+"estimate",
		module+"io/store$", module+"mechanism")},
	{"pipeline/claim", "what a release promises and tells: knows neither options nor files", []string{"std"}},
	{"pipeline/report", "what a run says of itself: knows no mechanism and no file", []string{"std", module + "mechanism$",
		module + "pipeline/claim$"}},
	{"pipeline/page", "says in words and pictures what a report holds",
		append(of("pipeline/", "claim", "fault", "report", "request", "utility"),
			"std", module+"mechanism/design$")},
	{"pipeline/floors", "what floors cost: decides nothing", append(
		of("pipeline/", "claim", "count", "decide", "fault", "page", "plan", "report", "request", "utility"), "std", module+
			"mechanism", module+"estimate$", module+"io/store$", module+"io/table$")},
	{"pipeline/inspect", "looks at a file with the readers of others: decides nothing, judges as a run does",
		append(of("pipeline/", "count", "fault", "neighbours", "report", "request", "utility"), "std",
			"github.com/apache/arrow-go/v18/", "github.com/parquet-go/parquet-go",
			module+"io/arrow$", module+"io/csv$", module+"io/store$", module+"io/table$", module+"mechanism$")},
	{"pipeline/studio", "pages that lead through a release: decides nothing, and calls what commands call", append(
		of("pipeline/", "fault", "floors", "inspect", "key", "page", "report", "request", "utility"),
		"std", module+"pipeline$", module+"io/publish$", module+"mechanism$")},
	{"pipeline/recover", "shares from a published column: reads no private one", append(
		of("pipeline/", "count", "decide", "fault", "page", "plan", "report", "request"), "std",
		"golang.org/x/sync/", module+"estimate$", module+"io/publish$", module+"io/table$", module+"mechanism$")},
	{"pipeline/fault", "classes of failures: knows the errors of the packages below, and causes none",
		append(of("pipeline/", "key", "ledger", "utility"),
			"std", module+"io/table", module+"io/publish", module+"io/store$")},
	{"pipeline/key", "secrets: made, read, named, never shown, and what they sign", []string{
		"std", "golang.org/x/sys/unix", "aead.dev/minisign", module + "io/publish"}},
	{"pipeline/verify", "whether a release is what it says: tells its report again from what the kernel proves", append(
		of("pipeline/", "account", "claim", "count", "decide", "key", "ledger", "page", "plan", "records", "releases", "report",
			"request", "utility"), "std", "aead.dev/minisign", module+"pipeline$", module+"io/dataset$",
		module+"io/store$", module+"io/table$", module+"mechanism$", module+"mechanism/composition$",
		module+"pipeline/verify/")},
	{"pipeline/verify/kernel", "proves what a release promises: shares nothing with what designs and writes", []string{
		"std", module + "pipeline/verify/kernel/files$"}},
	{"pipeline/verify/kernel/files", "files, tables and hashes: judges nothing", []string{
		"std", "github.com/apache/arrow-go/v18/", "github.com/parquet-go/parquet-go"}},
	{"cmd/tacet", "flags into one call of the pipeline", []string{
		"std", "github.com/urfave/cli/v2", "github.com/cheggaaa/pb/v3", "golang.org/x/term", "golang.org/x/sys/unix",
		module + "io/publish$", module + "io/store$", module + "mechanism", module + "pipeline"}},
	{"testdata", "generators, not part of the product", []string{"std", "github.com/"}},
}

// of are the packages of these names below a folder, each alone.
func of(folder string, names ...string) (out []string) {
	for _, n := range names {
		out = append(out, module+folder+n+"$")
	}
	return out
}

// A stranger keeps so many packages apart, and follows imports so deep.
const (
	mostRooms = 50
	mostDeep  = 8
)

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		part := strings.TrimPrefix(p.ImportPath, module)
		imports[p.ImportPath] = p.Imports
		allowed, why := allowedIn(part)
		if why == "" {
			t.Errorf("%s has no rule: name it in packages, with a reason", p.ImportPath)
		}
		for _, i := range p.Imports {
			if !isAllowed(i, allowed) {
				t.Errorf("%s imports %s; %s", part, i, why)
			}
		}
	}
	if len(imports) < 10 || len(imports) > mostRooms {
		t.Errorf("%d packages, and at most %d are wanted", len(imports), mostRooms)
	}
	for path := range imports {
		if n := deep(imports, path); n > mostDeep && strings.HasPrefix(path, module+"pipeline") {
			t.Errorf("%s begins a chain of %d imports within pipeline", path, n)
		}
	}
}

// TestTopLevel: a folder at the top is a word of CONTRIBUTING.md; others are hidden, or
// made by make.
func TestTopLevel(t *testing.T) {
	all, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"cmd", "docs", "estimate", "io", "mechanism", "out", "pipeline", "python", "tacetbeam", "test",
		"testdata"}
	for _, f := range all {
		if f.IsDir() && !strings.HasPrefix(f.Name(), ".") && !slices.Contains(known, f.Name()) {
			t.Errorf("the folder %s stands at the top: put it below one of %v", f.Name(), known)
		}
	}
}

// deep is the number of packages of the pipeline on the longest chain of imports.
func deep(imports map[string][]string, path string) int {
	longest := 0
	for _, i := range imports[path] {
		if strings.HasPrefix(i, module+"pipeline/") {
			longest = max(longest, deep(imports, i))
		}
	}
	return 1 + longest
}

func allowedIn(part string) (allowed []string, why string) {
	longest := -1
	for _, r := range packages {
		if (part == r.prefix || strings.HasPrefix(part, r.prefix+"/")) && len(r.prefix) > longest {
			longest, allowed, why = len(r.prefix), r.allowed, r.why
		}
	}
	return allowed, why
}

func isAllowed(path string, allowed []string) bool {
	standard := !strings.Contains(strings.Split(path, "/")[0], ".")
	for _, a := range allowed {
		if only, alone := strings.CutSuffix(a, "$"); alone {
			if path == only {
				return true
			}
			continue
		}
		if a == "std" && standard || path == a || strings.HasPrefix(path, strings.TrimSuffix(a, "/")+"/") &&
			strings.Contains(a, ".") {
			return true
		}
	}
	return false
}
