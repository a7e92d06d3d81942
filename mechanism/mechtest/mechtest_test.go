package mechtest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
)

func of(kind string) Design {
	return func(p mechanism.Prior, o mechanism.Order, g design.Goal) (*mechanism.Mechanism, error) {
		g.Kind = kind
		m, _, err := design.Make(context.Background(), p, o, g)
		return m, err
	}
}

func TestDesigns(t *testing.T) {
	for _, kind := range append(design.Kinds(), "auto") {
		Run(t, kind, of(kind))
	}
}

// Every design on every reference instance, outputs worth (7x+3y+xy) mod 11
// and all else forbidden, at half, all and twice the nats of the optimum.
func TestInstances(t *testing.T) {
	b, err := os.ReadFile("../../testdata/paper/instances.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Instances []struct {
			Name    string
			Counts  []int64
			Outputs int
			Allowed [][]int
			Eps     float64 `json:"eps_opt"`
			Expect  string
		}
	}
	if err := json.Unmarshal(b, &all); err != nil || len(all.Instances) < 40 {
		t.Fatal(len(all.Instances), err)
	}
	for _, i := range all.Instances {
		value := make([][]float64, len(i.Counts))
		for x := range value {
			value[x] = make([]float64, i.Outputs)
			for y := range value[x] {
				value[x][y] = math.Inf(-1)
			}
			for _, y := range i.Allowed[x] {
				value[x][y] = float64((7*x + 3*y + x*y) % 11)
			}
		}
		p, o := prior(t, i.Counts...), matrix(t, value)
		floor := mechanism.RankFloor(1)
		for _, kind := range append(design.Kinds(), "auto") {
			if i.Expect != "" {
				var none *mechanism.NoOutputError
				if _, err := of(kind)(p, o, design.Goal{}); !errors.As(err, &none) {
					t.Errorf("%s: error %v", i.Name, err)
				}
				continue
			}
			for _, share := range []float64{.5, 2} {
				e := epsilon(t, trim(i.Eps*share))
				m := Check(t, of(kind), p, o, design.Goal{Epsilon: e, Floor: &floor})
				if share < 1 && i.Eps > 0 && m != nil {
					t.Errorf("%s: %s is below the proven optimum", i.Name, kind)
				}
			}
		}
	}
}

func trim(v float64) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// A mechanism with one weight moved is caught.
func TestLeakageCatches(t *testing.T) {
	m, err := mechanism.New(2, []mechanism.Row{
		mechanism.WeightedRow([]uint16{0, 1}, []int64{3, 1}),
		mechanism.WeightedRow([]uint16{0, 1}, []int64{1, 3}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := leakage(fractions(m), prior(t, 1, 1)); f[0].RatString() != "3/2" || f[1].RatString() != "3/2" {
		t.Errorf("leakage %v", f)
	}
}
