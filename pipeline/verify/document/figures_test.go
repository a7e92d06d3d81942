package document

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// TestDiff: each figure is held to what is expected, a logarithm to one that is
// rounded up; none may be missing, and none there that is not expected. What is
// said of a difference has the key, and no text of the claim.
func TestDiff(t *testing.T) {
	want := Figures{"floor": "rank >= 2", "at": 2, "by_value": false, "value": -1.0, "safe_factor": big.NewRat(3, 2),
		"safe_nats": big.NewRat(3, 2), "safe_mean": Rounded{-0.3, 1}, "late?": 0, "label": files.Label{Null: true},
		"names": []string{"a", "7"}, "near": Near{1, .1}, "own_nats?": big.NewRat(1, 1), "open": Stated{},
		"word": Rule(func(n Node) bool { return n.Text("") != "" }), "in": Figures{"x": int64(3)}}
	right := map[string]any{"floor": "rank >= 2", "at": 2, "by_value": false, "value": -1, "safe_factor": "3/2",
		"safe_nats": math.Nextafter(math.Log(1.5), 1), "safe_mean": -0.1 - 0.2, "label": nil, "names": []string{"a", "7"},
		"near": 1.05, "word": "y", "in": map[string]any{"x": 3}}
	var w Faults
	if Diff(&w, "a floor", NodeOf(right), want); len(w) > 0 {
		t.Fatalf("what is right is refused: %v", w)
	}
	cases := map[string]func(map[string]any){
		"floor":       func(c map[string]any) { c["floor"] = "secret" },
		"safe_mean":   func(c map[string]any) { c["safe_mean"] = -0.3 + 1e-9 },
		"value":       func(c map[string]any) { c["value"] = math.Nextafter(-1, 0) },
		"safe_factor": func(c map[string]any) { c["safe_factor"] = "6/4" },
		"safe_nats":   func(c map[string]any) { c["safe_nats"] = math.Nextafter(math.Log(1.5), 0) },
		"late":        func(c map[string]any) { c["late"] = 0 },
		"own_nats":    func(c map[string]any) { c["own_nats"] = 0 },
		"at":          func(c map[string]any) { c["at"] = "2" },
		"by_value":    func(c map[string]any) { c["by_value"] = nil },
		"label":       func(c map[string]any) { c["label"] = "secret" },
		"names[1]":    func(c map[string]any) { c["names"] = []string{"a", "secret"} },
		"names":       func(c map[string]any) { c["names"] = []string{"a"} },
		"near":        func(c map[string]any) { c["near"] = 1.2 },
		"word":        func(c map[string]any) { c["word"] = 3 },
		"in.x":        func(c map[string]any) { c["in"] = map[string]any{"x": 4} },
		"in":          func(c map[string]any) { c["in"] = map[string]any{"x": 3, "secret": 4} },
		"a floor":     func(c map[string]any) { c["secret"] = 1 },
	}
	for key := range right {
		cases["without "+key] = func(c map[string]any) { delete(c, key) }
	}
	for key, alter := range cases {
		c := maps.Clone(right)
		alter(c)
		var w Faults
		Diff(&w, "a floor", NodeOf(c), want)
		bare := strings.TrimPrefix(key, "without ")
		if len(w) != 1 || !strings.Contains(w[0], bare) || strings.Contains(w[0], "secret") {
			t.Errorf("%s: %v", key, w)
		}
	}
	if may := []string{"3", "-1.5e-7", "3/2", "true"}; slices.ContainsFunc(may, func(s string) bool {
		return !figure().MatchString(s)
	}) || shown("7") != "" {
		t.Error("what a fault may show is another thing")
	}
}

// TestUnseen names what nobody looked at.
func TestUnseen(t *testing.T) {
	v := NewView(&Report{Node: NodeOf(map[string]any{"a": 1, "b": map[string]any{"c": 1,
		"d": []any{map[string]any{"e": 1}}},
		"f": []any{}, "g": 2})})
	var w Faults
	v.Expect(&w, Figures{"a": 1, "b.c": 2, "g": Stated{}})
	if got := v.Unseen(); len(w) != 1 || !slices.Equal(got, []string{"b.d[].e", "f"}) {
		t.Errorf("%v, %q", w, got)
	}
}
