package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/tacet-privacy/tacet/"

// rooms says what each part of the module may import directly, and why. The
// longest prefix decides. Standard library packages are named one by one
// where a room is pure, and else by "std". What ends in "$" is that package
// alone, without those below it.
var rooms = []struct {
	prefix, why string
	allowed     []string
}{
	{"mechanism", "the mathematics: what mechanisms are and what they leak, exactly, with nothing of how they are found", []string{
		"bytes", "cmp", "errors", "fmt", "iter", "maps", "math", "math/big", "math/bits", "runtime", "slices",
		"sort", "strconv", "strings", "sync", "sync/atomic", module + "mechanism$", module + "mechanism/neumaier$"}},
	{"mechanism/neumaier", "sums of floats", []string{"math"}},
	{"mechanism/normal", "normal equations in floats: knows no mechanism", []string{"math", "gonum.org/v1/gonum/"}},
	{"mechanism/pattern", "supports as the solver sees them", []string{module + "mechanism$", module + "mechanism/interior$"}},
	{"mechanism/round", "integers from floats: decides nothing", []string{
		"math", "math/big", "slices", module + "mechanism$", module + "mechanism/pattern$"}},
	{"mechanism/flat", "flat mechanisms", []string{
		"context", "errors", "math", "math/big", "slices", module + "mechanism$", module + "mechanism/normal$"}},
	{"mechanism/optimum", "accepts or rejects what the solver proposes", []string{
		"cmp", "context", "fmt", "math", "math/big", "math/bits", "slices", module + "mechanism$", module + "mechanism/flat$",
		module + "mechanism/interior$", module + "mechanism/neumaier$", module + "mechanism/pattern$", module + "mechanism/round$"}},
	{"mechanism/frontier", "what floors cost: knows no goal", []string{
		"cmp", "context", "errors", "fmt", "math", "math/big", "runtime", "slices", "sync", "sync/atomic", module + "mechanism$",
		module + "mechanism/flat$", module + "mechanism/neumaier$", module + "mechanism/optimum$"}},
	{"mechanism/design", "goals: the registry of designs; time is the search's own", []string{
		"context", "errors", "fmt", "math", "math/big", "slices", "strings", "time", module + "mechanism$", module + "mechanism/flat$",
		module + "mechanism/frontier$", module + "mechanism/optimum$"}},
	{"mechanism/baseline", "what designs are compared with: makes none", []string{
		"fmt", "math", "math/big", "slices", module + "mechanism$", module + "mechanism/neumaier$", module + "mechanism/normal$",
		module + "mechanism/pattern$", module + "mechanism/round$"}},
	{"mechanism/draw", "sampling: key streams come from the standard library's cryptography", []string{
		"bytes", "cmp", "encoding/binary", "errors", "fmt", "math", "math/big", "math/bits", "slices", "sync",
		"crypto/aes", "crypto/cipher", "crypto/hkdf", "crypto/hmac", "crypto/rand", "crypto/sha256", module + "mechanism"}},
	{"mechanism/interior", "the float solver: returns proposals, knows nothing exact", []string{
		"cmp", "context", "errors", "fmt", "math", "runtime", "slices", "sort", "sync", "sync/atomic", "time", "gonum.org/v1/gonum/"}},
	{"mechanism/mechtest", "the conformance suite reads its vectors", []string{
		"std", module + "mechanism"}},
	{"estimate", "priors and their bounds: no I/O", []string{
		"cmp", "errors", "fmt", "math", "math/big", "math/bits", "slices", "sort", "gonum.org/v1/gonum/", module + "mechanism", module + "estimate/scatter"}},
	{"estimate/audit", "what kept columns tell: letters and codes, no I/O", []string{"std", module + "mechanism", module + "estimate/radix"}},
	{"estimate/scatter", "counts integers, and knows nothing else", nil},
	{"estimate/radix", "sorts integers, and knows nothing else", []string{"math/bits", "slices"}},
	{"io", "files: no mathematics", []string{
		"std", "golang.org/x/sys/", "golang.org/x/sync/", "github.com/apache/arrow-go/v18/", "github.com/parquet-go/parquet-go",
		"github.com/parquet-go/bitpack", "github.com/klauspost/compress/", "github.com/andybalholm/brotli", "github.com/pierrec/lz4/v4", "github.com/google/flatbuffers/", module + "io/"}},
	{"io/bounds", "compares numbers, and knows nothing else", nil},
	{"io/arrowraw", "where the buffers of a file are: copies and decodes none", []string{
		"std", module + "io/arrowraw/codec$", module + "io/arrowraw/fault$", module + "io/arrowraw/flat$", module + "io/arrowraw/format$"}},
	{"io/arrowraw/codec", "compression of buffers", []string{
		"std", "github.com/klauspost/compress/", "github.com/pierrec/lz4/v4", module + "io/arrowraw/fault$"}},
	{"io/arrowraw/fault", "what is wrong with a file", []string{"std"}},
	{"io/arrowraw/flat", "flatbuffers that may be anything", []string{"std"}},
	{"io/arrowraw/format", "types and schemas: knows no message", []string{"std", module + "io/arrowraw/fault$", module + "io/arrowraw/flat$"}},
	{"io/arrowraw/decode", "values of a column: writes nothing", []string{
		"std", module + "io/arrowraw$", module + "io/arrowraw/codec$", module + "io/arrowraw/fault$", module + "io/arrowraw/format$"}},
	{"io/arrowraw/splice", "files anew: decodes nothing", []string{
		"std", "golang.org/x/sys/", "github.com/google/flatbuffers/", module + "io/arrowraw$", module + "io/arrowraw/codec$", module + "io/arrowraw/format$"}},
	{"io/colfile/input", "the file and what is asked of it: knows no format", []string{"std"}},
	{"io/colfile/cell", "values read beside: knows no format", []string{"std"}},
	{"io/colfile/letter", "what formats share to get to letters: knows none of them", []string{
		"std", module + "io/colfile/cell$", module + "io/colfile/input$"}},
	{"io/colfile/arrow", "Arrow files: knows nothing of Parquet", []string{
		"std", module + "io/arrowraw", module + "io/bounds$", module + "io/colfile/cell$", module + "io/colfile/input$", module + "io/colfile/letter$", module + "io/publish"}},
	{"io/colfile/parquet", "Parquet files: knows nothing of Arrow", []string{
		"std", "golang.org/x/sync/", module + "io/parquetraw", module + "io/colfile/cell$", module + "io/colfile/input$", module + "io/colfile/letter$", module + "io/publish"}},
	{"pipeline", "where data and mathematics meet", []string{
		"std", "golang.org/x/sync/", module + "mechanism", module + "estimate", module + "io/", module + "pipeline/"}},
	{"pipeline/options", "what was asked for: reads no record", []string{
		"std", module + "mechanism", module + "pipeline/fault", module + "pipeline/figure", module + "pipeline/plan", module + "pipeline/report", module + "pipeline/strata"}},
	{"pipeline/figure", "numbers as people read and write them: knows no file", []string{
		"std", module + "mechanism", module + "pipeline/report"}},
	{"pipeline/documents", "files beside the output: bytes in, files out", []string{
		"std", "golang.org/x/sync/", module + "io/publish", module + "pipeline/fault", module + "pipeline/options"}},
	{"pipeline/declared", "files in which letters, counts and laws are declared: knows no input", []string{
		"std", module + "io/colfile", module + "mechanism$", module + "pipeline/fault", module + "pipeline/figure", module + "pipeline/utility"}},
	{"pipeline/source", "the input, its letters and their counts: designs nothing, draws nothing", []string{
		"std", "golang.org/x/sync/", module + "estimate", module + "io/", module + "mechanism$", module + "pipeline/declared", module + "pipeline/documents", module + "pipeline/fault", module + "pipeline/figure", module + "pipeline/options", module + "pipeline/plan", module + "pipeline/report", module + "pipeline/strata", module + "pipeline/utility"}},
	{"pipeline/decide", "makes the plan from letters and counts: writes nothing, draws nothing", []string{
		"std", "golang.org/x/sync/", module + "estimate", module + "mechanism", module + "pipeline/declared", module + "pipeline/fault", module + "pipeline/figure", module + "pipeline/options", module + "pipeline/plan", module + "pipeline/report", module + "pipeline/source", module + "pipeline/strata", module + "pipeline/utility"}},
	{"pipeline/survey", "what floors cost: decides nothing", []string{
		"std", module + "mechanism", module + "pipeline/choose", module + "pipeline/decide", module + "pipeline/documents", module + "pipeline/fault", module + "pipeline/options", module + "pipeline/picture", module + "pipeline/report", module + "pipeline/source", module + "pipeline/utility"}},
	{"pipeline/joint", "what columns tell together: letters and plans, decides nothing", []string{
		"std", "golang.org/x/sync/", module + "estimate", module + "io/", module + "mechanism$", module + "pipeline/fault", module + "pipeline/figure", module + "pipeline/options", module + "pipeline/plan", module + "pipeline/report", module + "pipeline/source"}},
	{"pipeline/booking", "what releases remember: designs nothing", []string{
		"std", "golang.org/x/sync/", module + "estimate", module + "io/", module + "mechanism", module + "pipeline/decide", module + "pipeline/documents", module + "pipeline/fault", module + "pipeline/figure", module + "pipeline/key", module + "pipeline/ledger", module + "pipeline/night", module + "pipeline/options", module + "pipeline/plan", module + "pipeline/report", module + "pipeline/source", module + "pipeline/strata"}},
	{"pipeline/records", "draws every record and checks what was written: decides nothing, says nothing", []string{
		"std", "golang.org/x/sync/", module + "estimate", module + "io/", module + "mechanism", module + "pipeline/account", module + "pipeline/booking", module + "pipeline/fault", module + "pipeline/joint", module + "pipeline/options", module + "pipeline/plan", module + "pipeline/report", module + "pipeline/source", module + "pipeline/strata"}},
	{"pipeline/account", "figures and words of a report: draws nothing, reads no record", []string{
		"std", module + "estimate", module + "mechanism", module + "pipeline/decide", module + "pipeline/figure", module + "pipeline/options", module + "pipeline/picture", module + "pipeline/plan", module + "pipeline/report", module + "pipeline/source"}},
	{"pipeline/render", "reports in other views: knows no mechanism", []string{
		"std", module + "io/publish", module + "pipeline/documents", module + "pipeline/fault", module + "pipeline/options", module + "pipeline/report"}},
	{"pipeline/kept", "what the kept columns tell: reads files, decides nothing", []string{
		"std", "golang.org/x/sync/", module + "estimate/audit", module + "estimate/radix", module + "mechanism", module + "io/", module + "pipeline/strata"}},
	{"pipeline/strata", "names strata and merges small ones: knows no mechanism", []string{"std", module + "io/colfile", module + "pipeline/report"}},
	{"pipeline/fault", "classes of failures: knows the errors of the rooms below, and causes none", []string{
		"std", module + "io/colfile", module + "io/publish", module + "pipeline/key", module + "pipeline/ledger", module + "pipeline/utility"}},
	{"pipeline/plan", "what was decided: bytes in, bytes out", []string{
		"std", module + "mechanism", module + "pipeline/report", module + "pipeline/utility"}},
	{"pipeline/utility", "specs become orders: files are read by the caller", []string{
		"std", module + "mechanism"}},
	{"pipeline/report", "what a run says of itself: knows no mechanism and no file", []string{"std"}},
	{"pipeline/report/view", "shows words, fields and tables: knows no report", []string{"std"}},
	{"pipeline/report/page", "says in words what a report holds", []string{"std", module + "pipeline/picture", module + "pipeline/report"}},
	{"pipeline/job", "job files: knows names and types of flags, and what people say", []string{"std", "go.yaml.in/yaml/v4", module + "pipeline/key", module + "pipeline/report"}},
	{"pipeline/key", "secrets: made, read, named, never shown", []string{"std", "golang.org/x/sys/unix", "aead.dev/minisign", module + "io/publish"}},
	{"pipeline/sign", "signatures of what was released: knows bytes and hashes only", []string{"std", "aead.dev/minisign", module + "pipeline/key"}},
	{"pipeline/metrics", "what a monitoring system is told: times and figures", []string{"std", module + "io/publish"}},
	{"pipeline/verify", "the independent checker: shares nothing with what designs and writes", []string{
		"std", "github.com/apache/arrow-go/v18/", "golang.org/x/crypto/blake2b", module + "pipeline/verify/"}},
	{"pipeline/verify/verdict", "what checks found: knows nothing of what is checked", []string{
		"std"}},
	{"pipeline/verify/exact", "fractions, logarithms, targets: knows no document", []string{
		"std"}},
	{"pipeline/verify/document", "documents read strictly: judges nothing", []string{
		"std", module + "pipeline/verify/cells$"}},
	{"pipeline/verify/digest", "hashes that name plans and designs", []string{
		"std", module + "pipeline/verify/cells$", module + "pipeline/verify/exact$"}},
	{"pipeline/verify/table", "tables of utilities: judges nothing", []string{
		"std", module + "pipeline/verify/cells$"}},
	{"pipeline/verify/pair", "output and input side by side: judges nothing", []string{
		"std", module + "pipeline/verify/cells$", module + "pipeline/verify/document$"}},
	{"pipeline/verify/subject", "what the checks look at: makes none", []string{
		"std", module + "pipeline/verify/document$", module + "pipeline/verify/exact$", module + "pipeline/verify/pair$", module + "pipeline/verify/table$", module + "pipeline/verify/verdict$"}},
	{"pipeline/verify/trust", "signatures: knows bytes and hashes only", []string{
		"std", "golang.org/x/crypto/blake2b", module + "pipeline/verify/document$", module + "pipeline/verify/subject$", module + "pipeline/verify/verdict$"}},
	{"pipeline/verify/book", "reads ledgers for the checker: the driver, and nothing of what writes them", []string{"std", "modernc.org/sqlite"}},
	{"pipeline/night", "what is published of records night after night: knows no file", []string{
		"std", module + "mechanism", module + "pipeline/ledger/history", module + "pipeline/plan", module + "pipeline/report"}},
	{"pipeline/ledger", "what was released when: stores and orders, knows no mathematics", []string{
		"std", "modernc.org/sqlite", "golang.org/x/sys/unix", module + "io/publish"}},
	{"cmd/tacet", "flags into one call of the pipeline", []string{
		"std", "github.com/urfave/cli/v2", "github.com/cheggaaa/pb/v3", "golang.org/x/term", "golang.org/x/sys/unix",
		module + "mechanism", module + "pipeline"}},
	{"docs/paper", "recomputes the paper's figures: only the mathematics", []string{"std", module + "mechanism"}},
	{"pipeline/choose", "the page to choose on: shows what it is given", []string{"std", module + "pipeline/picture"}},
	{"pipeline/picture", "draws numbers: knows nothing of where they come from", []string{"std"}},
	{"testdata", "generators, not part of the product", []string{"std", "github.com/"}},
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
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
		seen++
		room := strings.TrimPrefix(p.ImportPath, module)
		allowed, why := allowedIn(room)
		if why == "" {
			t.Errorf("%s is in no room: name it in rooms, with a reason", p.ImportPath)
		}
		for _, i := range p.Imports {
			if !isAllowed(i, allowed) {
				t.Errorf("%s imports %s; %s", room, i, why)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d packages were seen", seen)
	}
}

func allowedIn(room string) (allowed []string, why string) {
	longest := -1
	for _, r := range rooms {
		if (room == r.prefix || strings.HasPrefix(room, r.prefix+"/")) && len(r.prefix) > longest {
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
		if a == "std" && standard || path == a || strings.HasPrefix(path, strings.TrimSuffix(a, "/")+"/") && strings.Contains(a, ".") {
			return true
		}
	}
	return false
}
