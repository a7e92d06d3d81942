package fault

import (
	"errors"
	"slices"
	"testing"
)

// TestTogether: several faults are told one by one, each once, and as one.
func TestTogether(t *testing.T) {
	rank := New(Usage, "ranks count from 1, the worst", "--floor-rank 0 is not a rank")
	input := New(Input, "give --input visits.parquet", "visits does not exist")
	exists := New(Usage, "give another file", "out.parquet exists")
	other := New(Usage, "give another file", "plan.json exists")
	other.Option = "plan"
	again := New(Usage, "give --plan plan.json", "--plan is missing")
	again.Option = "plan"
	if Together(nil) != nil || Of(nil) != nil || Together([]*Fault{rank}) != error(rank) {
		t.Error("no fault is one, or a fault alone is another")
	}
	err := Together([]*Fault{input, As(Together([]*Fault{rank, exists})), other, again, rank})
	each := Of(err)
	if want := []*Fault{input, rank, exists, other}; !slices.Equal(each, want) {
		t.Errorf("they tell of %v, want %v", each, want)
	}
	f := As(err)
	if want := "visits does not exist; --floor-rank 0 is not a rank; out.parquet exists; plan.json " +
		"exists"; f.What != want {
		t.Errorf("together they are %q, want %q", f.What, want)
	}
	if want := "give --input visits.parquet; ranks count from 1, the worst; give another file"; f.Hint != want {
		t.Errorf("the hint is %q, want %q", f.Hint, want)
	}
	if f.Class != Input {
		t.Errorf("the class is %v, want that of the first", f.Class)
	}
}

// TestAsNil: what did not fail is no fault, and what did is one.
func TestAsNil(t *testing.T) {
	if f := As(nil); f != nil {
		t.Errorf("no error is the fault %v", f)
	}
	if f := As(errors.New("disk full")); f == nil || f.Class != Environment {
		t.Errorf("an error is the fault %v", f)
	}
}
