package mechanism

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// randomParts are up to four parts of few records over the same few letters.
func randomParts(t *testing.T, rng *rand.Rand) (parts []Part) {
	t.Helper()
	inputs, outputs := 1+rng.IntN(4), 1+rng.IntN(4)
	law := func() *Mechanism { return randomMechanism(t, rng, inputs, outputs, 4) }
	m, shared := law(), rng.IntN(3) == 0
	for range 1 + rng.IntN(4) {
		prior := randomPrior(t, rng, inputs, 7)
		if !shared {
			m = law()
		}
		parts = append(parts, Part{m, prior, m.Leakage(prior)})
	}
	return parts
}

// TestObserversOfParts holds what two observers learn to 2,000 small tables,
// cell by cell: one who sees no part, and one who sees part and output.
func TestObserversOfParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	for trial := range 2000 {
		parts := randomParts(t, rng)
		m := parts[0].Mechanism
		all, n := sumOf(parts)
		joint := make([][][]*big.Rat, len(parts)) // records by part, letter, output
		seen := make([][]*big.Rat, m.Inputs())    // by letter, output
		for x := range seen {
			for range m.Outputs() {
				seen[x] = append(seen[x], new(big.Rat))
			}
		}
		alone, together := big.NewRat(1, 1), big.NewRat(1, 1)
		raise := func(to **big.Rat, before, after *big.Rat) {
			if v := new(big.Rat).Quo(after, before); v.Cmp(*to) > 0 {
				*to = v
			}
		}
		for w, p := range parts {
			joint[w] = make([][]*big.Rat, m.Inputs())
			of := make([]*big.Rat, m.Outputs())
			for y := range of {
				of[y] = new(big.Rat)
			}
			for x := range m.Inputs() {
				row := p.Mechanism.Row(x)
				for range m.Outputs() {
					joint[w][x] = append(joint[w][x], new(big.Rat))
				}
				for i, y := range row.Output {
					v := big.NewRat(p.Prior.Count(x), 1)
					v.Mul(v, big.NewRat(row.At(i), row.Total))
					joint[w][x][y].Set(v)
					of[y].Add(of[y], v)
					seen[x][y].Add(seen[x][y], v)
				}
			}
			for x, c := range p.Prior.Counts() {
				if c == 0 {
					continue
				}
				before := big.NewRat(all[x], n)
				raise(&alone, before, big.NewRat(c, p.Prior.Total()))
				for y, v := range joint[w][x] {
					if v.Sign() > 0 {
						raise(&together, before, new(big.Rat).Quo(v, of[y]))
					}
				}
			}
		}
		if got := Alone(parts); got.Cmp(alone) != 0 {
			t.Fatalf("table %d: the parts alone tell %v, want %v", trial, got, alone)
		}
		if got := Together(parts); got.Cmp(together) != 0 || got.Cmp(alone) < 0 {
			t.Fatalf("table %d: part and output tell %v, want %v, at least %v", trial, got, together, alone)
		}
		if n == 0 {
			continue
		}
		for y, got := range MixedLeakage(parts).Output { // max_x P(x|y) / P(x)
			mass, want := new(big.Rat), new(big.Rat)
			for x := range seen {
				if mass.Add(mass, seen[x][y]); all[x] > 0 {
					if v := new(big.Rat).Quo(seen[x][y], big.NewRat(all[x], n)); v.Cmp(want) > 0 {
						want = v
					}
				}
			}
			if (got == nil) != (mass.Sign() == 0) || got != nil && got.Cmp(want.Quo(want, mass)) != 0 {
				t.Fatalf("table %d, output %d: factor %v, want %v", trial, y, got, want)
			}
		}
	}
}

// TestMixedNearTie: of two chances that floats hardly tell apart the larger one counts.
func TestMixedNearTie(t *testing.T) {
	const total = 20_000_000_000
	var parts []Part
	for _, more := range []int64{1, 3} {
		row := func(w int64) Row { return WeightedRow([]uint16{0, 1}, []int64{w, total - w}) }
		m, err := New(2, []Row{row(total / 2), row(total/2 + more)})
		must(t, err)
		prior, err := NewPrior([]int64{1, 1})
		must(t, err)
		parts = append(parts, Part{m, prior, m.Leakage(prior)})
	}
	if got, want := MixedLeakage(parts).Output[0], big.NewRat(total+4, total+2); got.Cmp(want) != 0 {
		t.Errorf("%s, not %s", got, want)
	}
}
