package optimum

import (
	"cmp"
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// LeastOptions bound the search of Least. The zero value is usual.
type LeastOptions struct {
	// Gap is the relative width of the bracket that is good enough; 0 means
	// 1e-9.
	Gap float64
	// Decide, if set, ends the search as soon as it is proven whether the
	// least factor is above it or a mechanism within it is known.
	Decide *big.Rat
	// Near is a mechanism for the same letters, such as the one found for a
	// neighbouring floor; it is used when it stays within the support, and is
	// the answer when Weight proves it within Gap.
	Near *mechanism.Mechanism
	// Weight is the certificate of a neighbouring support; it proves
	// something for every support.
	Weight []int64
	// Bytes is the most memory the float solver may take; 0 means 4 GiB. A
	// support that needs more gets what needs no solver.
	Bytes int64
}

// Least returns a mechanism with the least factor e^eps among all those with
// support s under p, and the certificate of how close it is. The mechanism's
// factor is exact (Certificate.Upper) and its rows are integers; the float
// solver only proposes. When ctx ends, or the solver fails, the bracket is
// wider and still proven: at worst the mechanism is uniform on every B_x. Under
// further priors what comes back is no optimum: Upper is its largest factor under any
// of them, and Lower is proven under p alone, which bounds what holds under more. It
// fails with *NoOutputError alone.
func Least(ctx context.Context, p mechanism.Prior, s *mechanism.Support, opt LeastOptions,
	also ...mechanism.Prior) (*mechanism.Mechanism, Certificate, error) {
	m, err := mechanism.Uniform(s, mechanism.Floor{})
	if err != nil {
		return nil, Certificate{}, err
	}
	if parts := s.Parts(); parts != nil && s.Inputs()*s.Outputs() > FitCells {
		// What is constant on the parts of a value floor reaches the bound of each part by itself.
		return m, Certificate{Weight: parts.Rarest(p), Lower: m.Factor(p), Upper: m.Factor(append(also, p)...)}, nil
	}
	l := &leastSearch{task: &task{Pattern: NewPattern(p, s, also...), share: make([]int64, s.Outputs())}, opt: opt,
		lower: big.NewRat(1, 1)}
	l.opt.Gap = cmp.Or(opt.Gap, 1e-9)
	l.offer(m)
	if p.Total() > 0 {
		l.search(ctx)
	}
	if len(also) > 0 && !l.closed() && !l.decided() && ctx.Err() == nil {
		mixed, _, err := Least(ctx, l.mixture(), s, LeastOptions{Gap: opt.Gap, Bytes: opt.Bytes})
		if err != nil {
			return nil, Certificate{}, err
		}
		l.offer(mixed)
	}
	return l.best, Certificate{Weight: l.weight, Lower: l.lower, Upper: l.upper}, nil
}

// A leastSearch holds the best proven so far on both sides.
type leastSearch struct {
	*task
	opt    LeastOptions
	joint  []int64 // the counts of the rows of the program
	best   *mechanism.Mechanism
	upper  *big.Rat
	weight []int64
	lower  *big.Rat
}

// offer takes m when its exact factor is the least so far.
func (l *leastSearch) offer(m *mechanism.Mechanism) {
	if f := l.FactorOf(m); f != nil && (l.upper == nil || f.Cmp(l.upper) < 0) {
		l.best, l.upper = m, f
	}
}

// claim takes weights when they prove more than what is known.
func (l *leastSearch) claim(weight []int64) {
	if len(weight) != l.Prior.Letters() {
		return
	}
	if t := bound(l.Pattern, weight); t.Cmp(l.lower) > 0 {
		l.weight, l.lower = weight, t
	}
}

func (l *leastSearch) closed() bool { return l.upper.Cmp(l.lower) <= 0 }

// decided reports that the side of opt.Decide is proven.
func (l *leastSearch) decided() bool {
	d := l.opt.Decide
	return d != nil && (l.upper.Cmp(d) <= 0 || l.lower.Cmp(d) > 0)
}

// gap is upper/lower - 1, rounded.
func (l *leastSearch) gap() float64 {
	g, _ := new(big.Rat).Quo(l.upper, l.lower).Float64()
	return g - 1
}

func (l *leastSearch) search(ctx context.Context) {
	l.offer(l.favourite(func(_ int, row []float64) { // an output that every letter may give is given by all
		for y, mass := range l.Mass {
			row[y] = float64(mass)
		}
	}))
	l.claim(scarce(l.Pattern))
	l.offer(l.opt.Near)
	if l.opt.Weight != nil && (Certificate{Weight: l.opt.Weight, Lower: one}).Verify(l.Prior, l.Support) == nil {
		l.claim(l.opt.Weight)
	}
	if l.closed() || l.decided() || l.opt.Near != nil && l.gap() <= l.opt.Gap {
		return
	}
	if !l.Affords(l.opt.Bytes) {
		return
	}
	b := l.program(big.NewRat(l.Prior.Total(), 1), 0)
	l.joint = make([]int64, len(b.Prob))
	for i, r := range b.row {
		l.joint[r] += l.Count[i]
	}
	options := interior.Options{Gap: l.opt.Gap / 10, Y: l.start(b)}
	if l.opt.Decide != nil {
		options.Decide, _ = l.opt.Decide.Float64()
	}
	out := interior.Least(ctx, b.Problem, options)
	l.certify(out.Y, out.Lower, b)
	if out.P != nil {
		d := l.draft(b, out.P)
		l.round(d)
		if !l.decided() {
			l.recover(d, out.Y, b)
		}
	}
}

// certify claims what the row duals y prove, until it is about lower.
func (l *leastSearch) certify(y []float64, lower float64, b *program) {
	for _, below := range []float64{-1, 1e-15, 1e-12, 1e-9} {
		if y == nil || rounded(l.lower) >= lower*(1-1e-11) {
			return
		}
		l.claim(integral(l.Pattern, y, b.row, l.joint, below))
	}
}

// start sums the known weights by row of the program.
func (l *leastSearch) start(b *program) []float64 {
	if l.weight == nil {
		return nil
	}
	y := make([]float64, len(l.joint))
	for i, x := range l.Letter {
		y[b.row[i]] += float64(l.weight[x])
	}
	return y
}

// round offers integer tables of the draft, with fewer and fewer faint
// outputs, until one is within a tenth of the gap asked for.
func (l *leastSearch) round(d Draft) {
	q := d.Law()
	for _, least := range append([]float64{-1}, Faint...) {
		e := d.Without(q, least)
		for _, total := range Totals {
			l.offer(e.Table(total, nil))
			if !(l.gap() > l.opt.Gap/10) {
				return
			}
		}
	}
}
