package frontier

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Advice says why a floor costs what it costs.
type Advice struct {
	Floor mechanism.Floor

	// The least factor of any mechanism at Floor lies in Lower..Upper. At
	// factor 1 nothing binds, and Letter is -1.
	Lower, Upper *big.Rat

	// Letter carries the largest share of the weights that prove Lower;
	// Carriers letters have nine tenths of them together.
	Letter   int
	Share    float64
	Carriers int

	// Deciders are the letters of which each alone proves Lower: whatever
	// replaces one, no more records may become the same.
	Deciders []int
}

// Advise looks for what binds the least factor at floor f. It takes its time from ctx, and
// fails with *NoOutputError.
func Advise(ctx context.Context, p mechanism.Prior, o mechanism.Order, f mechanism.Floor,
	also ...mechanism.Prior) (Advice, error) {
	s := mechanism.SupportOf(o, f)
	_, c, err := optimum.Least(ctx, p, s, optimum.LeastOptions{}, also...)
	if err != nil {
		return Advice{}, err
	}
	return adviseFrom(p, also, s, f, c), nil
}

// Advise is the function of that name for point i, whose bracket is known.
func (c *Curves) Advise(p mechanism.Prior, o mechanism.Order, i int, also ...mechanism.Prior) Advice {
	q := &c.Points[i]
	return adviseFrom(p, also, mechanism.SupportOf(o, q.Floor), q.Floor, optimum.Certificate{Weight: q.Weight,
		Lower: q.Lower, Upper: q.Upper})
}

func adviseFrom(p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support, f mechanism.Floor,
	c optimum.Certificate) Advice {
	a := Advice{Floor: f, Lower: c.Lower, Upper: c.Upper, Letter: -1}
	if c.Weight == nil || c.Lower.Cmp(one) == 0 {
		return a
	}
	if len(also) > 0 && c.Verify(p, s) != nil {
		return a // no letters of one prior decide what several demand
	}
	heaviest, share := carriers(c.Weight)
	a.Letter, a.Share, a.Carriers = heaviest[0], share, len(heaviest)
	a.Deciders = deciders(p, s, c.Lower)
	return a
}

// carriers are the letters of largest weight that have nine tenths of all
// weight together, the heaviest first, and its share.
func carriers(weight []int64) (letters []int, share float64) {
	sum := 0.0
	for x, w := range weight {
		if sum += float64(w); w > 0 {
			letters = append(letters, x)
		}
	}
	slices.SortStableFunc(letters, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	n := 0
	for open := .9 * sum; open > 0; n++ {
		open -= float64(weight[letters[n]])
	}
	return letters[:n], float64(weight[letters[0]]) / sum
}

// ownBounds is by letter what every mechanism of a support leaks by that letter
// alone, as a factor: its row gives some output y, and through y any mechanism
// leaks at least 1/P(S_y). It is 1 for letters without records.
func ownBounds(count []int64, s *mechanism.Support) []float64 {
	if p := s.Parts(); p != nil {
		return partBounds(count, p)
	}
	mass, total := make([]int64, s.Outputs()), int64(0)
	var row []uint16
	for x, n := range count {
		row = s.AppendRow(row[:0], x)
		total += n
		for _, y := range row {
			mass[y] += n
		}
	}
	bound := make([]float64, len(count))
	for x, n := range count {
		if bound[x] = 1; n == 0 {
			continue
		}
		most := int64(0)
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			most = max(most, mass[y])
		}
		bound[x] = float64(total) / float64(most)
	}
	return bound
}

// partBounds are the own bounds where all outputs of a letter have the letters of its
// part.
func partBounds(count []int64, p *mechanism.Partition) []float64 {
	mass, total := make([]int64, len(p.Set)), int64(0)
	for x, c := range p.In {
		total += count[x]
		if c >= 0 {
			mass[c] += count[x]
		}
	}
	bound := make([]float64, len(count))
	for x, c := range p.In {
		if bound[x] = 1; count[x] > 0 && c >= 0 {
			bound[x] = float64(total) / float64(mass[c])
		}
	}
	return bound
}

// deciders are the letters whose own bound is lower itself.
func deciders(p mechanism.Prior, s *mechanism.Support, lower *big.Rat) (letters []int) {
	least, _ := lower.Float64()
	for x, bound := range ownBounds(p.Counts(), s) {
		if bound >= least*(1-1e-9) {
			letters = append(letters, x)
		}
	}
	return letters
}
