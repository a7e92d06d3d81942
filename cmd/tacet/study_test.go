package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// TestStudy holds docs/study.md and its picture to docs/study/results.csv, and the results to what the page
// says of the default: shares within 5 points, replacement as under --max-shift 5%. The page is made by
// python3; TACET_PYTHON=required fails without it.
func TestStudy(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../docs/study/results.csv")
	must(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	must(t, err)
	type key struct{ column, factor, design string }
	found := map[key]map[string]float64{}
	for _, row := range rows[1:] {
		of := map[string]float64{}
		cell := map[string]string{}
		for i, name := range rows[0] {
			cell[name] = row[i]
			of[name], _ = strconv.ParseFloat(row[i], 64)
		}
		found[key{cell["column"], cell["factor"], cell["design"]}] = of
		if !(of["reached"] <= of["factor"]) {
			t.Errorf("%v reaches factor %v", row[:6], of["reached"])
		}
	}
	if len(found) != 9*3*8 {
		t.Errorf("%d results, want 9 columns at 3 factors by 8 designs", len(found))
	}
	for k, of := range found {
		asked := found[key{k.column, k.factor, "5%"}]
		switch {
		case k.design == "0%" && of["shares"] != 0:
			t.Errorf("%v: shares are off by %v points", k, of["shares"])
		case k.design == "recovery" && !(of["recovered"] > 0 && of["recovered"] <= 1.3):
			t.Errorf("%v: errors are %v times those of randomised response", k, of["recovered"])
		case k.design == "default" && !(of["shares"] <= 5 && of["mean"] <= 1.1*asked["mean"] &&
			of["worst"] <= 1.1*asked["worst"]):
			t.Errorf("%v: %v, and under --max-shift 5%% %v", k, of, asked)
		}
	}

	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("TACET_PYTHON") == "required" {
			t.Fatal("no python3, which TACET_PYTHON requires")
		}
		t.Skip("no python3")
	}
	root := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "docs/pictures"), 0o777))
	if out, err := exec.Command(python, "-B", "../../docs/study/study.py", "page", root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"docs/study.md", "docs/pictures/study.svg"} {
		made := readFile(t, filepath.Join(root, name))
		stored := readFile(t, filepath.Join("../..", name))
		if !bytes.Equal(made, stored) {
			t.Errorf("%s is not what python3 docs/study/study.py page makes of results.csv", name)
		}
	}
}
