package pipeline_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
)

// A visit is a row of a table whose records are known by id and day.
type visit struct {
	ID     int64  `parquet:"id"`
	Day    string `parquet:"day"`
	Person string `parquet:"person,dict"`
	X      string `parquet:"x,dict"`
}

const kinds = "ABCDEFGHIJ"

// visits are rows of n records with a skewed letter each.
func visits(n int, r *rand.Rand) []visit {
	out := make([]visit, n)
	for i := range out {
		out[i] = visit{int64(i*7 - 50), fmt.Sprintf("day %d", i%3), fmt.Sprintf("p%d", i/4), letterOf(r)}
	}
	return out
}

func letterOf(r *rand.Rand) string {
	at := min(r.IntN(10), r.IntN(14))
	return kinds[at : at+1]
}

func writeVisits(t *testing.T, path string, rows []visit, group int) {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[visit](&b, parquet.MaxRowsPerRowGroup(int64(group)))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func newKey(t *testing.T) string {
	t.Helper()
	k, err := key.New(key.Draw, "2026-01-31T12:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := key.Write(path, k); err != nil {
		t.Fatal(err)
	}
	return path
}

// remembered is a job that draws by ids.
func remembered(dir, input, keyFile string, ids ...string) pipeline.Options {
	return pipeline.Options{Input: input, Column: "x", Utility: "ordered:A,B,C,D,E,F,G,H,I,J", Epsilon: "0.9",
		Audit:  "off",
		Repeat: pipeline.Repeat{RecordID: ids, KeyFile: keyFile},
		Output: filepath.Join(dir, "out"), Report: filepath.Join(dir, "report")}
}

// TestDrawsBelongToRecords: the same records give the same outputs whatever
// the order of rows, the row groups, the format and the threads; and these are
// the ones that docs/draws.md gives.
func TestDrawsBelongToRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	rows, secret := visits(6000, r), newKey(t)
	first := filepath.Join(t.TempDir(), "in")
	writeVisits(t, first, rows, 6000)
	shuffled := append([]visit{}, rows...)
	r.Shuffle(len(rows), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	second := filepath.Join(t.TempDir(), "in")
	writeVisits(t, second, shuffled, 700)
	third := filepath.Join(t.TempDir(), "in")
	writeArrow(t, third, arrowTable(t, second), true, nil)

	want := expectedDraws(t, rows, first, secret)
	for _, input := range []string{first, second, third} {
		for _, threads := range []int{1, 3} {
			o := remembered(t.TempDir(), input, secret, "id", "day")
			o.Threads, o.Keep = threads, []string{"id"}
			rep := run(t, o)
			if rep.Draws.Kind != "memoised" || rep.Prior.Person != "not stated" {
				t.Errorf("the report says %q draws, %q rows per person", rep.Draws.Kind, rep.Prior.Person)
			}
			got := arrowColumns(t, o.Output, "id", "x")
			if c := arrowTable(t, o.Output).NumCols(); c != 2 {
				t.Errorf("%d columns are published, want the two that were named", c)
			}
			for i, id := range got["id"] {
				if want[id] != got["x"][i] {
					t.Fatalf("%s, %d threads: record %s has another output than its id, letter and key give", filepath.Base(input),
						threads, id)
				}
			}
		}
	}
	o := remembered(t.TempDir(), first, newKey(t), "id", "day")
	o.Keep = []string{"id"}
	run(t, o)
	same, got := 0, arrowColumns(t, o.Output, "id", "x")
	for i, id := range got["id"] {
		if want[id] == got["x"][i] {
			same++
		}
	}
	if same > 5000 {
		t.Error("control: another key gives the same outputs")
	}
}

// expectedDraws are the outputs by id as package draw gives them from plan and
// key.
func expectedDraws(t *testing.T, rows []visit, input, secret string) map[string]string {
	t.Helper()
	o := remembered(t.TempDir(), input, secret, "id", "day")
	run(t, o)
	var file struct {
		Inputs  []string `json:"inputs"`
		Outputs []string `json:"outputs"`
		Design  string   `json:"design_sha256"`
	}
	path := filepath.Join(o.Report, "plan.json")
	if err := json.Unmarshal(read(t, path), &file); err != nil {
		t.Fatal(err)
	}
	k, err := key.Read(secret, key.Draw, "")
	if err != nil {
		t.Fatal(err)
	}
	design, err := hex.DecodeString(file.Design)
	if err != nil {
		t.Fatal(err)
	}
	keyed := draw.NewKeyed(draw.KeyOf([32]byte(k.Secret())), draw.Binding{Unit: draw.Record, Design: [32]byte(design),
		Column: "x"}, mechanismOf(t, path, file.Inputs, file.Outputs))
	drawer, place, want := keyed.Drawer(), map[string]int32{}, map[string]string{}
	for i, l := range file.Inputs {
		place[l] = int32(i)
	}
	for _, v := range rows {
		var id draw.ID
		id.Int(v.ID)
		id.Part([]byte(v.Day))
		want[fmt.Sprint(v.ID)] = file.Outputs[drawer.Draw(&id, place[v.X])]
	}
	return want
}

func mechanismOf(t *testing.T, path string, inputs, outputs []string) *mechanism.Mechanism {
	t.Helper()
	l := planRows(t, path)
	var list []mechanism.Row
	for _, x := range inputs {
		var ys []uint16
		var weight []int64
		for y, label := range outputs {
			if w := l[x][label]; w > 0 {
				ys, weight = append(ys, uint16(y)), append(weight, w)
			}
		}
		list = append(list, mechanism.WeightedRow(ys, weight))
	}
	m, err := mechanism.New(len(outputs), list)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPersons: rows of a person with one letter share a draw, and the check of
// the written file counts it once, however many rows there are.
func TestPersons(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var rows []visit
	for p := range 300 {
		for range 1 + r.IntN(12) {
			v := visit{ID: int64(len(rows)), Person: fmt.Sprint("p", p), X: letterOf(r)}
			if p%2 == 0 { // one letter only
				v.X = kinds[p/2%10 : p/2%10+1]
			}
			rows = append(rows, v)
		}
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	input := filepath.Join(t.TempDir(), "in")
	writeVisits(t, input, rows, 1000)
	o := remembered(t.TempDir(), input, newKey(t))
	o.Person = "person"
	rep := run(t, o)
	out := arrowColumns(t, o.Output, "x")["x"]
	shown, letters := map[string]string{}, map[string]map[string]bool{}
	for i, v := range rows {
		at := v.Person + "/" + v.X
		if y, ok := shown[at]; ok && y != out[i] {
			t.Fatalf("person %s shows two outputs for one letter", v.Person)
		}
		shown[at] = out[i]
		if letters[v.Person] == nil {
			letters[v.Person] = map[string]bool{}
		}
		letters[v.Person][v.X] = true
	}
	mixed := int64(0)
	for _, l := range letters {
		if len(l) > 1 {
			mixed++
		}
	}
	p := rep.Persons
	if p == nil || p.Persons != 300 || p.Mixed != mixed || p.Most != 12 {
		t.Fatalf("the report says %+v; there are %d persons with several letters", p, mixed)
	}
	if rep.Prior.Person == "not stated" || !strings.Contains(fmt.Sprint(rep.Checks), "one draw in the fit") {
		t.Errorf("rows per person are %q, checks %v", rep.Prior.Person, rep.Checks)
	}
}

// TestIDsRefused: ids that are missing or stand twice are told by their rows,
// never by their values, and nothing is written.
func TestIDsRefused(t *testing.T) {
	rows := visits(500, rand.New(rand.NewPCG(1, 9)))
	twice := append([]visit{}, rows...)
	twice[400].ID, twice[400].Day = twice[17].ID, twice[17].Day
	input := filepath.Join(t.TempDir(), "in")
	writeVisits(t, input, twice, 60)
	secret := newKey(t)
	for _, c := range []struct {
		name  string
		ids   []string
		class fault.Class
		say   string
	}{
		{"twice", []string{"id", "day"}, fault.Input, "rows 18, 401"},
		{"not whole", []string{"day"}, fault.Input, "appear more than once"},
		{"no such column", []string{"nobody"}, fault.Input, "nobody"},
		{"the private column", []string{"x"}, fault.Usage, "private column"},
		{"named twice", []string{"id", "id"}, fault.Usage, "twice"},
	} {
		o := remembered(t.TempDir(), input, secret, c.ids...)
		_, err := pipeline.Run(context.Background(), o)
		if err == nil {
			t.Fatalf("%s: accepted", c.name)
		}
		f := fault.As(err)
		if f.Class != c.class || !strings.Contains(f.What, c.say) || strings.Contains(strings.ReplaceAll(f.What, input, ""),
			fmt.Sprint(twice[17].ID)) {
			t.Errorf("%s: class %d, %q", c.name, f.Class, f.What)
		}
		if _, err := os.Stat(o.Output); err == nil {
			t.Errorf("%s: an output was written", c.name)
		}
	}
	o := remembered(t.TempDir(), input, secret)
	o.Person = "person"
	run(t, o) // duplicates are the rows of a person
}
