package releases

import (
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// TestKindsOfEarlierVersions: a history says which draws kept a total, and one in which an
// earlier version merged outputs or hid them is refused with what to do.
func TestKindsOfEarlierVersions(t *testing.T) {
	if e, err := totalOf(Kind("")); e != nil || err != nil {
		t.Errorf("no total is %v, %v", e, err)
	}
	if e, err := totalOf(Kind("log(3/2)")); e == nil || err != nil || e.Factor().RatString() != "3/2" {
		t.Errorf("a total is %v, %v", e, err)
	}
	for old, hint := range map[string]string{"draw; total 1.5, else suppress": "another --dataset",
		"draw; total 1.5, else repeat": "another --dataset", "draw; total": "the version that wrote it", "": "the version"} {
		if _, err := totalOf(old); err == nil || fault.As(err).Class != fault.Input ||
			!strings.Contains(fault.As(err).Hint, hint) {
			t.Errorf("%q: %v", old, err)
		}
	}
}
