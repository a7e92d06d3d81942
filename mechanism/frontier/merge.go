package frontier

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Where few letters have records, all mergers of two are looked at: those that
// a single letter proves to be of no help need no search, and the others get
// one each while there are at most mostMergers. Elsewhere each of some carriers
// is merged with some letters that are near; in tables of more than mergerCells
// one with one, since each takes a search.
const (
	fewLetters  = 40
	mostMergers = 64
	mergerCells = 1 << 18
)

// mergers are those to search, the most promising first, all of a letter into one that no
// fewer records hold. whole tells that no other can bring the factor below lower.
func mergers(p mechanism.Prior, o mechanism.Order, s *mechanism.Support, lower *big.Rat,
	heaviest []int) (pairs []Merger, whole bool) {
	var held []int
	for x := range s.Inputs() {
		if p.Count(x) > 0 {
			held = append(held, x)
		}
	}
	if len(held) > fewLetters {
		carriers, near := 3, 4
		if o.Inputs()*o.Outputs() > mergerCells {
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
		return pairs, false
	}
	type candidate struct {
		Merger
		bound float64
	}
	var open, shut []candidate
	least, _ := lower.Float64()
	for _, x := range held {
		for _, z := range held {
			if x == z || p.Count(x) > p.Count(z) {
				continue
			}
			c := candidate{Merger: Merger{Letter: x, Into: z}}
			if c.bound = slices.Max(ownBounds(moved(p, c.Merger), s)); c.bound < least*(1-1e-6) {
				open = append(open, c)
			} else {
				shut = append(shut, c)
			}
		}
	}
	// Of mergers that promise the same, the rarer letter is counted as the
	// other.
	byBound := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(p.Count(a.Letter), p.Count(b.Letter)))
	}
	slices.SortStableFunc(open, byBound)
	slices.SortStableFunc(shut, byBound)
	whole = len(open) <= mostMergers
	if len(open) == 0 {
		open = shut[:min(len(shut), 1)] // to say what one of them comes to
	}
	for _, c := range open[:min(len(open), mostMergers)] {
		pairs = append(pairs, c.Merger)
	}
	return pairs, whole
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

// ownBounds is by letter what every mechanism of a support leaks by that letter
// alone, as a factor: its row gives some output y, and through y any mechanism
// leaks at least 1/P(S_y). It is 1 for letters without records.
func ownBounds(p mechanism.Prior, s *mechanism.Support) []float64 {
	mass, bound := s.Mass(p), make([]float64, p.Letters())
	var row []uint16
	for x := range bound {
		if bound[x] = 1; p.Count(x) == 0 {
			continue
		}
		most := int64(0)
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			most = max(most, mass[y])
		}
		bound[x] = float64(p.Total()) / float64(most)
	}
	return bound
}

// deciders are the letters whose own bound is lower itself.
func deciders(p mechanism.Prior, s *mechanism.Support, lower *big.Rat) (letters []int) {
	least, _ := lower.Float64()
	for x, bound := range ownBounds(p, s) {
		if bound >= least*(1-1e-9) {
			letters = append(letters, x)
		}
	}
	return letters
}

// nearest are the letters with records whose rows of ranks are the nearest to
// that of x, at most k.
func nearest(p mechanism.Prior, o mechanism.Order, x, k int) []int {
	if t := treeOf(o, true); t != nil {
		return t.Nearest(x, k, func(z int) bool { return p.Count(z) > 0 })
	}
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
