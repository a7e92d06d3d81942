package series

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// ErrNotDegraded says that a design is no post-processing of another.
var ErrNotDegraded = errors.New("the new design is no post-processing of the old one")

// Near is how far, per cell, the law of a degraded release may be from the new
// design's.
var Near = big.NewRat(1, 1_000_000)

// A Degraded release is drawn from what was published, not from the letter: it
// tells nothing new about the letter, then or at any time, changed or not.
//
// Its law is exactly old times Channel. Every output that Channel can make of
// an output of old is allowed in the new design for every letter that gives the
// latter, so the new floor holds exactly for the letter at the first draw. Gap
// is the largest difference between a cell of that law and of the new design:
// 0 where the new design is old times Channel exactly. Weights have no room for
// old times Channel in general, and none is needed: nothing is drawn from it.
type Degraded struct {
	Channel *mechanism.Mechanism // from outputs of old to outputs of new
	Gap     *big.Rat
}

// Degrade looks for a channel W with next = old W: a linear program in floats
// proposes one, which is brought to integers and measured exactly. It fails
// with ErrNotDegraded where none comes Near, and with another error where the
// program has more than some four million cells. Both designs have the same
// letters.
func Degrade(old, next *mechanism.Mechanism) (Degraded, error) {
	if old.Inputs() != next.Inputs() {
		return Degraded{}, fmt.Errorf("series: the designs have %d and %d letters", old.Inputs(), next.Inputs())
	}
	p := lay(old, next)
	if p == nil {
		return Degraded{}, fmt.Errorf("series: %w", ErrNotDegraded)
	}
	if cells := len(p.rhs) * len(p.variable); cells > 4_000_000 {
		return Degraded{}, fmt.Errorf("series: looking for a post-processing of %d outputs by %d: %d cells are too many", old.Outputs(), next.Outputs(), cells)
	}
	w := p.solve()
	for _, try := range [][]mechanism.Row{p.fractions(w), p.binary(w)} {
		if try == nil {
			continue
		}
		channel, err := mechanism.New(next.Outputs(), try)
		if err != nil {
			return Degraded{}, fmt.Errorf("series: degrading: %w", err)
		}
		if gap := Gap(old, channel, next); gap.Sign() == 0 || gap.Cmp(Near) <= 0 {
			return Degraded{channel, gap}, nil
		}
	}
	return Degraded{}, fmt.Errorf("series: %w", ErrNotDegraded)
}

// Gap is the largest difference between a cell of old times channel and of next,
// exactly; 1 where old times channel gives an output that next does not.
func Gap(old, channel, next *mechanism.Mechanism) *big.Rat {
	worst := new(big.Rat)
	for x := range old.Inputs() {
		rest := make([]*big.Rat, next.Outputs())
		r := next.Row(x)
		for i, b := range r.Output {
			rest[b] = big.NewRat(-r.At(i), r.Total)
		}
		r = old.Row(x)
		for i, a := range r.Output {
			chance, w := big.NewRat(r.At(i), r.Total), channel.Row(int(a))
			for j, b := range w.Output {
				if rest[b] == nil {
					return big.NewRat(1, 1)
				}
				rest[b].Add(rest[b], new(big.Rat).Mul(chance, big.NewRat(w.At(j), w.Total)))
			}
		}
		for _, d := range rest {
			if d != nil && d.Abs(d).Cmp(worst) > 0 {
				worst = d
			}
		}
	}
	return worst
}
