package records

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDigest: it does not depend on batches, and one changed, exchanged, added
// or missing letter changes it.
func TestDigest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	of := func(letter []int32, batch func() int) (d digest) {
		for len(letter) > 0 {
			n := min(batch(), len(letter))
			d.add(letter[:n])
			letter = letter[n:]
		}
		return d
	}
	whole := func(letter []int32) digest { return of(letter, func() int { return len(letter) }) }
	for n := range 70 {
		letter := make([]int32, n)
		for i := range letter {
			letter[i] = rng.Int32N(5) - 1
		}
		want := whole(letter)
		for range 20 {
			if of(letter, func() int { return 1 + rng.IntN(20) }) != want {
				t.Fatalf("%d letters: batches change the digest", n)
			}
		}
		seen := map[digest]bool{want: true}
		fresh := func(what string, letter []int32) {
			if d := whole(letter); seen[d] {
				t.Errorf("%d letters: the digest does not show %s", n, what)
			} else {
				seen[d] = true
			}
		}
		fresh("one more", append(slices.Clone(letter), 0))
		for i := range letter {
			for _, other := range []int32{-2, 5, 65_000} {
				changed := slices.Clone(letter)
				changed[i] = other
				fresh("a change", changed)
			}
		}
		for i := range n - 8 {
			if exchanged := slices.Clone(letter); exchanged[i] != exchanged[i+8] {
				exchanged[i], exchanged[i+8] = exchanged[i+8], exchanged[i]
				fresh("an exchange", exchanged)
			}
		}
		if n > 0 {
			if d := whole(letter[:n-1]); d == want {
				t.Errorf("%d letters: the digest does not show that one is missing", n)
			}
		}
	}
}

// BenchmarkDigest reports ns a record.
func BenchmarkDigest(b *testing.B) {
	letter := make([]int32, 4096)
	var d digest
	for b.Loop() {
		d.add(letter)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/record")
}
