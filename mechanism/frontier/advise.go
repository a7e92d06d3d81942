package frontier

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Advice says why a floor costs what it costs, and what would help.
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

// Advise looks for what binds the least factor at floor f: a search for
// the floor and up to three for merged letters, one in large tables. It takes its time from ctx, and fails
// with *NoOutputError.
func Advise(ctx context.Context, p mechanism.Prior, o mechanism.Order, f mechanism.Floor, opt optimum.LeastOptions) (Advice, error) {
	s := mechanism.SupportOf(o, f)
	_, c, err := optimum.Least(ctx, p, s, opt)
	if err != nil {
		return Advice{}, err
	}
	return adviseFrom(ctx, p, o, s, f, c, opt)
}

// Advise is the function of that name for point i, whose bracket is known: it
// saves the first search.
func (c *Curves) Advise(ctx context.Context, p mechanism.Prior, o mechanism.Order, i int, opt optimum.LeastOptions) (Advice, error) {
	q := &c.Points[i]
	return adviseFrom(ctx, p, o, mechanism.SupportOf(o, q.Floor), q.Floor, optimum.Certificate{Weight: q.Weight, Lower: q.Lower, Upper: q.Upper}, opt)
}

func adviseFrom(ctx context.Context, p mechanism.Prior, o mechanism.Order, s *mechanism.Support, f mechanism.Floor, c optimum.Certificate, opt optimum.LeastOptions) (Advice, error) {
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
		q, err := mechanism.NewPrior(merged)
		if err != nil {
			return a, err
		}
		_, m, err := optimum.Least(ctx, q, s, opt)
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
func neighbour(p mechanism.Prior, o mechanism.Order, x int) int {
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
