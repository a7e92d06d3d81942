package design

import (
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/blocks"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// blocksDesign parts the letters into blocks and draws within a block as often as letters
// occur: the factor is 1 / min P(B), and shares of values are kept, both exactly. It is
// quick at every size, and no optimum.
type blocksDesign struct{}

// Blocks is the name of the design that keeps shares at every size.
const Blocks = "blocks"

func (blocksDesign) kind() string { return Blocks }
func (blocksDesign) words() string {
	return "values are parted into blocks; in a block, every value is as likely as it is common, so that shares are kept"
}
func (blocksDesign) fits(*task) bool { return true }
func (blocksDesign) settles() bool   { return false }

// make takes the partition of best floor that is found. Of levels that are too many for a
// table the floor is the first within epsilon: factors fall along these.
func (d blocksDesign) make(_ context.Context, t *task, _ *offer) (*offer, error) {
	if t.Tree() != nil {
		place := t.SafeWithin(t.goal.Epsilon)
		if place < 0 {
			return nil, errNothingFits
		}
		m, err := t.Apart(t.At(place), t.goal.Epsilon.Factor(), t.stands())
		if err != nil {
			return nil, err
		}
		return d.offer(t, m)
	}
	return d.offer(t, blocks.Part(t.parting(t.goal.Epsilon.Factor(), t.goal.Floor)))
}

// offer is a mechanism at the floor that it has, or that is asked for.
func (blocksDesign) offer(t *task, m *mechanism.Mechanism) (*offer, error) {
	if m == nil {
		return nil, errNothingFits
	}
	rank, value := m.Floor(t.order)
	f := mechanism.RankFloor(rank)
	if t.goal.ByValue {
		f = mechanism.ValueFloor(value)
	}
	if g := t.goal.Floor; g != nil {
		if f = *g; !g.Allows(uint16(rank), value) {
			return nil, errNothingFits
		}
	}
	o := t.offer(m, f)
	if !t.goal.Epsilon.Admits(o.Factor) || !t.keeps(m) {
		return nil, errNothingFits
	}
	return o, nil
}

// parting is the task for blocks of a factor, at a floor or at the best.
func (t *task) parting(factor *big.Rat, f *mechanism.Floor) blocks.Problem {
	return blocks.Problem{Order: t.order, Stands: t.stands(), Prior: t.prior, Also: t.goal.Also, Factor: factor,
		ByValue: t.goal.ByValue, Floor: f}
}

// least is that of the levels of a large tree; else the least that a bisection finds,
// where no other design is asked.
func (d blocksDesign) least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	if t.Tree() != nil {
		return t.SafeCost(f), nil
	}
	if t.goal.Kind != d.kind() {
		return nil, nil
	}
	var least *big.Rat
	n := t.prior.Total()
	for lo, hi := int64(1), n; lo <= hi && ctx.Err() == nil; { // the fewest records of a block
		mid := lo + (hi-lo)/2
		m := blocks.Part(t.parting(big.NewRat(n, mid), &f))
		if m == nil {
			hi = mid - 1
			continue
		}
		lo = mid + 1
		factor := m.Factor(append([]mechanism.Prior{t.prior}, t.goal.Also...)...)
		if (least == nil || factor.Cmp(least) < 0) && blocks.Part(t.parting(factor, &f)) != nil {
			least = factor
		}
	}
	return least, nil
}

// aloneCells is N M from which "auto" takes blocks without a look at other designs: what their
// floors cost takes seconds to list, and a gigabyte.
const aloneCells = 1 << 28

// wide reports whether blocks alone answer: the letters are too many for the optimum and a
// table, and blocks are asked for, or shares, which other closed forms do not keep.
func wide(o mechanism.Order, g *Goal) bool {
	_, near := o.(mechanism.Nearby)
	auto := g.Kind == "" || g.Kind == "auto"
	cells := o.Inputs() * o.Outputs()
	return near && cells > optimum.FitCells && len(g.Also) == 0 &&
		(g.Kind == Blocks || auto && g.counted() || auto && cells > aloneCells && g.Floor == nil)
}

// blocksAlone is the design without the candidate floors, which take a look at all letters
// for each; nil where blocks do not keep the goal. Distances are no less than 0: so is the
// bound of a mean.
func blocksAlone(p mechanism.Prior, o mechanism.Order, g Goal) (*mechanism.Mechanism, Evidence) {
	if f := g.Floor; f != nil {
		g.ByValue = f.ByValue
	}
	t := &task{prior: p, order: o, goal: g}
	c, err := blocksDesign{}.offer(t, blocks.Part(t.parting(g.Epsilon.Factor(), g.Floor)))
	if err != nil {
		return nil, Evidence{}
	}
	c.Kind, c.Lower = Blocks, big.NewRat(1, 1)
	if t.measure(c); g.counted() {
		t.shift(c)
	}
	return c.mechanism, c.Evidence
}

// stands are the letters that the outputs stand for: those of the goal, else the
// letters of the same number where there are as many.
func (t *task) stands() []int {
	if t.goal.Stands != nil {
		return t.goal.Stands
	}
	stands := make([]int, t.order.Outputs())
	for y := range stands {
		if stands[y] = y; t.order.Inputs() != len(stands) {
			stands[y] = -1
		}
	}
	return stands
}
