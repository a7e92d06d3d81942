package estimate

import (
	"math"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

func TestCountsOfRefuses(t *testing.T) {
	for _, bad := range [][]int64{{1, -1}, {math.MaxInt64, 1}} {
		if _, err := CountsOf(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	h := []int64{4, 5}
	c, err := CountsOf(h)
	h[0] = 7
	if err != nil || c.Count(0) != 4 || c.Letters() != 2 || c.Total() != 9 {
		t.Errorf("count %d of %d letters, %d records, %v", c.Count(0), c.Letters(), c.Total(), err)
	}
	c.Counts()[0] = 9
	if c.Count(0) != 4 {
		t.Error("Counts does not return a copy")
	}
}

func TestPriors(t *testing.T) {
	c, err := CountsOf([]int64{3, 0, 5})
	if err != nil {
		t.Fatal(err)
	}
	of := func(p mechanism.Prior, err error) []int64 {
		if err != nil {
			t.Fatal(err)
		}
		return p.Counts()
	}
	if got := of(Empirical(c)); !slices.Equal(got, []int64{3, 0, 5}) {
		t.Errorf("empirical %v", got)
	}
	if got := of(Smoothed(c, 1, 2)); !slices.Equal(got, []int64{7, 1, 11}) {
		t.Errorf("half a record added: %v", got)
	}
	if got := of(placed(c, 5, []int32{4, 0, 1})); !slices.Equal(got, []int64{0, 5, 0, 0, 3}) {
		t.Errorf("declared %v", got)
	}
	big, err := CountsOf([]int64{1 << 61, 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() (mechanism.Prior, error){
		"negative pseudo-count": func() (mechanism.Prior, error) { return Smoothed(c, -1, 1) },
		"pseudo-count over 0":   func() (mechanism.Prior, error) { return Smoothed(c, 1, 0) },
		"product too large":     func() (mechanism.Prior, error) { return Smoothed(big, 1, 8) },
		"total too large":       func() (mechanism.Prior, error) { return Smoothed(big, 0, 2) },
		"place twice":           func() (mechanism.Prior, error) { return placed(c, 5, []int32{1, 1, 2}) },
		"place outside":         func() (mechanism.Prior, error) { return placed(c, 2, []int32{0, 1, 2}) },
		"place negative":        func() (mechanism.Prior, error) { return placed(c, 5, []int32{0, -1, 2}) },
		"place missing":         func() (mechanism.Prior, error) { return placed(c, 5, []int32{0, 1}) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// placed is the empirical prior over a declared domain, in which letter x of the
// data is letter at[x].
func placed(c *Counts, domain int, at []int32) (mechanism.Prior, error) {
	placed, err := c.Place(domain, at)
	if err != nil {
		return mechanism.Prior{}, err
	}
	return Empirical(placed)
}
