package claim

import "testing"

// TestRisks: what may become certain comes first, then the largest factor; of a promise and
// what was reached of it the latter stands there.
func TestRisks(t *testing.T) {
	all := []Claim{{Key: "leakage", Value: Value{Risk: &Risk{Times: 4}}},
		{Key: "leakage.reached", Value: Value{Risk: &Risk{Times: 3.5, Before: .1, After: .35}}},
		{Key: "limits"},
		{Key: "neighbours", Value: Value{Risk: &Risk{Times: 13.3, Least: true, Before: .02, After: .27}}},
		{Key: "confirmed", Value: Value{Risk: &Risk{Times: 2, Before: .5, After: 1}}},
		{Key: "joint", Value: Value{Risk: &Risk{}}}}
	want := []string{"confirmed", "joint", "neighbours", "leakage.reached"}
	got := Risks(all)
	if len(got) != len(want) {
		t.Fatalf("%d risks, want %d", len(got), len(want))
	}
	for i, c := range got {
		if c.Key != want[i] {
			t.Errorf("risk %d is %s, want %s", i+1, c.Key, want[i])
		}
	}
	if s := got[2].Risk.Factor(); s != "at least 13.3 times" {
		t.Errorf("a lower bound is told as %q", s)
	}
}
