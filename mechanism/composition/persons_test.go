package composition

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// Against every assignment of letters to rows.
func TestPersonIsBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	none := 0
	for range 400 {
		n := 1 + rng.IntN(4)
		count := make([]int64, n)
		for x := range count {
			count[x] = rng.Int64N(6)
		}
		count[rng.IntN(n)]++
		p, m := prior(t, count...), randomLaw(t, rng, n, 3)
		shown, rows := make([]int, 1+rng.IntN(5)), map[int]int{}
		for i := range shown {
			shown[i] = rng.IntN(3)
			rows[shown[i]]++
		}
		most, sum := new(big.Rat), new(big.Rat)
		letter := make([]int, len(shown))
		for code := 0; ; code++ {
			rest := code
			for i := range letter {
				letter[i], rest = rest%n, rest/n
			}
			if rest > 0 {
				break
			}
			like, chance, of := big.NewRat(1, 1), big.NewRat(1, 1), map[int]int{}
			for i, x := range letter {
				chance.Mul(chance, p.Probability(x))
				if y, ok := of[x]; ok && y != shown[i] {
					like.SetInt64(0)
				} else if !ok {
					like.Mul(like, weightOf(m.Row(x).Output, m.Row(x).At, m.Row(x).Total, shown[i]))
				}
				of[x] = shown[i]
			}
			if chance.Sign() > 0 && like.Cmp(most) > 0 {
				most = like
			}
			sum.Add(sum, chance.Mul(chance, like))
		}
		steps := Steps
		got := Person(p, m, rows, &steps)
		if sum.Sign() == 0 {
			none++
			if got.Factor != nil {
				t.Fatalf("rows that cannot be have factor %v", got.Factor)
			}
			continue
		}
		if want := most.Quo(most, sum); got.Bound || got.Factor.Cmp(want) != 0 {
			t.Fatalf("rows %v of prior %v: %v, by brute force %v", shown, count, got, want)
		}
	}
	if none == 0 || none > 300 {
		t.Errorf("%d cases cannot be", none)
	}
}

func weightOf(output []uint16, at func(int) int64, total int64, y int) *big.Rat {
	for i, z := range output {
		if int(z) == y {
			return big.NewRat(at(i), total)
		}
	}
	return new(big.Rat)
}

// One row is one release, and a person of very many rows has a bound.
func TestPersonEnds(t *testing.T) {
	p, m := uniform(t, 3), cyclic(t, 3, 2)
	steps := Steps
	equal(t, "one row", Person(p, m, map[int]int{1: 1}, &steps).Factor, 3, 2)
	if steps != Steps-6 {
		t.Errorf("one row of three letters leaves %d steps", steps)
	}
	got := Person(uniform(t, 40), cyclic(t, 40, 20), map[int]int{0: 9, 1: 9, 2: 9, 3: 9, 4: 9}, &steps)
	if want := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(40), big.NewInt(45), nil)); !got.Bound ||
		got.Factor.Cmp(want) != 0 {
		t.Errorf("45 rows: %v", got)
	}
}
