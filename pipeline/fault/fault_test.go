package fault

import (
	"errors"
	"testing"
)

// TestTogether: of several faults every hint says which flag it is for, once.
func TestTogether(t *testing.T) {
	rank := New(Usage, "ranks count from 1, the worst", "--floor-rank 0 is not a rank")
	threads := New(Usage, "give a whole number", "TACET_THREADS in the environment, for --threads, is no number")
	input := New(Usage, "give --input visits.parquet", "--input is missing")
	exists := New(Usage, "give another file", "out.parquet exists")
	for want, all := range map[string][]*Fault{
		"ranks count from 1, the worst": {rank},
		"for --floor-rank: ranks count from 1, the worst; for --threads: give a whole number": {rank, threads, rank},
		"give --input visits.parquet; give another file; for --threads: give a whole number":  {input, exists, threads},
	} {
		if got := As(Together(all)).Hint; got != want {
			t.Errorf("the hint is %q, want %q", got, want)
		}
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
