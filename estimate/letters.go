package estimate

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Letters bounds the leakage by a lower bound of Clopper and Pearson for the
// chance of each of letters letters: what is left of the law goes to the
// letter that gives an output least often. It holds for every mechanism, also
// one designed from the data, and is far closer than Ball where a column has
// few letters.
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
