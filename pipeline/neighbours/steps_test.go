package neighbours

import (
	"context"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// What is left for a pair depends on those before it alone, whoever asks
// first; work that does not fit takes nothing.
func TestSteps(t *testing.T) {
	chain := []*steps{within(10)}
	for range 3 {
		chain = append(chain, &steps{chain[len(chain)-1].after, make(chan int, 1)})
	}
	want := []bool{true, false, true, true}
	got := make([]chan bool, len(chain))
	for i := len(chain) - 1; i >= 0; i-- {
		got[i] = make(chan bool, 1)
		go func() {
			ok, err := chain[i].take(context.Background(), []int{6, 5, 3, 1}[i])
			got[i] <- ok && err == nil
		}()
	}
	for i := range want {
		if ok := <-got[i]; ok != want[i] {
			t.Errorf("work %d is taken: %t, want %t", i, ok, want[i])
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := (&steps{make(chan int), nil}).take(ctx, 1); err == nil {
		t.Error("it waits for a turn after the end")
	}
}

// Quantiles are fewer where each takes many steps.
func TestMostBins(t *testing.T) {
	for _, c := range []struct{ letters, want int }{{16, maxBins}, {500, maxBins}, {1000, 64}, {9000, 1}} {
		all := make([]uint16, c.letters)
		for y := range all {
			all[y] = uint16(y)
		}
		rows := make([]mechanism.Row, c.letters)
		for x := range rows {
			rows[x] = mechanism.UniformRow(all)
		}
		m, err := mechanism.New(c.letters, rows)
		if err != nil {
			t.Fatal(err)
		}
		if got := mostBins(m); got != c.want {
			t.Errorf("%d letters: %d quantiles, want %d", c.letters, got, c.want)
		}
	}
}
