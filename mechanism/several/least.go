package several

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A Bracket says where the least factor of a support under all priors lies.
type Bracket struct {
	Lower, Upper *big.Rat // Upper is the factor of the mechanism that came with it
	// First is what is proven under the first prior alone: its Lower is at
	// most that of the bracket, its Upper the same.
	First optimum.Certificate
	// Dual proves more than First and any one letter do, about as much as Lower;
	// nil where they prove as much, or nothing else is known.
	Dual *Dual
}

// gap is the relative width of a bracket that a search of its own ends at: it
// cannot name the edge itself, as that under one prior can.
const gap = 9e-10

// Least is optimum.Least under p and further priors at once. The bracket is
// proven in integers on both sides, however wide it is.
func Least(ctx context.Context, p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support,
	opt optimum.LeastOptions) (*mechanism.Mechanism, Bracket, error) {
	if s.Parts() != nil && s.Inputs()*s.Outputs() > optimum.FitCells {
		return leastOfParts(p, also, s)
	}
	m, c, err := optimum.Least(ctx, p, s, opt)
	if err != nil || len(also) == 0 {
		return m, Bracket{c.Lower, c.Upper, c, nil}, err
	}
	l := &leastSearch{search: newSearch(p, also, s), opt: opt, lower: c.Lower}
	l.offer(m)
	l.offer(opt.Near)
	bound, err := optimum.LowerBound(p, s, also...)
	if err != nil {
		return nil, Bracket{}, err
	}
	l.raise(bound)
	plain := l.lower
	one := opt
	one.Weight = nil
	for k, q := range also {
		if l.closed() || q.Total() == 0 {
			break
		}
		m, c, err := optimum.Least(ctx, q, s, one)
		if err != nil {
			return nil, Bracket{}, err
		}
		l.offer(m)
		if c.Lower.Cmp(l.lower) > 0 {
			l.proven = l.under(k+1, c)
			l.raise(c.Lower)
		}
	}
	if !l.closed() && affords(l.task, opt.Bytes) {
		l.run(ctx)
	}
	c.Upper = l.upper
	if l.proven != nil && l.proven.Lower.Cmp(plain) <= 0 {
		l.proven = nil
	}
	return l.best, Bracket{l.lower, l.upper, c, l.proven}, nil
}

type leastSearch struct {
	*search
	opt          optimum.LeastOptions
	best         *mechanism.Mechanism
	lower, upper *big.Rat
	proven       *Dual // of what lower was raised to, where no one letter or first prior did
}

func (l *leastSearch) offer(m *mechanism.Mechanism) {
	if !l.fits(m) {
		return
	}
	if f := m.Factor(l.all...); l.upper == nil || f.Cmp(l.upper) < 0 {
		l.best, l.upper = m, f
	}
}

func (l *leastSearch) raise(f *big.Rat) {
	if f.Cmp(l.lower) > 0 {
		l.lower = f
	}
}

// prove raises the lower bound to what is proven.
func (l *leastSearch) prove(d *Dual) {
	if l.proven == nil || d.Lower.Cmp(l.proven.Lower) > 0 {
		l.proven = d
	}
	l.raise(d.Lower)
}

// closed reports that nothing is left to search.
func (l *leastSearch) closed() bool {
	if d := l.opt.Decide; d != nil && (l.upper.Cmp(d) <= 0 || l.lower.Cmp(d) > 0) {
		return true
	}
	return rounded(l.upper) <= rounded(l.lower)*(1+gap)
}

