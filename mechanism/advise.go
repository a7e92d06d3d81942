package mechanism

import (
	"cmp"
	"context"
	"math/big"
	"slices"
)

// Advice says why a floor costs what it costs, and what would help.
type Advice struct {
	Floor Floor

	// The least factor of any mechanism at Floor lies in Lower..Upper. At
	// factor 1 nothing binds, and Letter is -1.
	Lower, Upper *big.Rat

	// Letter carries the largest share of the weights that prove Lower;
	// Carriers letters have nine tenths of them together.
	Letter   int
	Share    float64
	Carriers int

	// Merge is the best of the mergers tried: of each of the three heaviest
	// carriers with its neighbour. It may be no better than Upper; nil where
	// there is nothing to merge.
	Merge *Merger
}

// A Merger counts the records of Letter as Into and gives them its row, with
// the outputs unchanged. Into is the letter whose ranks differ least from
// Letter's, in sum over the outputs. The least factor is then in Lower..Upper.
type Merger struct {
	Letter, Into int
	Lower, Upper *big.Rat
}

// mergersTried is how many carriers Advise merges, one at a time; one where
// the table has more than mergerCells, since each takes a search.
const (
	mergersTried = 3
	mergerCells  = 1 << 18
)

// A Bottleneck is the output that leaks most and those who may give it.
type Bottleneck struct {
	Output  int
	Factor  *big.Rat
	Letters int   // with records
	Records int64 // that hold one of them
	Rarest  int   // the rarest of these letters
}

// Advise looks for what binds the least factor at floor f: a search for
// the floor and up to three for merged letters, one in large tables. It takes its time from ctx, and fails
// with *NoOutputError.
func Advise(ctx context.Context, p Prior, o Order, f Floor, opt LeastOptions) (Advice, error) {
	s := SupportOf(o, f)
	_, c, err := Least(ctx, p, s, opt)
	if err != nil {
		return Advice{}, err
	}
	return adviseFrom(ctx, p, o, s, f, c, opt)
}

// Advise is the function of that name for point i, whose bracket is known: it
// saves the first search.
func (c *Curves) Advise(ctx context.Context, p Prior, o Order, i int, opt LeastOptions) (Advice, error) {
	q := &c.Points[i]
	return adviseFrom(ctx, p, o, SupportOf(o, q.Floor), q.Floor, Certificate{Weight: q.Weight, Lower: q.Lower, Upper: q.Upper}, opt)
}

func adviseFrom(ctx context.Context, p Prior, o Order, s *Support, f Floor, c Certificate, opt LeastOptions) (Advice, error) {
	a := Advice{Floor: f, Lower: c.Lower, Upper: c.Upper, Letter: -1}
	if c.Weight == nil || c.Lower.Cmp(one) == 0 {
		return a, nil
	}
	heaviest, share := carriers(c.Weight)
	a.Letter, a.Share, a.Carriers = heaviest[0], share, len(heaviest)
	opt.Near = nil
	tried := mergersTried
	if o.Inputs()*o.Outputs() > mergerCells {
		tried = 1
	}
	for _, x := range heaviest[:min(len(heaviest), tried)] {
		into := neighbour(p, o, x)
		if into < 0 {
			break
		}
		// A letter without records binds nothing, so that moving the records
		// is all that merging takes.
		merged := p.Counts()
		merged[into] += merged[x]
		merged[x] = 0
		opt.Weight = slices.Clone(c.Weight)
		opt.Weight[into] += opt.Weight[x]
		opt.Weight[x] = 0
		_, m, err := Least(ctx, Prior{merged, p.total}, s, opt)
		if err != nil {
			return a, err
		}
		if a.Merge == nil || m.Upper.Cmp(a.Merge.Upper) < 0 {
			a.Merge = &Merger{x, into, m.Lower, m.Upper}
		}
	}
	return a, nil
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
	open := .9 * sum
	for i, x := range letters {
		if open -= float64(weight[x]); open <= 0 {
			return letters[:i+1], float64(weight[letters[0]]) / sum
		}
	}
	return letters, float64(weight[letters[0]]) / sum
}

// neighbour is the other letter with records whose row of ranks is the
// nearest to that of x, the first on a tie; -1 where there is none.
func neighbour(p Prior, o Order, x int) int {
	own, row := make([]uint16, o.Outputs()), make([]uint16, o.Outputs())
	o.Row(x, own, nil)
	best, least := -1, 0
	for z := range o.Inputs() {
		if z == x || p.Count(z) == 0 {
			continue
		}
		o.Row(z, row, nil)
		sum := 0
		for y, r := range row {
			if r > own[y] {
				sum += int(r - own[y])
			} else {
				sum += int(own[y] - r)
			}
		}
		if best < 0 || sum < least {
			best, least = z, sum
		}
	}
	return best
}

// Bottleneck is what binds a mechanism itself: for the flat and utility-safe
// designs, whose factor is 1/P(S_y), the letters that give the output.
// Its Output is -1 where p has no records.
func (m *Mechanism) Bottleneck(p Prior) Bottleneck {
	b := Bottleneck{Rarest: -1}
	b.Output, b.Factor = m.Leakage(p).Max()
	for x, r := range m.row {
		for _, y := range r.Output {
			if c := p.Count(x); int(y) == b.Output && c > 0 {
				b.Letters++
				b.Records += c
				if b.Rarest < 0 || c < p.Count(b.Rarest) {
					b.Rarest = x
				}
			}
		}
	}
	return b
}
