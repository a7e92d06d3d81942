package mechanism

import "testing"

func newPrior(t *testing.T, count ...int64) Prior {
	t.Helper()
	p, err := NewPrior(count)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
