package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// slowShift is the most that a set of letters gains or loses, over all sets of
// outputs and of letters that no output stands for: the definition.
func slowShift(part []Part, stands []int) *big.Rat {
	var gain []*big.Rat // n times what an output, or a letter without one, gains
	total := new(big.Rat)
	served := make(map[int]bool)
	m := part[0].Mechanism.Outputs()
	for range m {
		gain = append(gain, new(big.Rat))
	}
	for x := range part[0].Prior.Letters() {
		for _, p := range part {
			c := new(big.Rat).SetInt64(p.Prior.Count(x))
			total.Add(total, c)
			r := p.Mechanism.Row(x)
			for i, y := range r.Output {
				gain[y].Add(gain[y], new(big.Rat).Mul(c, big.NewRat(r.At(i), r.Total)))
			}
			for y, k := range stands {
				if k == x {
					served[x] = true
					gain[y].Sub(gain[y], c)
				}
			}
		}
		if !served[x] {
			lost := new(big.Rat)
			for _, p := range part {
				lost.Sub(lost, new(big.Rat).SetInt64(p.Prior.Count(x)))
			}
			gain = append(gain, lost)
		}
	}
	most := new(big.Rat)
	for set := range 1 << len(gain) {
		sum := new(big.Rat)
		for i, v := range gain {
			if set>>i&1 == 1 {
				sum.Add(sum, v)
			}
		}
		if sum.Abs(sum).Cmp(most) > 0 {
			most = sum
		}
	}
	if total.Sign() == 0 {
		return most
	}
	return most.Quo(most, total)
}

func TestSharesAreThoseOfTheDefinition(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(5, seed))
		n, m := 1+r.IntN(4), 1+r.IntN(4)
		var part []Part
		for range 1 + r.IntN(3) {
			part = append(part, Part{Mechanism: randomMechanism(t, r, n, m, 9), Prior: randomPrior(t, r, n, 500)})
		}
		stands := make([]int, m)
		letter := r.Perm(n)
		for y := range stands {
			if stands[y] = -1; y < n && r.IntN(4) > 0 {
				stands[y] = letter[y]
			}
		}
		got := SharesOf(part, stands)
		if want := slowShift(part, stands); got.Shift.Cmp(want) != 0 {
			t.Fatalf("seed %d: shift %v, want %v", seed, got.Shift, want)
		}
		used := 0
		law := make([]*big.Rat, m)
		for y := range law {
			law[y] = new(big.Rat)
		}
		for _, p := range part {
			for x := range n {
				row := p.Mechanism.Row(x)
				for i, y := range row.Output {
					v := big.NewRat(row.At(i)*p.Prior.Count(x), row.Total)
					law[y].Add(law[y], v)
				}
			}
		}
		for _, v := range law {
			if v.Sign() > 0 {
				used++
			}
		}
		if got.Used != used {
			t.Fatalf("seed %d: %d used, want %d", seed, got.Used, used)
		}
	}
}

func TestStandsFor(t *testing.T) {
	for _, stands := range [][]int{{0, 0}, {0, 2}, {-2, 0}, {0}} {
		if _, err := StandsFor(2, 2, stands); err == nil {
			t.Errorf("%v is taken", stands)
		}
	}
	if output, err := StandsFor(3, 2, []int{2, -1}); err != nil || output[0] != -1 || output[2] != 0 {
		t.Errorf("%v, %v", output, err)
	}
}

// TestSharesOfNearTies: what an output gains may be less than floats tell, of
// letters rare and common.
func TestSharesOfNearTies(t *testing.T) {
	const weight, count = int64(1) << 60, int64(1) << 50
	law, err := New(3, []Row{WeightedRow([]uint16{0, 1}, []int64{weight - 1, 1}), UniformRow([]uint16{1}),
		UniformRow([]uint16{2})})
	must(t, err)
	for _, rest := range []int64{0, 1 << 60} {
		p, err := NewPrior([]int64{count, count, rest})
		must(t, err)
		s := law.Shares(p, []int{0, 1, 2})
		want := new(big.Rat).Quo(big.NewRat(count, weight), big.NewRat(2*count+rest, 1))
		if s.Shift.Cmp(want) != 0 {
			t.Errorf("shift %v, want %v", s.Shift, want)
		}
	}
}

// TestRoomIsKept: under other counts the shift is above that under the first by twice the
// largest difference of any set of shares at the most, whatever the mechanism; that difference
// is what sets say one by one.
func TestRoomIsKept(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	closest := math.Inf(1)
	for range 300 {
		n := 2 + r.IntN(4)
		m := randomMechanism(t, r, n, n, 4)
		stands, counts := make([]int, n), [2][]int64{}
		for x := range n {
			stands[x] = x
			for i := range counts {
				counts[i] = append(counts[i], int64(r.IntN(9)))
			}
		}
		counts[0][0]++
		counts[1][0]++
		a, b := newPrior(t, counts[0]...), newPrior(t, counts[1]...)
		apart, most := Apart(a, b), new(big.Rat)
		for set := range 1 << n {
			d := new(big.Rat)
			for x := range n {
				if set>>x&1 == 1 {
					d.Add(d, big.NewRat(a.Count(x), a.Total())).Sub(d, big.NewRat(b.Count(x), b.Total()))
				}
			}
			if d.Cmp(most) > 0 {
				most = d
			}
		}
		if most.Cmp(apart) != 0 {
			t.Fatalf("%v and %v: apart by %v, not %v", counts[0], counts[1], apart, most)
		}
		bound := new(big.Rat).Add(m.Shares(a, stands).Shift, new(big.Rat).Mul(apart, big.NewRat(2, 1)))
		left, _ := bound.Sub(bound, m.Shares(b, stands).Shift).Float64()
		if closest = min(closest, left); left < 0 {
			t.Errorf("%v under %v is off by %v more than the bound", counts[0], counts[1], -left)
		}
	}
	if closest > .05 {
		t.Errorf("the bound is missed by %v at least", closest)
	}
}

// TestKeepsHalf: half of a share is enough, and any less is not.
func TestKeepsHalf(t *testing.T) {
	for _, c := range []struct {
		one, other int64
		keeps      bool
	}{{1, 3, true}, {1<<40 - 1, 3<<40 + 1, false}} {
		law, err := New(2, []Row{WeightedRow([]uint16{0, 1}, []int64{c.one, c.other}),
			WeightedRow([]uint16{0, 1}, []int64{c.one, c.other})})
		must(t, err)
		p, err := NewPrior([]int64{2, 2})
		must(t, err)
		if law.KeepsHalf(p, []int{0, 1}) != c.keeps {
			t.Errorf("%d beside %d: want %v", c.one, c.other, c.keeps)
		}
	}
}
