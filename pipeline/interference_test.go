package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/test/torture"
)

// A crowd is records of three columns.
type crowd struct {
	C *string `parquet:"c,dict,optional"`
	D string  `parquet:"d,dict"`
	S string  `parquet:"s,dict"`
}

// crowded writes 90 records whose counts are drawn anew each time; nulls come in
// the same rows of c where they come at all.
func crowded(t *testing.T, path string, rng *rand.Rand, nulls bool) {
	t.Helper()
	rows := make([]crowd, 90)
	weight := make([]int, 4)
	for x := range weight {
		weight[x] = 1 + rng.IntN(12)
	}
	pick := func() string {
		k := rng.IntN(weight[0] + weight[1] + weight[2] + weight[3])
		for x, w := range weight {
			if k -= w; k < 0 {
				return four[x]
			}
		}
		return ""
	}
	for i := range rows {
		c := pick()
		if i < 4 {
			c = four[i] // every letter occurs
		}
		rows[i] = crowd{&c, pick(), []string{"u", "v"}[min(1, rng.IntN(3))]}
		if nulls && i%9 == 8 {
			rows[i].C = nil
		}
		if i < 8 {
			rows[i].D, rows[i].S = four[i%4], []string{"u", "v"}[i/4]
		}
	}
	must(t, parquet.WriteFile(path, rows))
}

