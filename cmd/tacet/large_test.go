package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/test/torture"
)

// codes are rows of codes of five digits, of which the low ones are the commoner by far;
// every one occurs.
func codes(t *testing.T, rows, letters int) []byte {
	t.Helper()
	type codeRow struct {
		Code string `parquet:"code"`
	}
	var b bytes.Buffer
	all := make([]codeRow, rows)
	for i := range all {
		x := i
		if i >= letters {
			if x = i * 7 % letters; i%3 > 0 {
				x = x * x / letters * x / letters
			}
		}
		all[i].Code = fmt.Sprintf("%05d", x*(99_999/letters))
	}
	must(t, parquet.Write(&b, all))
	return b.Bytes()
}

// TestSlowManyCodes: orders with levels need no table of values by outputs. With
// TACET_TORTURE there are as many values as the United States have zip codes; the
// times are what they may take where nothing else runs, and twice as much is let go.
func TestSlowManyCodes(t *testing.T) {
	letters, rows, most := 5100, 50_000, int64(128<<20)
	run, frontier, verify := 2*time.Second, 3*time.Second, 6*time.Second
	if torture.Long() {
		letters, rows, most = 42_049, 2_000_000, 512<<20
		run, frontier, verify = 3*time.Second, 10*time.Second, 20*time.Second
	}
	dir, given := t.TempDir(), t.TempDir()
	input := writeFile(t, filepath.Join(given, "in"), codes(t, rows, letters))
	output, report := filepath.Join(dir, "out"), filepath.Join(dir, "report")
	column := []string{"--input", input, "--column", "code", "--utility", "prefix", "--allow", "sorted"}
	for _, c := range []struct {
		args []string
		cpu  time.Duration
	}{
		{slices.Concat([]string{"run"}, column, []string{"--epsilon", "3", "--output", output, "--report", report}), run},
		{slices.Concat([]string{"frontier"}, column, []string{"--max-shift", "none", "--html",
			filepath.Join(dir, "page.html")}), frontier},
		{[]string{"verify", "--report", filepath.Join(report, "report.json"), "--input", input, "--output", output}, verify},
	} {
		took, cpu := spent(t, 0, c.args...)
		t.Logf("%s of %d values: %d MiB, %v", c.args[0], letters, took>>20, cpu)
		most := most
		if c.args[0] == "frontier" {
			most *= 2 // it holds every floor
		}
		if took > most || cpu > 2*c.cpu {
			t.Errorf("%s of %d values took %d MiB and %v, want at most %d and %v", c.args[0], letters, took>>20, cpu,
				most>>20, c.cpu)
		}
	}
	type plan struct {
		Design     struct{ Kind string }
		Mechanisms []struct{ Rows, Blocks []any }
	}
	var made plan
	must(t, json.Unmarshal(readFile(t, filepath.Join(report, "plan.json")), &made))
	if m := made.Mechanisms[0]; made.Design.Kind != "blocks" || len(m.Rows) > 0 || len(m.Blocks) < 10 {
		t.Errorf("the plan is of design %s with %d rows and %d blocks", made.Design.Kind, len(m.Rows), len(m.Blocks))
	}
	// What the file holds is what draws depend on: a second release by the same plan.
	again := filepath.Join(dir, "again")
	tacet(t, "apply", "--plan", filepath.Join(report, "plan.json"), "--input", input, "--output", again, "--allow",
		"sorted", "--report", filepath.Join(dir, "applied")).want(t, 0)
	done := tacet(t, "verify", "--report", filepath.Join(dir, "applied", "report.json"), "--input", input, "--output",
		again)
	if done.want(t, 0); strings.Contains(done.stdout, "FAILED") {
		t.Error(done.stdout)
	}
	// What takes a table of all pairs says so, and does not begin.
	tacet(t, "simulate", "--input", input, "--column", "code", "--utility", "prefix", "--epsilon", "3").want(t, 3)
	// A letter that is moved from one block to another is noticed.
	path := filepath.Join(report, "plan.json")
	data := readFile(t, path)
	if broken := bytes.Replace(data, []byte(`{"inputs":["00000",`), []byte(`{"inputs":[`), 1); bytes.Equal(broken, data) {
		t.Error("control: the first block does not begin with the first value")
	} else {
		writeFile(t, path, broken)
		tacet(t, "apply", "--plan", path, "--input", input, "--output", again, "--report", filepath.Join(dir, "applied"),
			"--overwrite").want(t, 3)
	}
}

