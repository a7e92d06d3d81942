package optimum

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

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
