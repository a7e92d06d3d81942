package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
