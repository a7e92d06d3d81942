package design

import (
	"context"
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// ErrNoTree says that a design of parts was asked for where the order has no levels,
// or is small enough for the optimum, which is at least as useful.
var ErrNoTree = errors.New("mechanism: a design of parts needs value floors of a large order with levels")

// splitDesign parts the groups of a floor of a tree further, as far as epsilon
// allows: a group of many records is parted into its branches, the branches likewise,
// and those that are too rare alone are joined. Rows are constant on parts, so that a
// part leaks n / mass exactly, and every share is kept. It is for orders that are too
// large for the optimum.
type splitDesign struct{}

func (splitDesign) kind() string { return "split" }
func (splitDesign) words() string {
	return "groups of a level are parted further, as far as epsilon allows; in a part, every value is as likely as it " +
		"is common"
}
func (splitDesign) settles() bool     { return false }
func (splitDesign) fits(t *task) bool { return t.Tree() != nil }

// make parts the first floor within epsilon, from the best down: the factor falls
// along the floors of a tree.
func (splitDesign) make(_ context.Context, t *task, _ *offer) (*offer, error) {
	if t.Tree() == nil {
		return nil, ErrNoTree
	}
	place := t.SafeWithin(t.goal.Epsilon)
	if place < 0 {
		return nil, errNothingFits
	}
	m, err := t.Apart(t.At(place), t.goal.Epsilon.Factor(), t.stands())
	if err != nil {
		return nil, err
	}
	o := t.offer(m, t.At(place))
	if !t.goal.Epsilon.Admits(o.factor) || !t.keeps(m) {
		return nil, errNothingFits
	}
	return o, nil
}

// least is that of the floor itself, below which no mechanism there is.
func (splitDesign) least(_ context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	if t.Tree() == nil {
		return nil, ErrNoTree
	}
	return t.SafeCost(f), nil
}
