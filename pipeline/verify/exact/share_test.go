package exact

import (
	"slices"
	"testing"
)

func TestShares(t *testing.T) {
	for text, want := range map[string]string{"10%": "1/10", "0.1": "1/10", ".5": "1/2", "1/3": "1/3", "7": "7", "1/0": "",
		"-1": "", "1e3": "", "%": "", "": ""} {
		got, ok := Share(text)
		if ok != (want != "") || ok && got.RatString() != want {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestSmoothedCounts(t *testing.T) {
	if got, ok := Smoothed([]int64{3, 0}, "1/2"); !ok || !slices.Equal(got, []int64{7, 1}) {
		t.Errorf("%v", got)
	}
	if got, ok := Smoothed([]int64{1 << 46}, "1/2"); ok {
		t.Errorf("%v", got)
	}
}
