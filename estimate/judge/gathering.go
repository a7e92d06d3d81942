package judge

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A gathering holds sums over strata, and by output for the stratum at hand.
type gathering struct {
	law   *laws
	n     int64
	count []int64   // by letter
	part  []int64   // by letter and mechanism
	seen  []atLeast // by output
	used  []uint16  // where seen is not zero
}

// shown is what letters show in an output of the stratum at hand.
type atLeast struct {
	mass float64
	most float64 // largest n_wx p_xy
	high float64 // largest p_xy
	lift float64 // largest p_xy n_wx/n_x
	by   int32   // letter of high
	by2  int32   // letter of lift
	ways int32   // letters that may give it
}

func newGathering(m []*mechanism.Mechanism, all []stratum) *gathering {
	g := &gathering{law: newLaws(m), count: make([]int64, m[0].Inputs()), part: make([]int64, m[0].Inputs()*len(m)),
		seen: make([]atLeast, m[0].Outputs())}
	for _, s := range all {
		g.n += s.total
		for i, x := range s.letter {
			g.count[x] += s.count[i]
			if s.from == nil {
				g.part[x] += s.count[i]
				continue
			}
			law, part := s.laws(i)
			for k, l := range law {
				g.part[int(x)*len(m)+int(l)] += part[k]
			}
		}
	}
	return g
}

// stratum adds what stratum s shows.
func (g *gathering) stratum(f *Figures, s *stratum) {
	n, total := float64(g.n), float64(s.total)
	best := int64(0)
	for i, x := range s.letter {
		c := s.count[i]
		best = max(best, c)
		share := float64(c) / float64(g.count[x])
		upward(&f.Alone, share*n/total)
		output, chance, p := g.law.of(int(x), s, i)
		if chance == nil {
			g.flat(output, p, float64(c), share, x)
		} else {
			g.uneven(output, chance, float64(c), share, x)
		}
	}
	f.GuessAlone += float64(best) / n
	if len(s.letter) == 1 {
		f.CertainAlone += total / n
	}
	for _, y := range g.used {
		at := &g.seen[y]
		f.GuessBoth += at.most / n
		if at.ways == 1 {
			f.CertainBoth += at.mass / n
		}
		if v := at.high * total / at.mass; upward(&f.Given, v) {
			i, _ := slices.BinarySearch(s.letter, at.by)
			f.Worst = Worst{s.code, int32(y), at.by, float64(s.count[i]) / total, float64(s.count[i]) / total * v, v}
		}
		if v := at.lift * n / at.mass; upward(&f.Total, v) {
			prior := float64(g.count[at.by2]) / n
			f.Joint = Worst{s.code, int32(y), at.by2, prior, prior * v, v}
		}
		*at = atLeast{}
	}
	g.used = g.used[:0]
}

// flat adds a letter that comes up c times in the stratum, share of all its
// records, and may become any output with chance p.
func (g *gathering) flat(output []uint16, p, c, share float64, x int32) {
	seen := g.seen
	mass, lift := p*c, p*share
	for _, y := range output {
		at := &seen[y]
		if at.ways++; at.ways == 1 {
			g.used = append(g.used, y)
		}
		at.mass += mass
		if mass > at.most {
			at.most = mass
		}
		if p > at.high {
			at.high, at.by = p, x
		}
		if lift > at.lift {
			at.lift, at.by2 = lift, x
		}
	}
}

// uneven does so where the outputs have chances of their own.
func (g *gathering) uneven(output []uint16, chance []float64, c, share float64, x int32) {
	for j, y := range output {
		p, at := chance[j], &g.seen[y]
		if at.ways++; at.ways == 1 {
			g.used = append(g.used, y)
		}
		at.mass += p * c
		at.most = max(at.most, p*c)
		if p > at.high {
			at.high, at.by = p, x
		}
		if v := p * share; v > at.lift {
			at.lift, at.by2 = v, x
		}
	}
}

// finish computes what needs no stratum, and turns factors into nats.
func (g *gathering) finish(f *Figures, all []stratum) {
	n := float64(g.n)
	k := len(g.seen)
	drawn, mass, ways := make([]float64, k), make([]float64, k), make([]int, k)
	letters, cells := 0, 0
	for x, c := range g.count {
		if c == 0 {
			continue
		}
		letters++
		p := float64(c) / n
		f.GuessNone = max(f.GuessNone, p)
		f.Entropy -= p * math.Log(p)
		output, chance, one := g.law.mean(x, g.part[x*len(g.law.m):(x+1)*len(g.law.m)])
		for j, y := range output {
			if chance != nil {
				one = chance[j]
			}
			v := p * one
			drawn[y] = max(drawn[y], v)
			mass[y] += v
			ways[y]++
		}
	}
	for y, v := range drawn {
		f.GuessDrawn += v
		if ways[y] == 1 {
			f.CertainDrawn += mass[y]
		}
	}
	shared := f.Entropy
	for _, s := range all {
		cells += len(s.letter)
		for _, c := range s.count {
			shared += float64(c) / n * math.Log(float64(c)/float64(s.total))
		}
	}
	// The plug-in estimate of I(X;W) is too large by about this much
	// [Miller 1955].
	shared -= float64(cells-letters-len(all)+1) / (2 * n)
	if f.Entropy > 0 {
		f.Removed = min(1, max(0, shared/f.Entropy))
	}
	for _, v := range []*float64{&f.Alone, &f.Given, &f.Total} {
		if *v = math.Log(max(1, *v)); *v > 0 {
			*v = *v*(1+1e-12) + 1e-12
		}
	}
}

// up raises a maximum and reports whether it did, by more than rounding.
func upward(to *float64, v float64) bool {
	if v > *to*(1+1e-12) {
		*to = v
		return true
	}
	*to = max(*to, v)
	return false
}
