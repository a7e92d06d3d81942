package neighbours

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/test/torture"
)

// In a file of which a sample is judged, what reveals more than one row in
// hundred is refused or warned of: by single rows, by values that come with all
// their rows, and by rows that stand together.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 6))
	n, names := 400_000, []string{"19", "26", "15"}
	if torture.Long() {
		n, names = 1_000_000, nil
	}
	for i := range kinds {
		k := &kinds[i]
		if names != nil && !slices.Contains(names, k.name[:2]) {
			continue
		}
		letter, c := k.give(rng, n, .3)
		if _, found := judged(t, letter, k.letters, 1, nil, c...); !told(found) {
			t.Errorf("%s: %d rows are neither refused nor warned of", k.name, n)
		}
	}
	few := rng.IntN(1 << 20)
	for _, name := range []string{"an id of 16 values", "runs of 5 rows", "running total"} {
		letter := drawn(rng, n, 16, 1.2)
		c := whole("column", make([]int64, n))
		c.null = make([]bool, n)
		for i, x := range letter {
			// One row in 70 has a code for its letter.
			c.n[i], c.null[i] = int64(x)*7+int64(few), rng.IntN(70) > 0
			switch name {
			case "runs of 5 rows":
				if c.null[i] = true; i/5%70 == 3 {
					letter[i] = letter[i-i%5]
				}
			case "running total": // of steps that are the letters
				if c.null[i], c.n[i] = false, int64(x)*7+5; i > 0 {
					c.n[i] += c.n[i-1]
				}
			}
		}
		if _, found := judged(t, letter, 16, 1, nil, c); !told(found) {
			t.Errorf("%s: %d rows, of which 1.4 %% are revealed, are neither refused nor warned of", name, n)
		}
	}
}

// told reports whether something is refused or warned of.
func told(found []Finding) bool {
	refused, warned := grave(found)
	return len(refused)+len(warned) > 0
}