func rounded(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

// run moves t: to where it is to be decided, just above the lower bound, to
// where the tangent of the value reaches 1, and to the middle in turn.
func (l *leastSearch) run(ctx context.Context) {
	if d := l.opt.Decide; d != nil {
		if at := new(big.Rat).SetFloat64(rounded(d) * (1 - 1e-12)); at != nil {
			l.try(ctx, at)
		}
		return
	}
	l.try(ctx, l.lower) // one letter, or one prior, often decides it
	next := rounded(l.lower) * (1 + gap/2)
	width, idle := math.Inf(1), 0
	for turn := range 40 {
		if l.closed() || ctx.Err() != nil {
			break
		}
		low, high := rounded(l.lower), rounded(l.upper)
		if idle++; math.Log(high/low) < .7*width {
			width, idle = math.Log(high/low), 0
		}
		if idle > 4 || idle > 1 && width < 1e-7 {
			break // floats tell no more
		}
		if !(next > low && next < high) || turn%4 == 3 {
			next = math.Sqrt(low * high)
		}
		at := new(big.Rat).SetFloat64(next)
		if at == nil {
			break
		}
		tangent := l.try(ctx, at)
		if next = 0; tangent > 0 {
			next = tangent * (1 + gap/4)
		}
	}
	l.simplify()
}

// try solves the program at f: a mechanism of about f, or a proof that there
// is none, and then where the tangent of the value reaches 1.
func (l *leastSearch) try(ctx context.Context, f *big.Rat) (tangent float64) {
	if f.Cmp(one) < 0 {
		return 0
	}
	t := rounded(f)
	even := 1 / float64(len(l.letter))
	b := l.newProgram(t, f, true, func(int32, int) float64 { return even })
	if b == nil {
		l.stranded(f)
		return 0
	}
	at := b.solve(ctx)
	if at == nil {
		return 0
	}
	if over := at.cost - 1; over > 1e-11 {
		if d := l.refuses(b, at, f, even, over); d != nil {
			l.prove(d)
		}
		slope := 0.0
		for j, c := range b.col {
			for m, v := range at.price[j] {
				for k, i := range l.column[c.output] {
					slope += v * l.chance[c.pair[m].prior][i] * at.cell[c.output][k]
				}
			}
		}
		if slope > 0 {
			tangent = t + over/slope
		}
	}
	if d := l.draft(at.cell); d != nil {
		l.round(*d, rounded(l.lower))
	}
	return tangent
}

// stranded refuses f, at which some letter has no output left: all weight on it
// proves that.
func (l *leastSearch) stranded(f *big.Rat) {
	served := make([]bool, len(l.letter))
	for y := range l.column {
		rows, _, _ := l.live(y, f)
		for _, i := range rows {
			served[i] = true
		}
	}
	weight := make([]int64, len(l.letter))
	weight[slices.Index(served, false)] = 1 << 58
	if price := l.prices(f, weight); price != nil {
		if d := l.dual(f, weight, price); d != nil {
			l.prove(d)
			return
		}
	}
	l.raise(f)
}

// refuses is a proof from the prices that no mechanism has factor f, nil where
// they prove none: the weights add up to more than 0, while none of the columns
// has more than 0.
func (l *leastSearch) refuses(b *program, at *point, f *big.Rat, even, over float64) *Dual {
	proof := l.newProof(f)
	unit := math.Ldexp(1, 58-exponent(at.most(0)))
	for _, kept := range []float64{.5, .05, .005} { // of what the weights are above 0
		weight, sum := make([]int64, len(l.letter)), new(big.Int)
		for i, y := range at.y {
			weight[i] = int64(math.Floor((y - even*(1+over*(1-kept))) * unit))
			sum.Add(sum, big.NewInt(weight[i]))
		}
		if sum.Sign() <= 0 {
			continue
		}
		if price := l.all0(proof, b, at, unit, func(y int) []int64 { return weighed(l.column[y], weight) }); price != nil {
			return l.dual(f, weight, price)
		}
	}
	return nil
}

// most is the largest of size and the duals of a point.
func (at *point) most(size float64) float64 {
	for _, v := range at.y {
		size = math.Max(size, math.Abs(v))
	}
	for _, v := range at.price {
		for _, z := range v {
			size = math.Max(size, z)
		}
	}
	return size
}

// weighed are the weights of the rows of a column.
func weighed(column []int32, weight []int64) []int64 {
	out := make([]int64, len(column))
	for f, i := range column {
		out[f] = weight[i]
	}
	return out
}

// all0 are the prices of every output for which the proof holds, nil where it
// fails for one.
func (s *search) all0(proof *proof, b *program, at *point, unit float64, weight func(y int) []int64) [][]*big.Int {
	in := make(map[int]int, len(b.col))
	for j, c := range b.col {
		in[c.output] = j
	}
	out := make([][]*big.Int, len(s.column))
	for y := range s.column {
		if len(s.column[y]) == 0 {
			continue
		}
		w := weight(y)
		if j, ok := in[y]; ok && !b.col[j].level {
			c := b.col[j]
			price := make([]int64, len(c.pair))
			for m, v := range at.price[j] {
				price[m] = int64(math.Ceil(math.Max(0, v) * unit))
			}
			out[y] = proof.holds(y, w, c.pair, c.class, price)
		}
		if out[y] == nil {
			out[y] = proof.holds(y, w, nil, nil, nil)
		}
		if out[y] == nil {
			return nil
		}
	}
	return out
}

// exponent is that of v, with v < 2^exponent.
func exponent(v float64) int {
	_, e := math.Frexp(v)
	return e
}

// round offers integer tables of the draft until one is near the goal.
func (l *leastSearch) round(d optimum.Draft, goal float64) {
	q := d.Law()
	none := make([]bool, len(q))
	for _, least := range append([]float64{-1}, optimum.Faint...) {
		e := d.Without(q, least, none)
		for _, total := range []int64{1 << 48, 1 << 62} {
			l.offer(e.Table(total, nil, nil))
			if rounded(l.upper) <= goal*(1+gap/2) {
				return
			}
		}
	}
}

// simplify tries tables of small denominators, and level columns: the least
// factors of small problems are simple fractions, which floats only approach.
func (l *leastSearch) simplify() {
	if l.best == nil || len(l.pattern.Letter) != len(l.letter) || rounded(l.upper) > rounded(l.lower)*(1+1e-5) {
		return
	}
	goal := optimum.Simplest(l.lower, l.upper)
	d := optimum.DraftOf(l.pattern, l.best)
	if level := l.levelAt(goal); slices.Contains(level, true) {
		for _, total := range optimum.Totals {
			if l.offer(d.Table(total, level, nil)); l.upper.Cmp(goal) <= 0 {
				return
			}
		}
	}
	for _, total := range optimum.Denominators(l.pattern) {
		if l.offer(d.Snapped(total, nil)); l.upper.Cmp(goal) <= 0 {
			return
		}
	}
}

var one = big.NewRat(1, 1)

// leastOfParts needs no search: what is constant on the parts of a value floor reaches
// the bound of each part by itself. First is proven by a letter of the rarest part.
func leastOfParts(p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support) (*mechanism.Mechanism, Bracket,
	error) {
	m, err := mechanism.Uniform(s, mechanism.Floor{})
	if err != nil {
		return nil, Bracket{}, err
	}
	lower, err := optimum.LowerBound(p, s, also...)
	if err != nil {
		return nil, Bracket{}, err
	}
	own := m.Factor(p)
	return m, Bracket{Lower: lower, Upper: m.Factor(append([]mechanism.Prior{p}, also...)...),
		First: optimum.Certificate{Weight: s.Parts().Rarest(p), Lower: own, Upper: own}}, nil
}
