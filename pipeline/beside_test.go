package pipeline_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// A column that is passed through changes the prior. Over all 100 records the
// rarest set of letters holds 63; within one value of the column it holds 10
// of 35: .462 nats against 1.253. Both figures stand in report.json, and the
// total with what the column itself tells, which is no sum of the two.
func TestPassThrough(t *testing.T) {
	rank := 2
	_, folder, err := released(t, spread([]int{25, 5, 5}, []int{12, 28, 25}), pipeline.Options{Utility: circle(t),
		Epsilon: "log(100/63)", FloorRank: &rank, Design: "safe", Audit: "full", AllowSorted: true})
	if err != nil {
		t.Fatal(err)
	}
	r := written(t, folder)
	if r.Epsilon.Factor != "100/63" || !(math.Abs(r.Epsilon.Nats-.462) <= 5e-4) {
		t.Errorf("epsilon %s, %v nats, want .462", r.Epsilon.Factor, r.Epsilon.Nats)
	}
	if len(r.Beside.Columns) != 1 {
		t.Fatalf("%+v", r.Beside)
	}
	w := r.Beside.Columns[0].InSample
	for _, c := range []struct {
		name            string
		got, want, near float64
	}{
		{"the worst stratum", w.Given, 1.253, 5e-4}, {"the worst stratum, exactly", w.Given, math.Log(3.5), 1e-9},
		{"the column alone", w.Alone, math.Log(25. / 37 / .35), 1e-9}, {"the total", w.Total, math.Log(25. / 37 / .30), 1e-9},
	} {
		if !(math.Abs(c.got-c.want) <= c.near) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// Who learns most of a record of the worst stratum: whoever knows the column,
// holds a letter of two for likely by 5 in 35, and sees an output that only
// these two give, by one in two.
func TestPassThroughLearner(t *testing.T) {
	rank := 2
	_, folder, err := released(t, spread([]int{25, 5, 5}, []int{12, 28, 25}), pipeline.Options{Utility: circle(t),
		Epsilon: "log(100/63)", FloorRank: &rank, Design: "safe", Audit: "full", AllowSorted: true})
	if err != nil {
		t.Fatal(err)
	}
	w := written(t, folder).Beside.Columns[0].InSample.Within
	if w == nil || w.Output.Text != "c" || w.Guess.Text != "b" && w.Guess.Text != "c" ||
		!(math.Abs(w.Before-5./35) <= 1e-12 && math.Abs(w.After-.5) <= 1e-12 && math.Abs(w.Factor-3.5) <= 1e-9) {
		t.Errorf("%+v", w)
	}
	text := string(read(t, filepath.Join(folder, "report.html")))
	for _, want := range []string{
		"right 14.3 in 100 times. The record is published as c; the guess is then right 50 in 100 times, " +
			"3.5 times as likely.",
		"In sample, by the frequencies of the rows read",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
}

// Given the column, each stratum with a mechanism of its own: what the output
// tells within the column is the epsilon of the promise, whichever of the
// mechanisms it was.
func TestPassThroughGiven(t *testing.T) {
	r, folder, err := stratified(t, spread([]int{250, 50, 40}, []int{120, 280, 250}), pipeline.Options{Utility: circle(t),
		Epsilon: "log(9/2)", Audit: "full", AllowSorted: true, AllowLinked: []string{"w"}})
	if err != nil {
		t.Fatal(err)
	}
	law := laws(t, folder)
	if r.Strata.Rule != "apart" {
		t.Fatalf("the strata have the rule %s", r.Strata.Rule)
	}
	w := written(t, folder).Beside.Columns[0].InSample
	if !(math.Abs(w.Given-r.Epsilon.Nats) <= 1e-9) {
		t.Errorf("within the column %v nats, epsilon given it %v", w.Given, r.Epsilon.Nats)
	}
	total := 1.0
	p := map[string][]float64{"w0": {250, 50, 40}, "w1": {120, 280, 250}}
	for s, counts := range p {
		for _, y := range []string{"a", "b", "c"} {
			most, mass := 0.0, 0.0
			for x := range counts {
				if q := law[s][string(rune('a'+x))][y]; q != nil {
					v, _ := q.Float64()
					most = max(most, v*counts[x]/(p["w0"][x]+p["w1"][x]))
					mass += v * counts[x] / 990
				}
			}
			if mass > 0 {
				total = max(total, most/mass)
			}
		}
	}
	if !(math.Abs(w.Total-math.Log(total)) <= 1e-9) {
		t.Errorf("column and output: %v nats, want %v", w.Total, math.Log(total))
	}
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
