package releases

import "testing"

func TestGiven(t *testing.T) {
	for kind, want := range map[Kind]string{Draw: "without --total-epsilon",
		Limited("log(3/2)", "repeat"): "with --total-epsilon log(3/2) --over-budget repeat"} {
		if got := kind.Given(); got != want {
			t.Errorf("%q is given %q, want %q", kind, got, want)
		}
	}
}
