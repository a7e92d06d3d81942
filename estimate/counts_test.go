package estimate

import (
	"math"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

func TestCountsMergeLikeOnePass(t *testing.T) {
	letters := []int32{3, 0, 0, -1, 2, 3, 3, -1, 0}
	whole, merged := NewCounts(5), NewCounts(5)
	whole.Add(letters)
	for part := range slices.Chunk(letters, 4) {
		c := NewCounts(5)
		c.Add(part)
		merged.Merge(c)
	}
	for _, c := range []*Counts{whole, merged} {
		if !slices.Equal(c.Counts(), []int64{3, 0, 1, 3, 0}) || c.Null() != 2 || c.Total() != 7 || c.Letters() != 5 ||
			c.Count(3) != 3 {
			t.Errorf("counts %v, %d nulls, total %d", c.Counts(), c.Null(), c.Total())
		}
	}
	whole.Counts()[0] = 9
	if whole.Count(0) != 3 {
		t.Error("Counts does not return a copy")
	}
}

func TestCountsOfRefuses(t *testing.T) {
	for _, bad := range [][]int64{{1, -1}, {math.MaxInt64, 1}} {
		if _, err := CountsOf(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	h := []int64{4, 5}
	c, err := CountsOf(h)
	h[0] = 7
	if err != nil || c.Count(0) != 4 {
		t.Errorf("count %d, %v", c.Count(0), err)
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
	if got := of(Declared(c, 5, []int32{4, 0, 1})); !slices.Equal(got, []int64{0, 5, 0, 0, 3}) {
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
		"place twice":           func() (mechanism.Prior, error) { return Declared(c, 5, []int32{1, 1, 2}) },
		"place outside":         func() (mechanism.Prior, error) { return Declared(c, 2, []int32{0, 1, 2}) },
		"place negative":        func() (mechanism.Prior, error) { return Declared(c, 5, []int32{0, -1, 2}) },
		"place missing":         func() (mechanism.Prior, error) { return Declared(c, 5, []int32{0, 1}) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
