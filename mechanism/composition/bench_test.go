package composition

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// BenchmarkAfter is a record with draws in its history, and a decision about
// one more, among so many different histories.
func BenchmarkAfter(b *testing.B) {
	for _, depth := range []int{1, 2, 4} {
		for _, histories := range []int{200, 16000} {
			b.Run(fmt.Sprintf("draws=%d/histories=%d", depth, histories),
				func(b *testing.B) { benchAfter(b, depth, histories) })
		}
	}
}

func benchAfter(b *testing.B, depth, histories int) {
	rng := rand.New(rand.NewPCG(33, 34))
	p := uniform(b, 50)
	total := mechanism.LogOf(big.NewRat(4, 1))
	channel := make([]Channel, depth+1)
	for k := range channel {
		channel[k] = Channel{Law: cyclic(b, 50, 30+k), Total: &total}
	}
	s := make1(b, p, channel...)
	history := make([][]Symbol, histories)
	for i := range history {
		st := s.Start()
		for k := range depth {
			history[i] = append(history[i], (int32(rng.IntN(30+k))+int32(i%20))%50)
			st = st.After(k, history[i][k])
		}
		st.Decide(depth)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		st, h := s.Start(), history[i]
		for k, z := range h {
			st = st.After(k, z)
		}
		st.Decide(depth)
		if i++; i == len(history) {
			i = 0
		}
	}
}