// TestSlowWeightsBeside: rows of more than a million weights lie beside the plan, and every
// command that takes the plan finds them there; a plan without them leaves none behind.
func TestSlowWeightsBeside(t *testing.T) {
	t.Parallel()
	const letters = 1030
	places, rows := []byte("label,latitude,longitude\n"), []string{}
	for i := range letters { // a spiral over the sphere
		z := 1 - (2*float64(i)+1)/letters
		places = fmt.Appendf(places, "p%04d,%.5f,%.5f\n", i, math.Asin(z)*180/math.Pi, math.Mod(float64(i)*137.50776,
			360)-180)
		for k := range 4 {
			if i > 0 || k == 0 {
				rows = append(rows, fmt.Sprintf("p%04d\n", i))
			}
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "given"), 0o777))
	at := func(name string) string { return filepath.Join(dir, name) }
	input := writeFile(t, at("given/in.csv"), []byte("place\n"+strings.Join(rows, "")))
	order := "positions:" + writeFile(t, at("given/places.csv"), places)
	// The row of a value that is treated as another does not follow from the order.
	few := []string{"--input", input, "--column", "place", "--utility", order, "--design", "safe", "--max-factor", "100"}
	many := append(few[:len(few)-1:len(few)-1], "1.01", "--floor-rank", "3", "--min-count", "2", "--other", "p0055")
	mode := func(name string) os.FileMode {
		st, err := os.Stat(at(name))
		if err != nil {
			return 0
		}
		return st.Mode()
	}

	tacet(t, append([]string{"design", "--write-plan", at("made/plan.json")}, many...)...).want(t, 0)
	if m := mode("made/plan.weights"); m != 0o600 {
		t.Errorf("the weights have mode %v", m)
	}
	if b := readFile(t, at("made/plan.json")); strings.Contains(string(b), `"rows"`) {
		t.Error("the plan holds rows")
	}
	tacet(t, append([]string{"run", "--output", at("a.csv"), "--report", at("a")}, many...)...).want(t, 0)
	tacet(t, "apply", "--plan", at("made/plan.json"), "--input", input, "--output", at("b.csv"), "--report",
		at("b")).want(t, 0)
	if string(readFile(t, at("made/plan.weights"))) != string(readFile(t, at("b/plan.weights"))) {
		t.Error("apply writes other weights")
	}
	for _, name := range []string{"a", "b"} {
		if !strings.Contains(string(readFile(t, at(name+"/release.json"))), `"plan.weights"`) ||
			mode(name+"/plan.weights") != 0o600 || mode(name+"/public/plan.weights") != 0 {
			t.Errorf("the weights of %s are not stated, or not its own", name)
		}
		v := tacet(t, "verify", "--output", at(name+".csv"), "--report", at(name+"/report.json"), "--input", input)
		if v.want(t, 0); !strings.Contains(v.stdout, "positive weights, in plan.weights") {
			t.Error(v.stdout)
		}
	}

	data := readFile(t, at("b/plan.weights"))
	writeFile(t, at("b/plan.weights"), data[:len(data)-1])
	tacet(t, "verify", "--output", at("b.csv"), "--report", at("b/report.json"), "--input", input).want(t, 4)
	again := []string{"apply", "--plan", at("made/plan.json"), "--input", input, "--output", at("c.csv"), "--report",
		at("c")}
	writeFile(t, at("made/plan.weights"), data[:len(data)-1])
	r := tacet(t, again...)
	if r.want(t, 3); !strings.Contains(r.stderr, "plan.weights is not that of this plan") {
		t.Error(r.stderr)
	}
	must(t, os.Remove(at("made/plan.weights")))
	r = tacet(t, again...)
	if r.want(t, 3); !strings.Contains(r.stderr, "plan.weights must be in the folder of the plan") {
		t.Error(r.stderr)
	}

	tacet(t, append([]string{"run", "--overwrite", "--output", at("a.csv"), "--report", at("a")}, few...)...).want(t, 0)
	if mode("a/plan.weights") != 0 {
		t.Error("a plan that holds its rows leaves the weights of an earlier one beside it")
	}
	tacet(t, "verify", "--output", at("a.csv"), "--report", at("a/report.json"), "--input", input).want(t, 0)
}

