package estimate

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Population is what a sample says of the leakage under the law that its
// records were drawn from: it is at most Nats, save with probability Delta
// over the sample. The bounds hold over all letters of the mechanism, those
// without records included, and are rounded up.
type Population struct {
	Rule   string // "letters" or "split"; "" where nothing can be said
	Delta  float64
	Nats   float64 // +Inf where nothing can be said
	Output int     // that decides, -1 where there is none
}

// Letters bounds the leakage by a lower bound of Clopper and Pearson for the
// chance of each of letters letters: what is left of the law goes to the
// letter that gives an output least often. It holds for every mechanism, also
// one designed from the data; its letters are the declared domain.
func Letters(m *mechanism.Mechanism, p mechanism.Prior, letters int, delta float64) Population {
	out := Population{"letters", delta, 0, -1}
	low := make([]float64, m.Inputs())
	for x := range low {
		if p.Count(x) > 0 {
			low[x] = AtLeast(p.Count(x), p.Total(), delta/float64(letters))
		}
	}
	rest := 1.0
	for _, l := range low {
		rest -= l
	}
	for y, c := range columns(m) {
		if len(c.letter) == 0 {
			continue
		}
		law := 0.0
		for i, x := range c.letter {
			law += low[x] * c.chance[i]
		}
		if len(c.letter) == m.Inputs() {
			law += max(0, rest) * slices.Min(c.chance) * (1 - 1e-12)
		}
		out.raise(y, slices.Max(c.chance)/law)
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
