package frontier

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// mergerCells is the size of a table beyond which one merger is looked at: each takes a search. There
// is none where the optimum is not searched for.
const mergerCells = 1 << 18

// mergers are those of some carriers with some letters that are near, all of a letter into one
// that no fewer records hold.
func mergers(p mechanism.Prior, o mechanism.Order, heaviest []int) (pairs []Merger) {
	carriers, near := 3, 4
	switch cells := o.Inputs() * o.Outputs(); {
	case cells > optimum.FitCells:
		return nil
	case cells > mergerCells:
		carriers, near = 1, 1
	}
	for _, x := range heaviest[:min(len(heaviest), carriers)] {
		for _, z := range nearest(p, o, x, near) {
			m := Merger{Letter: x, Into: z}
			if p.Count(x) > p.Count(z) {
				m = Merger{Letter: z, Into: x}
			}
			if !slices.Contains(pairs, m) {
				pairs = append(pairs, m)
			}
		}
	}
	return pairs
}

// moved is the prior with the records of a letter counted as another.
func moved(p mechanism.Prior, m Merger) mechanism.Prior {
	count := p.Counts()
	count[m.Into] += count[m.Letter]
	count[m.Letter] = 0
	q, err := mechanism.NewPrior(count)
	if err != nil {
		panic(err) // as many records as before
	}
	return q
}

// deciders are the letters of which each alone proves lower: its row gives some output y, and
// through y any mechanism leaks at least 1/P(S_y).
func deciders(p mechanism.Prior, s *mechanism.Support, lower *big.Rat) (letters []int) {
	least, _ := lower.Float64()
	mass, row := s.Mass(p), []uint16(nil)
	for x := range p.Letters() {
		most := int64(0)
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			most = max(most, mass[y])
		}
		if p.Count(x) > 0 && float64(p.Total())/float64(most) >= least*(1-1e-9) {
			letters = append(letters, x)
		}
	}
	return letters
}

// nearest are the letters with records whose rows of ranks are the nearest to
// that of x, at most k.
func nearest(p mechanism.Prior, o mechanism.Order, x, k int) []int {
	own, row := make([]uint16, o.Outputs()), make([]uint16, o.Outputs())
	o.Row(x, own, nil)
	type candidate struct{ letter, apart int }
	var all []candidate
	for z := range o.Inputs() {
		if z == x || p.Count(z) == 0 {
			continue
		}
		o.Row(z, row, nil)
		apart := 0
		for y, r := range row {
			apart += max(int(r), int(own[y])) - min(int(r), int(own[y]))
		}
		all = append(all, candidate{z, apart})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.apart, b.apart) })
	var letters []int
	for _, c := range all[:min(len(all), k)] {
		letters = append(letters, c.letter)
	}
	return letters
}
