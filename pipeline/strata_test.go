package pipeline_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A stratumRow has a private letter and the stratum it is in.
type stratumRow struct {
	X string `parquet:"x"`
	W string `parquet:"w"`
}

// stratified runs the rows through the product, given their strata.
func stratified(t *testing.T, rows []stratumRow, o pipeline.Options) (*report.Report, string, error) {
	t.Helper()
	o.Strata = "w"
	return released(t, rows, o)
}

// released runs the rows through the product.
func released(t *testing.T, rows []stratumRow, o pipeline.Options) (*report.Report, string, error) {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[stratumRow](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	o.Input = filepath.Join(dir, "in.parquet")
	if err := os.WriteFile(o.Input, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	seed := uint64(1)
	o.Column, o.Output, o.Report = "x", filepath.Join(dir, "out.parquet"), filepath.Join(dir, "r")
	o.Audit, o.TestSeed = cmp.Or(o.Audit, "off"), &seed
	r, err := pipeline.Run(context.Background(), o)
	if err != nil {
		return nil, o.Report, err
	}
	return r[0], o.Report, nil
}

// A lawRow is a row of a mechanism in plan.json.
type lawRow struct {
	Input   string      `json:"input"`
	Total   string      `json:"total"`
	Outputs [][2]string `json:"outputs"`
}

// chances are those of the outputs.
func (r *lawRow) chances(t *testing.T) map[string]*big.Rat {
	t.Helper()
	law := map[string]*big.Rat{}
	for _, c := range r.Outputs {
		f, ok := new(big.Rat).SetString(c[1] + "/" + r.Total)
		if !ok {
			t.Fatalf("no fraction %s/%s", c[1], r.Total)
		}
		law[c[0]] = f
	}
	return law
}

// laws are the mechanisms of a plan by stratum: stratum, input, output.
func laws(t *testing.T, folder string) map[string]map[string]map[string]*big.Rat {
	t.Helper()
	var p struct {
		Groups []struct {
			Names []string `json:"strata"`
			Law   int      `json:"mechanism"`
		} `json:"groups"`
		Laws []struct {
			Rows []lawRow `json:"rows"`
		} `json:"mechanisms"`
	}
	if err := json.Unmarshal(read(t, filepath.Join(folder, "plan.json")), &p); err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]map[string]*big.Rat{}
	for _, g := range p.Groups {
		law := map[string]map[string]*big.Rat{}
		for _, r := range p.Laws[g.Law].Rows {
			law[r.Input] = r.chances(t)
		}
		for _, n := range g.Names {
			out[n] = law
		}
	}
	return out
}

// leaks is max_y log max_x P(y|x) / P(y) of rows, each with the law of its
// stratum, by counting nothing but rows: what an observer learns who knows
// that the record is one of them.
func leaks(rows []stratumRow, law map[string]map[string]map[string]*big.Rat) *big.Rat {
	own := map[string]int64{}
	joint := map[string]map[string]*big.Rat{} // output, letter: sum over rows of p(y|row)
	for _, r := range rows {
		own[r.X]++
		for y, p := range law[r.W][r.X] {
			if joint[y] == nil {
				joint[y] = map[string]*big.Rat{}
			}
			if joint[y][r.X] == nil {
				joint[y][r.X] = new(big.Rat)
			}
			joint[y][r.X].Add(joint[y][r.X], p)
		}
	}
	most := big.NewRat(1, 1)
	for _, of := range joint {
		all, peak := new(big.Rat), new(big.Rat)
		for x, p := range of {
			all.Add(all, p)
			if v := new(big.Rat).Quo(p, big.NewRat(own[x], 1)); v.Cmp(peak) > 0 {
				peak = v
			}
		}
		if f := peak.Mul(peak, new(big.Rat).Quo(big.NewRat(int64(len(rows)), 1), all)); f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}

// together is max P(x|w,y) / P(x) of rows, each with the law of its stratum, and
// max P(x|w) / P(x): what an observer learns who sees the stratum and the output
// of a record, or the stratum alone.
func together(rows []stratumRow, law map[string]map[string]map[string]*big.Rat) (both, alone *big.Rat) {
	own := map[string]int64{}
	for _, r := range rows {
		own[r.X]++
	}
	type cell struct{ w, y, x string }
	size, shown, held := map[string]int64{}, map[[2]string]*big.Rat{}, map[cell]*big.Rat{}
	letter := map[[2]string]int64{}
	for _, r := range rows {
		size[r.W]++
		letter[[2]string{r.W, r.X}]++
		for y, p := range law[r.W][r.X] {
			k, c := [2]string{r.W, y}, cell{r.W, y, r.X}
			if shown[k] == nil {
				shown[k] = new(big.Rat)
			}
			if held[c] == nil {
				held[c] = new(big.Rat)
			}
			shown[k].Add(shown[k], p)
			held[c].Add(held[c], p)
		}
	}
	both, alone = big.NewRat(1, 1), big.NewRat(1, 1)
	n := int64(len(rows))
	for k, c := range letter {
		if f := new(big.Rat).Mul(big.NewRat(c, size[k[0]]), big.NewRat(n, own[k[1]])); f.Cmp(alone) > 0 {
			alone = f
		}
	}
	for c, p := range held {
		f := new(big.Rat).Quo(p, shown[[2]string{c.w, c.y}])
		if f.Mul(f, big.NewRat(n, own[c.x])); f.Cmp(both) > 0 {
			both = f
		}
	}
	return both, alone
}

// guessed is how often the best guess of a letter is right before and after
// the output is seen, over rows that share what the observer knows of them.
func guessed(rows []stratumRow, law map[string]map[string]map[string]*big.Rat, known func(stratumRow) string) (before,
	mean, worst float64) {
	type cell struct{ k, y string }
	of, size, held, shown := map[cell]float64{}, map[string]float64{}, map[cell]map[string]float64{}, map[cell]float64{}
	for _, r := range rows {
		k := known(r)
		of[cell{k, r.X}]++
		size[k]++
		for y, p := range law[r.W][r.X] {
			v, _ := p.Float64()
			if held[cell{k, y}] == nil {
				held[cell{k, y}] = map[string]float64{}
			}
			held[cell{k, y}][r.X] += v
			shown[cell{k, y}] += v
		}
	}
	most := map[string]float64{}
	for c, n := range of {
		most[c.k] = max(most[c.k], n)
	}
	for _, n := range most {
		before += n / float64(len(rows))
	}
	for c, letters := range held {
		best := 0.0
		for _, v := range letters {
			best = max(best, v)
		}
		mean += best / float64(len(rows))
		worst = max(worst, best/shown[c])
	}
	return before, mean, worst
}

// What three observers are told, and what two of them can believe, is what the
// rows of the file give, whether the strata are published or dropped, merged or
// not, have one mechanism or several, and whether epsilon is kept given the
// stratum only. With TACET_TORTURE=1 it takes 2,000 files instead of 60.
func TestStrataByRows(t *testing.T) {
	cases := 60
	if os.Getenv("TACET_TORTURE") == "1" {
		cases = 2000
	}
	rng := rand.New(rand.NewPCG(3, 1))
	seen := map[string]int{}
	for i := range cases {
		var rows []stratumRow
		letters, strata := 2+rng.IntN(4), 1+rng.IntN(4)
		for range 20 + rng.IntN(150) {
			w := rng.IntN(strata)
			x := min(rng.IntN(letters), rng.IntN(letters)+w)
			rows = append(rows, stratumRow{string(rune('a' + x)), fmt.Sprint("w", w)})
		}
		for x := range letters { // so that the order has a letter for each
			rows = append(rows, stratumRow{string(rune('a' + x)), "w0"})
		}
		spec := "ordered:a,b,c,d,e"[:8+2*letters-1]
		o := pipeline.Options{Utility: spec, AllowUnchanged: true, Epsilon: []string{"0.3", "1", "log(2)"}[rng.IntN(3)],
			Design: []string{"auto", "safe", "flat"}[rng.IntN(3)], GivenOnly: rng.IntN(3) == 0}
		shown := rng.IntN(2) == 0
		if !shown {
			o.Drop, o.StrataMin = []string{"w"}, int64(1+rng.IntN(30))
		}
		r, folder, err := stratified(t, rows, o)
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		law, s := laws(t, folder), r.Strata
		seen[s.Rule]++
		seen[fmt.Sprint("published ", s.Published)]++
		seen[fmt.Sprint("merged ", s.Merged > 1)]++
		epsilon, err := mechanism.ParseEpsilon(o.Epsilon)
		if err != nil {
			t.Fatal(err)
		}
		if s.Published != shown || s.GivenOnly != o.GivenOnly || shown && s.Merged > 0 {
			t.Errorf("case %d: %+v", i, s)
		}
		worst, group := big.NewRat(1, 1), map[string]string{}
		for g, s := range r.Strata.Groups {
			var own []stratumRow
			for _, row := range rows {
				for _, n := range s.Names {
					if n.Text == row.W {
						own = append(own, row)
						group[row.W] = fmt.Sprint(g)
					}
				}
			}
			f := leaks(own, law)
			if f.Cmp(worst) > 0 {
				worst = f
			}
			if s.Factor != f.RatString() || s.Records != int64(len(own)) || s.Written != s.Records || !epsilon.Admits(f) {
				t.Errorf("case %d, group %d: %+v, the rows give %s of %d", i, g, s, f.RatString(), len(own))
			}
			if !s.Rest && s.Records < o.StrataMin || s.Rank < r.Floor.Rank {
				t.Errorf("case %d, group %d: %+v is too small, or below the floor", i, g, s)
			}
		}
		all := leaks(rows, law)
		if s.Known != worst.RatString() || s.Overall != all.RatString() || !o.GivenOnly && !epsilon.Admits(all) {
			t.Errorf("case %d: given %s, overall %s, the rows give %s and %s", i, s.Known, s.Overall, worst.RatString(),
				all.RatString())
		}
		if all.Cmp(worst) > 0 && !o.GivenOnly {
			worst = all
		}
		if r.Epsilon.Factor != worst.RatString() || !(math.Abs(r.Epsilon.Nats-mechanism.Nats(worst)) <= 1e-12) {
			t.Errorf("case %d: epsilon %s, the rows give %s", i, r.Epsilon.Factor, worst.RatString())
		}
		if both, alone := together(rows, law); shown && (s.Together != both.RatString() || s.Alone != alone.RatString()) ||
			!shown && s.Together+s.Alone != "" {
			t.Errorf("case %d: together %s, alone %s, the rows give %s and %s", i, s.Together, s.Alone, both.RatString(),
				alone.RatString())
		}
		for _, b := range []struct {
			guess *report.Guess
			known func(stratumRow) string
		}{{r.Guess, func(r stratumRow) string { return group[r.W] }},
			{s.Unaware.Guess, func(stratumRow) string { return "" }}} {
			before, mean, worst := guessed(rows, law, b.known)
			if g := b.guess; !(math.Abs(g.Before-before) <= 1e-12 && math.Abs(g.Mean-mean) <= 1e-12 &&
				math.Abs(g.Worst-worst) <= 1e-12) {
				t.Errorf("case %d: best guess %+v, the rows give %v %v %v", i, *g, before, mean, worst)
			}
		}
	}
	for _, want := range []string{"shared", "apart", "published true", "published false", "merged true", "merged false"} {
		if seen[want] < cases/20 {
			t.Errorf("%s: %d of %d cases", want, seen[want], cases)
		}
	}
}
