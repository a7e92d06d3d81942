package estimate

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Population is what a sample says of the leakage under the law that its
// records were drawn from: it is at most Nats, save with probability Delta
// over the sample. The bounds hold over all letters of the mechanism, those
// without records included, and are rounded up.
type Population struct {
	Rule   string // "sets", "ball" or "split"; "" where nothing can be said
	Delta  float64
	Nats   float64 // +Inf where nothing can be said
	Output int     // that decides, -1 where there is none
}

// Sets bounds the leakage by a lower bound of Clopper and Pearson for the
// chance of every set S_y of letters that may give an output: where column y
// is constant on S_y, l(y) = -log P(S_y), and elsewhere it is at most that
// plus the log of the column's largest over its smallest probability.
//
// The records are independent, sets is the number of different sets among
// which the design chose (see DistinctSets), and these were fixed before the
// data: domain, order, labels and merges do not depend on it, and every column
// of m has the support that its floor gives it, or none.
func Sets(m *mechanism.Mechanism, p mechanism.Prior, sets int, delta float64) Population {
	out := Population{"sets", delta, 0, -1}
	for y, c := range columns(m) {
		if len(c.letter) == 0 {
			continue
		}
		chance := 1.0
		if len(c.letter) < m.Inputs() {
			hits := int64(0)
			for _, x := range c.letter {
				hits += p.Count(int(x))
			}
			chance = AtLeast(hits, p.Total(), delta/float64(sets))
		}
		least, most := slices.Min(c.chance), slices.Max(c.chance)
		out.raise(y, most/least/chance)
	}
	return out
}

// Ball bounds the leakage over all laws within l1 distance radius of the
// prior (see Radius): the worst of them for an output takes radius/2 from the
// letters that give it most often and adds that to the letter that gives it
// least often. It holds for every mechanism, also one designed from the data;
// its letters are the declared domain.
func Ball(m *mechanism.Mechanism, p mechanism.Prior, radius, delta float64) Population {
	out := Population{"ball", delta, 0, -1}
	n := float64(p.Total())
	for y, c := range columns(m) {
		if len(c.letter) == 0 {
			continue
		}
		least := slices.Min(c.chance)
		if len(c.letter) < m.Inputs() {
			least = 0
		}
		order := make([]int, len(c.letter))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int {
			switch {
			case c.chance[i] > c.chance[j]:
				return -1
			case c.chance[i] < c.chance[j]:
				return 1
			}
			return i - j
		})
		law, left := 0.0, radius/2
		for _, i := range order {
			mass := float64(p.Count(int(c.letter[i]))) / n
			moved := min(left, mass)
			left -= moved
			law += (mass - moved) * c.chance[i]
		}
		law += (radius/2 - left) * least
		out.raise(y, c.chance[order[0]]/law)
	}
	return out
}

// Split bounds the leakage from a sample of which the mechanism knows nothing,
// the counts of another file or of the half that it was not designed on: the
// mean of p_xy over it, in shares of max_x p_xy, is at least the L with
// n kl(mean, L) = log(outputs/delta) [Hoeffding 1963, Theorem 1].
func Split(m *mechanism.Mechanism, sample mechanism.Prior, delta float64) Population {
	out := Population{"split", delta, 0, -1}
	column := columns(m)
	used := 0
	for _, c := range column {
		if len(c.letter) > 0 {
			used++
		}
	}
	n := float64(sample.Total())
	for y, c := range column {
		if len(c.letter) == 0 {
			continue
		}
		most, sum := slices.Max(c.chance), 0.0
		for i, x := range c.letter {
			sum += float64(sample.Count(int(x))) * (c.chance[i] / most)
		}
		if len(c.letter) == m.Inputs() && slices.Min(c.chance) == most {
			out.raise(y, 1)
			continue
		}
		out.raise(y, 1/klBelow(min(1, sum/n), math.Log(float64(used)/delta)/n))
	}
	return out
}

// raise takes over the factor of output y where it is the largest so far.
func (b *Population) raise(y int, factor float64) {
	nats := math.Inf(1)
	if factor < math.Inf(1) && !math.IsNaN(factor) {
		nats = math.Log(max(1, factor))*(1+1e-12) + 1e-12
	}
	if b.Output < 0 || nats > b.Nats {
		b.Output, b.Nats = y, nats
	}
	if math.IsInf(b.Nats, 1) {
		b.Rule = ""
	}
}

// SetTarget is the factor to design a flat mechanism for, so that Sets then
// bounds the factor by target: of n records, a set needs n/SetTarget for a
// lower bound of 1/target. ok is false where no set of fewer than all records
// has that.
func SetTarget(target *big.Rat, n int64, sets int, delta float64) (factor *big.Rat, ok bool) {
	t, _ := target.Float64()
	need := 1 / t * (1 + 1e-11)
	if n == 0 || !(AtLeast(n, n, delta/float64(sets)) >= need) {
		return nil, false
	}
	low, high := int64(0), n // AtLeast is below need at low, not at high
	for high-low > 1 {
		if mid := low + (high-low)/2; AtLeast(mid, n, delta/float64(sets)) >= need {
			high = mid
		} else {
			low = mid
		}
	}
	return big.NewRat(n, high), true
}

// BallTarget is the factor to design any mechanism for, so that Ball then
// bounds the factor by target: 1/target + radius/2 of its inverse. It is
// rounded down to 2^-40; ok is false where it would not be above 1.
func BallTarget(target *big.Rat, radius float64) (factor *big.Rat, ok bool) {
	t, _ := target.Float64()
	f := 1 / (1/t + radius/2) * (1 - 1e-11)
	if !(f >= 1) {
		return nil, false
	}
	return big.NewRat(int64(f*(1<<40)), 1<<40), true
}

// A column holds the letters that may give an output, and how often each does.
type column struct {
	letter []int32
	chance []float64 // p_xy > 0
}

func columns(m *mechanism.Mechanism) []column {
	all := make([]column, m.Outputs())
	for x := range m.Inputs() {
		r := m.Row(x)
		for i, y := range r.Output {
			c := &all[y]
			c.letter = append(c.letter, int32(x))
			c.chance = append(c.chance, float64(r.At(i))/float64(r.Total))
		}
	}
	return all
}

// klBelow is the least L with kl(mean, L) <= bound, rounded down:
// kl(a, b) = a log(a/b) + (1-a) log((1-a)/(1-b)).
func klBelow(mean, bound float64) float64 {
	if !(mean > 0) {
		return 0
	}
	kl := func(b float64) float64 {
		v := mean * math.Log(mean/b)
		if mean < 1 {
			v += (1 - mean) * (math.Log1p(-mean) - math.Log1p(-b))
		}
		return v
	}
	low, high := 0.0, mean
	for range 200 {
		mid := (low + high) / 2
		if kl(mid) > bound {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
