package several

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// margins are the relative amounts by which the program stays below the
// factor, so that rounding to integers does not cross it.
var margins = []float64{1e-9, 0, 3e-8, 1e-6, 1e-4}

// Largest is optimum.Largest under p and further priors at once: the largest
// expected weight under p of a mechanism whose factor under every prior is at
// most f. It does not make the factor small at that weight where a program of
// its own decides. What comes back keeps f exactly; Worth.Upper is proven in
// integers. It fails with *optimum.FactorError where it knows no mechanism
// within f.
func Largest(ctx context.Context, p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support, f *big.Rat,
	w mechanism.Weights, opt optimum.LargestOptions) (*mechanism.Mechanism, optimum.Worth, error) {
	m, worth, err := optimum.Largest(ctx, p, s, f, w, opt)
	if err != nil || len(also) == 0 {
		return m, worth, err
	}
	l := &largestSearch{search: newSearch(p, also, s), factor: f, weight: w, upper: worth.Upper}
	if l.offer(m) {
		return m, worth, nil // best under one prior, and within f under all
	}
	if opt.Tighten {
		// The most useful mechanism need not be the one of least factor.
		opt.Tighten = false
		plain, pw, err := optimum.Largest(ctx, p, s, f, w, opt)
		if err == nil && l.offer(plain) {
			return plain, pw, nil
		}
	}
	l.offer(opt.Near)
	if p.Total() > 0 && affords(l.task, opt.Bytes) {
		l.run(ctx)
	}
	if l.best == nil {
		least, b, err := Least(ctx, p, also, s, optimum.LeastOptions{Bytes: opt.Bytes})
		if err != nil {
			return nil, optimum.Worth{}, err
		}
		if !l.offer(least) {
			return nil, optimum.Worth{}, &optimum.FactorError{Factor: f, Lower: b.Lower, Upper: b.Upper}
		}
	}
	return l.best, optimum.Worth{Value: l.value, Upper: l.upper, Factor: l.best.Factor(l.all...)}, nil
}

type largestSearch struct {
	*search
	factor *big.Rat
	weight mechanism.Weights
	best   *mechanism.Mechanism
	value  *big.Rat // of best, rounded down
	upper  *big.Rat
	cells  *optimum.Weighing
}

// offer takes m where it is within the factor and worth more than the best.
func (l *largestSearch) offer(m *mechanism.Mechanism) bool {
	if !l.fits(m) || m.Factor(l.all...).Cmp(l.factor) > 0 {
		return false
	}
	v := m.ExpectedWeight(l.all[0], l.weight)
	exact := new(big.Rat).SetFloat64(v - 1e-14*math.Abs(v))
	if exact != nil && (l.best == nil || exact.Cmp(l.value) > 0) {
		l.best, l.value = m, exact
	}
	return true
}

// open is what the bracket leaves, in shares of the range of the weights.
func (l *largestSearch) open() float64 {
	if l.best == nil {
		return math.Inf(1)
	}
	return rounded(new(big.Rat).Sub(l.upper, l.value)) / math.Max(l.cells.Span, math.SmallestNonzeroFloat64)
}

func (l *largestSearch) run(ctx context.Context) {
	if len(l.pattern.Letter) != len(l.letter) {
		return
	}
	var err error
	if l.cells, err = optimum.Weigh(l.pattern, l.weight); err != nil {
		return
	}
	t := rounded(l.factor)
	place := make(map[[2]int32]int, 0)
	for y, rows := range l.column {
		for f, i := range rows {
			place[[2]int32{int32(y), i}] = f
		}
	}
	for _, margin := range margins {
		at := t * (1 - margin)
		b := l.newProgram(at, l.factor, false, func(i int32, y int) float64 {
			return l.chance[0][i] * (l.cells.High - l.cells.Cell[y][place[[2]int32{int32(y), i}]])
		})
		if b == nil {
			return
		}
		got := b.solve(ctx)
		if got == nil {
			continue
		}
		l.bound(b, got)
		if d := l.draft(got.cell); d != nil {
			l.settle(*d)
		}
		if l.open() <= 1e-7 || ctx.Err() != nil {
			return
		}
	}
}

// settle offers tables of a draft.
func (l *largestSearch) settle(d optimum.Draft) {
	for m := range d.Plainest(l.levelAt(l.factor), nil) {
		if l.offer(m) && l.open() <= 1e-8 {
			return
		}
	}
	if l.open() > 1e-6 {
		for _, total := range optimum.Denominators(l.pattern) {
			if l.offer(d.Snapped(total, nil)) && l.open() <= 1e-8 {
				return
			}
		}
	}
}

// bound lowers the upper bound to what the prices prove: with W_xy = P_x w_xy
// - A_x and W.v <= 0 for every column, rows that sum to 1 give sum_x A_x. Where
// rounding stands in the way, the A_x are raised by shares of slack.
func (l *largestSearch) bound(b *program, at *point) {
	n := len(l.letter)
	most := at.most(l.cells.Top)
	if !(most > 0) || math.IsInf(most, 0) {
		return
	}
	shift := 57 - exponent(most)
	unit := math.Ldexp(1, shift)
	proof := l.newProof(l.factor)
	total := big.NewInt(l.all[0].Total())
	// P_x w_xy, rounded up.
	worth := make([][]int64, len(l.column))
	term := new(big.Int)
	for y, rows := range l.column {
		worth[y] = make([]int64, len(rows))
		for f, i := range rows {
			term.Mul(big.NewInt(l.all[0].Count(l.letter[i])), big.NewInt(int64(math.Ceil(l.cells.Cell[y][f]*unit))))
			quo, rem := new(big.Int).DivMod(term, total, new(big.Int))
			worth[y][f] = quo.Int64()
			if rem.Sign() > 0 {
				worth[y][f]++
			}
		}
	}
	for _, slack := range []float64{0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4, 1e-2} {
		price, sum := make([]int64, n), new(big.Int)
		for i, y := range at.y {
			mean := 0.0
			for k := range l.chance {
				mean += l.chance[k][i] / float64(len(l.chance))
			}
			price[i] = int64(math.Ceil((l.chance[0][i]*l.cells.High-y+slack*l.cells.Span*(mean+1/float64(n))/2)*unit)) + 1
			sum.Add(sum, big.NewInt(price[i]))
		}
		if l.all0(proof, b, at, unit, func(y int) []int64 {
			out := make([]int64, len(l.column[y]))
			for f, i := range l.column[y] {
				out[f] = worth[y][f] - price[i]
			}
			return out
		}) == nil {
			continue
		}
		v := new(big.Rat).SetInt(sum)
		if shift >= 0 {
			v.Quo(v, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(shift))))
		} else {
			v.Mul(v, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(-shift))))
		}
		if v.Cmp(l.upper) < 0 {
			l.upper = v
		}
		return
	}
}
