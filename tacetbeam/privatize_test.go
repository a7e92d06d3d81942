package tacetbeam_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/tacetbeam"
)

// A Visit is a row.
type Visit struct {
	Number int64
	Region *string
	Stars  int16
	Note   string
}

func init() {
	register.Function1x1(text)
	register.Function1x1(checked)
	register.DoFn2x1[[]byte, func(*string) bool, error](&lines{})
	register.Iter1[string]()
}

func text(v Visit) string {
	region := "-"
	if v.Region != nil {
		region = *v.Region
	}
	return fmt.Sprintf("%d,%s,%d,%s", v.Number, region, v.Stars, v.Note)
}

func checked(c tacetbeam.Check) string { return c.Name + ": " + c.Verdict }

// lines writes what comes to a file.
type lines struct{ Path string }

func (l *lines) ProcessElement(_ []byte, in func(*string) bool) error {
	var all []string
	for line := ""; in(&line); {
		all = append(all, line)
	}
	slices.Sort(all)
	return os.WriteFile(l.Path, []byte(strings.Join(all, "\n")), 0o600)
}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // Prism tells of every bundle
	ptest.MainWithDefault(m, "prism")
}

// visits are rows with regions A to D and nulls.
func visits(n int) (all []Visit) {
	for i := range n {
		v := Visit{Number: int64(i), Stars: int16(i*i%5 - 2), Note: fmt.Sprint("n", i)}
		if r := string(rune('A' + i*i%7%5)); r != "E" {
			v.Region = &r
		}
		all = append(all, v)
	}
	return all
}

// A job is a folder with a key, and with counts and a plan of rows.
type job struct {
	t   *testing.T
	dir string
}

func (j job) at(name string) string { return filepath.Join(j.dir, name) }

func newJob(t *testing.T, rows []Visit, field, order string) job {
	t.Helper()
	j := job{t, t.TempDir()}
	k, err := key.New(key.Draw, "2026-01-01T00:00:00Z")
	if err == nil {
		err = key.Write(j.at("draw.key"), k)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	tacetbeam.Count(s, beam.CreateList(s, rows), field, j.at("counts.csv"))
	ptest.RunAndValidate(t, p)
	if _, _, err = pipeline.Design(t.Context(), pipeline.Options{Counts: []string{j.at("counts.csv")}, Column: field,
		Utility: order, MaxFactor: "3", Null: "public", WritePlan: j.at("plan.json")}); err != nil {
		t.Fatal(err)
	}
	return j
}

// run gives the rows and the checks.
func (j job) run(rows []Visit, o tacetbeam.Options) (published, checks string, err error) {
	p, s := beam.NewPipelineWithRoot()
	o.Plan, o.Key = j.at("plan.json"), j.at("draw.key")
	out, told := tacetbeam.Privatize(s, beam.CreateList(s, rows), o)
	for name, col := range map[string]beam.PCollection{"rows": beam.ParDo(s, text, out),
		"checks": beam.ParDo(s, checked, told)} {
		beam.ParDo0(s, &lines{j.at(name)}, beam.Impulse(s), beam.SideInput{Input: col})
	}
	if err := ptest.Run(p); err != nil {
		return "", "", err
	}
	data, err := os.ReadFile(j.at("rows"))
	if err != nil {
		j.t.Fatal(err)
	}
	seen, err := os.ReadFile(j.at("checks"))
	return string(data), string(seen), err
}

// The rows are those that tacet itself publishes of a file of them by the same key, and the
// same again in another order; what is not checked is said.
func TestPrivatize(t *testing.T) {
	rows := visits(2000)
	j := newJob(t, rows, "Region", "ordered:A,B,C,D")
	o := tacetbeam.Options{Field: "Region", ID: []string{"Number", "Note"}}
	got, checks, err := j.run(rows, o)
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	w := csv.NewWriter(&in)
	w.Write([]string{"Number", "Region", "Stars", "Note"})
	for _, v := range rows {
		w.Write(strings.Split(strings.Replace(text(v), ",-,", ",,", 1), ","))
	}
	w.Flush()
	if err := os.WriteFile(j.at("in.csv"), in.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Apply(t.Context(), pipeline.Options{Input: j.at("in.csv"), Header: "yes",
		Plan: j.at("plan.json"), Output: j.at("out.csv"), Report: j.at("report"), Audit: "off",
		Repeat: pipeline.Repeat{RecordID: []string{"Number", "Note"}, KeyFile: j.at("draw.key")}}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(j.at("out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] { // without the fields of ID
		region, _, _ := strings.Cut(line, ",")
		if want := fmt.Sprintf("%d,%s,", i, cmp.Or(region, "-")); !strings.Contains("\n"+got, "\n"+want) {
			t.Fatalf("row %d is not that of tacet, which begins %s", i, want)
		}
	}
	if want := "alphabet: passed\nepsilon: passed\nfit: passed\nfloor: passed\nother fields: not checked\nwritten rows: " +
		"not checked"; checks != want {
		t.Errorf("checks are\n%s", checks)
	}
	slices.Reverse(rows)
	if again, _, err := j.run(rows, o); err != nil || again != got {
		t.Errorf("the same rows in another order are drawn otherwise (%v)", err)
	}
}

// Whole numbers are drawn, too.
func TestNumbers(t *testing.T) {
	rows := visits(500)
	j := newJob(t, rows, "Stars", "numeric")
	got, _, err := j.run(rows, tacetbeam.Options{Field: "Stars", ID: []string{"Number"}})
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for line := range strings.Lines(got) {
		cell := strings.Split(line, ",")
		i, err := strconv.Atoi(cell[0])
		if err != nil {
			t.Fatal(err)
		}
		if cell[2] != fmt.Sprint(rows[i].Stars) {
			moved++
		}
	}
	if moved < 50 {
		t.Errorf("%d of 500 rows have another number", moved)
	}
}

// Rows that the plan does not fit, and ids that several have, publish nothing.
func TestPrivatizeRefuses(t *testing.T) {
	rows := visits(1000)
	j := newJob(t, rows, "Region", "ordered:A,B,C,D")
	other := "Z"
	a := "A"
	for name, c := range map[string]struct {
		change func([]Visit) []Visit
		want   string
	}{
		"one id twice": {func(v []Visit) []Visit { return append(v, v[7]) }, "2 rows have one ID"},
		"a value more": {func(v []Visit) []Visit { v[3].Region = &other; return v }, "a value that the plan lacks"},
		"other counts": {func(v []Visit) []Visit {
			for i := range v[:900] {
				v[i].Region = &a
			}
			return v
		}, "make a plan of them"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := j.run(c.change(slices.Clone(rows)), tacetbeam.Options{Field: "Region", ID: []string{"Number"}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if data, err := os.ReadFile(j.at("rows")); err == nil && len(data) > 0 {
				t.Errorf("%d bytes of rows went on", len(data))
			}
		})
	}
	defer func() {
		if e := recover(); e == nil {
			t.Error("no such field is accepted")
		}
	}()
	j.run(rows, tacetbeam.Options{Field: "Regoin", ID: []string{"Number"}})
}

// The page shows a pipeline that compiles: that of Example.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/beam.md")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(own), "func Example() {\n")
	for line := range strings.Lines(strings.TrimSuffix(body, "}\n")) {
		if !strings.Contains(string(page), strings.TrimPrefix(line, "\t")) {
			t.Errorf("docs/beam.md lacks %s", line)
		}
	}
}
