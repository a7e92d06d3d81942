package pipeline_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// circle is an order of three letters in which each may become itself or the
// next at rank 2.
func circle(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "circle.csv")
	if err := os.WriteFile(path, []byte(",a,b,c\na,2,1,0\nb,0,2,1\nc,1,0,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "matrix:" + path
}

// spread has count[w][x] rows of stratum w and letter x, the letters side by
// side.
func spread(count ...[]int) (rows []stratumRow) {
	for left := true; left; {
		left = false
		for w := range count {
			for x := range count[w] {
				if count[w][x] > 0 {
					count[w][x]--
					rows = append(rows, stratumRow{string(rune('a' + x)), fmt.Sprint("w", w)})
					left = true
				}
			}
		}
	}
	return rows
}

// written reads report.json as it stands.
func written(t *testing.T, folder string) *report.Report {
	t.Helper()
	r := &report.Report{}
	if err := json.Unmarshal(read(t, filepath.Join(folder, "report.json")), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Three rows, one of each value: whoever sees one output learns a factor of
// 3/2 of its row, whoever sees all of them may learn 3. The report claims the
// first alone, for this file, and says of the population what three records
// allow.
func TestThreeRows(t *testing.T) {
	rank := 2
	_, folder, err := released(t, spread([]int{1, 1, 1}), pipeline.Options{Utility: circle(t), Epsilon: "log(3/2)",
		FloorRank: &rank, Design: "safe", Confidence: "0.05"})
	if err != nil {
		t.Fatal(err)
	}
	if r := written(t, folder); r.Epsilon.Factor != "3/2" || r.Prior.Of != "this file" || r.Population == nil ||
		!(r.Population.Nats > r.Epsilon.Nats) {
		t.Errorf("%+v, %+v, %+v", r.Epsilon, r.Prior, r.Population)
	}
	law := lawOf(t, folder)
	files := [][]string{{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"}, {"b", "c", "a"}, {"c", "a", "b"},
		{"c", "b", "a"}}
	if one := most(law, files, 1); one.Cmp(big.NewRat(3, 2)) != 0 {
		t.Errorf("one output tells a factor of %s of its row", one.RatString())
	}
	if all := most(law, files, 3); all.Cmp(big.NewRat(3, 1)) != 0 {
		t.Errorf("all outputs tell a factor of %s of one row", all.RatString())
	}
}

// most is the largest factor by which the outputs of the first k rows change
// the chance of a letter in the first, where each of the files is as likely.
func most(law map[string]map[string]*big.Rat, files [][]string, k int) *big.Rat {
	outputs := []string{"a", "b", "c"}
	n := 1
	for range k {
		n *= len(outputs)
	}
	factor := new(big.Rat)
	for at := range n {
		of, all := map[string]*big.Rat{}, new(big.Rat)
		for _, f := range files {
			p, rest := big.NewRat(1, int64(len(files))), at
			for _, x := range f[:k] {
				q := law[x][outputs[rest%len(outputs)]]
				if rest /= len(outputs); q == nil {
					q = new(big.Rat)
				}
				p.Mul(p, q)
			}
			if of[f[0]] == nil {
				of[f[0]] = new(big.Rat)
			}
			of[f[0]].Add(of[f[0]], p)
			all.Add(all, p)
		}
		for _, p := range of {
			if p.Sign() == 0 {
				continue
			}
			// The letter has a third of the files before.
			if v := new(big.Rat).Quo(p, all); factor.Cmp(v.Mul(v, big.NewRat(3, 1))) < 0 {
				factor = v
			}
		}
	}
	return factor
}

// lawOf is the mechanism of a plan: input, output.
func lawOf(t *testing.T, folder string) map[string]map[string]*big.Rat {
	t.Helper()
	var p struct {
		Laws []struct {
			Rows []lawRow `json:"rows"`
		} `json:"mechanisms"`
	}
	if err := json.Unmarshal(read(t, filepath.Join(folder, "plan.json")), &p); err != nil {
		t.Fatal(err)
	}
	law := map[string]map[string]*big.Rat{}
	for _, r := range p.Laws[0].Rows {
		law[r.Input] = r.chances(t)
	}
	if len(law) != 3 || slices.Contains([]int{len(law["a"]), len(law["b"]), len(law["c"])}, 0) {
		t.Fatalf("%v", law)
	}
	return law
}
