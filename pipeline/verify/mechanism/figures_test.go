package mechanism

import (
	"math"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// TestDiff: each figure of an object is held to what is expected, a logarithm to
// one that is rounded up, and none may be there that is not expected.
func TestDiff(t *testing.T) {
	want := Figures{"floor": "rank >= 2", "at": 2.0, "by_value": false, "value": -1.0, "safe_factor": big.NewRat(3, 2),
		"safe_nats": big.NewRat(3, 2), "safe_mean": Rounded{-0.3, 1}}
	right := document.FloorCost{Floor: "rank >= 2", At: 2, Value: -1, Safe: "3/2", Nats: math.Nextafter(math.Log(1.5), 1),
		Mean: -0.1 - 0.2}
	var w document.Faults
	if Diff(&w, "a floor", &right, want); len(w) > 0 {
		t.Errorf("what is right is refused: %v", w)
	}
	for name, alter := range map[string]func(*document.FloorCost){
		"another text":             func(c *document.FloorCost) { c.Floor = "rank >= 3" },
		"a float that is not near": func(c *document.FloorCost) { c.Mean += 1e-9 },
		"no number":                func(c *document.FloorCost) { c.Mean = math.NaN() },
		"a float in its last bit":  func(c *document.FloorCost) { c.Value = math.Nextafter(c.Value, 0) },
		"a fraction":               func(c *document.FloorCost) { c.Safe = "6/4" },
		"a logarithm rounded down": func(c *document.FloorCost) { c.Nats = math.Nextafter(math.Log(1.5), 0) },
		"a figure not expected":    func(c *document.FloorCost) { c.Lower = "1" },
	} {
		c := right
		alter(&c)
		var w document.Faults
		if Diff(&w, "a floor", c, want); len(w) != 1 {
			t.Errorf("%s: %v", name, w)
		}
	}
	if Diff(&w, "a guess", (*document.GuessClaim)(nil), Figures{}); len(w) != 1 {
		t.Error("an object that is missing is taken")
	}
}
