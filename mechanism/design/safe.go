package design

import (
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// safeDesign is the utility-safe mechanism. Its factor is not monotone in the
// floor, so that floors are tried one by one.
type safeDesign struct{}

func (safeDesign) kind() string { return "safe" }
func (safeDesign) words() string {
	return "every allowed output is equally likely (Song and Oechtering's closed form)"
}
func (safeDesign) fits(*task) bool { return true }
func (safeDesign) settles() bool   { return false }

// make takes the first floor within epsilon, from the best down. It is also
// the one of largest expected utility: a worse floor adds outputs that are
// worth less than all the row has, and so lowers the mean of every row it
// touches.
func (safeDesign) make(ctx context.Context, t *task, _ *offer) (*offer, error) {
	place := t.SafeWithin(t.goal.Epsilon)
	if err := t.Err(); err != nil {
		return nil, err
	}
	if place < 0 {
		return nil, errNothingFits
	}
	if t.goal.MaxShift != nil {
		return t.safeWithin(ctx, place)
	}
	m, err := mechanism.Uniform(t.Support(t.At(place)), t.At(place))
	if err != nil {
		return nil, err
	}
	return t.offer(m, t.At(place)), nil
}

func (safeDesign) least(_ context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	factor := t.SafeCost(f)
	return factor, t.Err()
}
