package estimate

import (
	"slices"
	"testing"
)

func TestSmoothed(t *testing.T) {
	if got, err := Smoothed(prior(t, 3, 0, 5), 1, 2); err != nil || !slices.Equal(got.Counts(), []int64{7, 1, 11}) {
		t.Errorf("half a record added: %v, %v", got, err)
	}
	for _, c := range []struct{ most, add, per int64 }{{3, -1, 1}, {3, 1, 0}, {1 << 61, 1, 8}, {1 << 61, 0, 2}} {
		if _, err := Smoothed(prior(t, c.most, 1), c.add, c.per); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