// TestPublicTellsNothingElse: inputs with other counts, the same choices and the
// same values of the figures that the public report names as chosen from the
// data have the same public files, byte for byte. The hash and the size of the
// output are those of a file that everybody has, and the commitment is under a
// secret key. In each scenario so many pairs are whole runs, 2,000 with
// TACET_TORTURE=1.
func TestPublicTellsNothingElse(t *testing.T) {
	pairs, most, left, ends := 2, 40, 15, torture.Until(t, 1)
	if torture.Long() {
		pairs, most = 2000, 12000
	}
	dir := t.TempDir()
	prior := filepath.Join(dir, "prior.csv")
	must(t, os.WriteFile(prior, []byte("label,probability\na,0.4\nb,0.3\nc,0.2\nd,0.1\n"), 0o666))
	rank, second := 2, 2
	set := func(name, value string) report.Setting {
		return report.Setting{Name: name, Value: value, Origin: "flag"}
	}
	line := "ordered:a,b,c,d"
	column := func(name, epsilon string) *pipeline.Options {
		return &pipeline.Options{Column: name, Utility: line, Epsilon: epsilon, Design: "safe", FloorRank: &second}
	}
	for name, c := range map[string]struct {
		o     pipeline.Options
		nulls bool
	}{
		"plain": {pipeline.Options{Epsilon: "1.1"}, false},
		"safe": {pipeline.Options{Epsilon: "1.3", Design: "safe",
			Settings: []report.Setting{set("design", "safe")}}, false},
		"floor declared": {pipeline.Options{Epsilon: "2.5", FloorRank: &rank}, false},
		"strata kept": {pipeline.Options{Epsilon: "1.5", Strata: "s", Keep: []string{"s"}, AllowLinked: []string{"s"},
			StrataMin: 5, FloorRank: &rank}, false},
		"strata dropped":  {pipeline.Options{Epsilon: "1.5", Strata: "s", Drop: []string{"s"}, StrataMin: 5}, false},
		"several columns": {pipeline.Options{Columns: []*pipeline.Options{column("c", "2"), column("d", "2.5")}}, false},
		"joint epsilon": {pipeline.Options{Columns: []*pipeline.Options{{Column: "c", Utility: line, Epsilon: "1"},
			{Column: "d", Utility: line, Epsilon: "1.2"}}, JointEpsilon: "3"}, false},
		"min-count":   {pipeline.Options{Epsilon: "1.5", MinCount: 9, Other: "a"}, false},
		"prior":       {pipeline.Options{Epsilon: "1.6", Prior: prior, FloorRank: &rank}, false},
		"smooth":      {pipeline.Options{Epsilon: "1.6", Smooth: "3"}, false},
		"null public": {pipeline.Options{Epsilon: "1.2", Null: "public"}, true},
		"null draw":   {pipeline.Options{Epsilon: "1.2", Null: "draw"}, true},
		"population":  {pipeline.Options{Epsilon: "1.2", Confidence: "1e-3"}, false},
		"unchanged":   {pipeline.Options{Epsilon: "4.5", AllowUnchanged: true}, false},
		"prefer": {pipeline.Options{Epsilon: "1.2", Prefer: "unchanged",
			Settings: []report.Setting{set("prefer", "unchanged")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			rng, seed := torture.Rand(name, 7), uint64(5)
			known, factors := map[string]map[string][]byte{}, map[string]bool{}
			found, refused := 0, 0
			end := time.Now().Add(time.Until(ends) / time.Duration(left))
			left--
			for i := 0; i < most && (found < 2 || found < pairs && time.Now().Before(end)); i++ {
				dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
				o := c.o
				o.Input, o.Output, o.Report, o.TestSeed = filepath.Join(dir, "in.parquet"), filepath.Join(dir, "out.parquet"),
					filepath.Join(dir, "report"), &seed
				o.Audit, o.Threads = "off", 1
				if o.Columns == nil {
					o.Column, o.Utility = "c", line
				}
				must(t, os.Mkdir(dir, 0o777))
				crowded(t, o.Input, rng, c.nulls)
				r, err := pipeline.Run(context.Background(), o)
				if err != nil {
					if fault.As(err).Class != fault.Privacy {
						t.Fatal(err)
					}
					refused++
					continue
				}
				chosen, files := "", map[string][]byte{}
				for k, one := range r {
					said, _ := claim.Find(one.Claims, "chosen")
					chosen += strings.Join(said.Names, "; ") + "\n"
					factors[one.Epsilon.Factor+" "+one.Prior.Own] = true
					folder := o.Report
					if len(r) > 1 {
						folder = filepath.Join(o.Report, fmt.Sprint(k+1))
					}
					published(t, filepath.Join(folder, "public"), k, one.Output, files)
				}
				before, ok := known[chosen]
				if !ok {
					known[chosen] = files
					continue
				}
				found++
				for at, data := range files {
					if !bytes.Equal(data, before[at]) {
						t.Fatalf("%s differs, and what is chosen from the data does not (%s):\n%s", at, chosen,
							firstDifference(before[at], data))
					}
				}
				if len(files) != len(before) {
					t.Fatalf("other public files: %d and %d", len(files), len(before))
				}
			}
			t.Logf("torture: %d pairs", found)
			if found < 2 {
				t.Errorf("only %d pairs, %d refused, %d values of what is chosen", found, refused, len(known))
			}
			if len(factors) < 3 && name != "unchanged" {
				t.Errorf("control: the runs reach only %d factors", len(factors))
			}
		})
	}
}

// published gathers the public files, and leaves out of them the hash and the size
// of the output; of the statement all hashes of files that hold these, and the
// commitment; of the pages the id of the release, which is the hash of report.json.
func published(t *testing.T, folder string, part int, out report.File, to map[string][]byte) {
	t.Helper()
	list, err := os.ReadDir(folder)
	must(t, err)
	for _, f := range list {
		data := read(t, filepath.Join(folder, f.Name()))
		if f.Name() == report.StatementFile {
			data = hash.ReplaceAll(data, []byte("HASH"))
		}
		data = bytes.ReplaceAll(data, []byte(out.SHA256), []byte("HASH"))
		data = releaseID.ReplaceAll(data, []byte("release ID"))
		for _, form := range []string{`"bytes": %d`, "%d bytes"} {
			data = bytes.ReplaceAll(data, fmt.Appendf(nil, form, out.Bytes), []byte("SIZE"))
		}
		to[fmt.Sprint(part, "/", f.Name())] = data
	}
}

var (
	hash      = regexp.MustCompile("[0-9a-f]{64}")
	releaseID = regexp.MustCompile("release [0-9a-f]{8}")
)

func firstDifference(a, b []byte) string {
	one, two := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(one), len(two)) {
		if !slices.Equal([]byte(one[i]), []byte(two[i])) {
			return one[i] + "\n" + two[i]
		}
	}
	return "one is longer"
}