// TestSlowManyValues: more numbers on a line, values of a list that closes, or places than the
// optimum takes have a design, which is verified without a table and can be used again.
func TestSlowManyValues(t *testing.T) {
	t.Parallel()
	const letters = 3170 // more than order.csv has a table for
	dir := t.TempDir()
	var held, list []string
	places := "label,latitude,longitude\n"
	for i := range letters { // a spiral over the sphere
		label, z := fmt.Sprint(3*i+i%2), 1-(2*float64(i)+1)/letters
		list = append(list, label)
		places += fmt.Sprintf("%s,%.5f,%.5f\n", label, math.Asin(z)*180/math.Pi, math.Mod(float64(i)*137.50776, 360)-180)
		for range 1 + i*i%7*(i%3)*5 {
			held = append(held, label)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	file := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), []byte(text)) }
	input := file("in.csv", "at\n"+strings.Join(held, "\n")+"\n")
	for order, want := range map[string]string{
		"numeric": "grouped", "circular:@" + file("steps.txt", strings.Join(list, "\n")+"\n"): "safe",
		"positions:" + file("places.csv", places): "safe",
	} {
		form, _, _ := strings.Cut(order, ":")
		output, report := filepath.Join(dir, form+".csv"), filepath.Join(dir, form)
		tacet(t, "run", "--input", input, "--column", "at", "--utility", order, "--max-factor", "5",
			"--max-shift", "none", "--solve-time", "10s", "--output", output, "--report", report).want(t, 0)
		var plan struct{ Design struct{ Kind string } }
		must(t, json.Unmarshal(readFile(t, filepath.Join(report, "plan.json")), &plan))
		if plan.Design.Kind != want {
			t.Errorf("%s: the plan is of design %s", form, plan.Design.Kind)
		}
		checked := tacet(t, "verify", "--output", output, "--report", filepath.Join(report, "report.json"), "--input", input)
		if checked.want(t, 0); strings.Contains(checked.stdout, "FAILED") ||
			!strings.Contains(checked.stdout, "the worst that any row gives is rank") {
			t.Error(checked.stdout)
		}
		tacet(t, "apply", "--plan", filepath.Join(report, "plan.json"), "--input", input, "--output",
			filepath.Join(dir, form+"-again.csv")).want(t, 0)
	}
}

// TestSlowManyLetters: many letters take time, and memory that is known before: 5,000
// less than 256 MiB, and 10,000, with TACET_TORTURE, less than 1 GiB.
func TestSlowManyLetters(t *testing.T) {
	letters, most := 5000, int64(1<<28)
	if torture.Long() {
		letters, most = 10_000, 1<<30
	}
	dir, given := t.TempDir(), t.TempDir()
	input := writeFile(t, filepath.Join(given, "in"), numbers(t, 3*letters, letters))
	took := peak(t, 0, "run", "--input", input, "--column", "n", "--utility", "numeric", "--epsilon", "2", "--design",
		"safe", "--audit", "off", "--output", filepath.Join(dir, "out"), "--report", filepath.Join(dir, "report"))
	t.Logf("%d letters: %d MiB", letters, took>>20)
	if took > most {
		t.Errorf("%d letters took %d MiB, want at most %d", letters, took>>20, most>>20)
	}
}
