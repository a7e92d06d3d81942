package optimum

import (
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// made is what a constructor gives that must not fail.
func made[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func priorOf(count ...int64) mechanism.Prior { return made(mechanism.NewPrior(count)) }

func matrixOf(value [][]float64) mechanism.Order { return made(mechanism.NewMatrix(value)) }

// ratioOf reads a fraction of at least 1.
func ratioOf(s string) *big.Rat { return made(mechanism.ParseFactor(s)).Factor() }

// counting is the paper's counting query: u'(x,y) for |x-y|, answers that are
// too small costing one more, but for those off by 3.
func counting() (mechanism.Prior, mechanism.Order) {
	value := make([][]float64, 7)
	for x := range value {
		for y := range 7 {
			d := float64((x - y) * (x - y))
			if y < x && x-y != 3 {
				d++
			}
			value[x] = append(value[x], -d)
		}
	}
	return priorOf(1, 1, 1, 1, 1, 1, 1), matrixOf(value)
}

// An instance is one entry of testdata/paper/instances.json or shares.json: a support pattern
// with the proven bracket of its least factor.
type instanceOf struct {
	Name     string  `json:"name"`
	Counts   []int64 `json:"counts"`
	Outputs  int     `json:"outputs"`
	Allowed  [][]int `json:"allowed"`
	Low      string  `json:"factor_low"`
	High     string  `json:"factor_high"`
	Expect   string  `json:"expect"`
	Expected []struct {
		Factor float64 `json:"factor"`
		Best   float64 `json:"best"`
	} `json:"expected_utility"`
}

// Support is what the instance allows.
func (i instanceOf) Support() *mechanism.Support { return allow(i.Outputs, i.Allowed...) }

func instances(t *testing.T) []instanceOf {
	t.Helper()
	var all struct {
		Instances []instanceOf `json:"instances"`
	}
	readJSON(t, "instances.json", &all)
	if len(all.Instances) < 40 {
		t.Fatalf("%d instances", len(all.Instances))
	}
	return all.Instances
}

// readJSON reads a file of testdata/paper.
func readJSON(t *testing.T, name string, to any) {
	t.Helper()
	b, err := os.ReadFile("../../testdata/paper/" + name)
	must(t, err)
	must(t, json.Unmarshal(b, to))
}
