package fault

import (
	"errors"
	"testing"
)

// TestAsNil: what did not fail is no fault, and what did is one.
func TestAsNil(t *testing.T) {
	if f := As(nil); f != nil {
		t.Errorf("no error is the fault %v", f)
	}
	if f := As(errors.New("disk full")); f == nil || f.Class != Environment {
		t.Errorf("an error is the fault %v", f)
	}
}
