package pipeline_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

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
