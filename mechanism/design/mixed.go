package design

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// mixedDesign keeps values: it mixes the best mechanism within the limit of the shift with the
// best of no shift, at the floor of the latter. Both are within the factor, for which a mixture
// is no worse: with p_xy <= t q_y for both, (1-s) p + s p' <= t ((1-s) q + s q'). Of the second,
// which publishes all values as often as they occur, half is enough for half of that. It is no
// optimum: its mean is at least the middle of the two means.
type mixedDesign struct{}

func (mixedDesign) kind() string { return "mixed" }
func (mixedDesign) words() string {
	return "the best within the limit of the shift, mixed with the best that keeps every share, so that every value is " +
		"published"
}
func (mixedDesign) fits(t *task) bool { return t.goal.Keep && optimalDesign{}.fits(t) }
func (mixedDesign) settles() bool     { return true }

// make is at the best floor at which there is a mechanism of no shift.
func (d mixedDesign) make(ctx context.Context, t *task, _ *offer) (*offer, error) {
	g := t.goal
	g.Keep, g.Kind, g.Nearest, g.MaxShift = false, "", false, new(big.Rat)
	own, cancel := first(ctx, searchShare)
	other, e, err := t.again(own, g)
	cancel()
	if err != nil {
		return nil, d.none(ctx)
	}
	g = t.goal
	g.Keep, g.Kind, g.Floor = false, "", &e.Floor
	m, _, err := t.again(ctx, g)
	if err != nil {
		return nil, d.none(ctx)
	}
	if m = d.mixed(ctx, t, m, other, e.Floor); m == nil {
		return nil, d.none(ctx)
	}
	o := t.offer(m, e.Floor)
	o.cut = e.Stopped
	return o, nil
}

// none is why there is nothing.
func (mixedDesign) none(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return errNothingFits
}

func (mixedDesign) least(context.Context, *task, mechanism.Floor) (*big.Rat, error) { return nil, nil }

// mixed is m where that keeps values, or a mixture with other, which shifts nothing; nil where
// neither will do. Where integers cannot hold a mixture exactly, one of no shift and a factor
// that is a little smaller leaves room for roundings.
func (mixedDesign) mixed(ctx context.Context, t *task, m, other *mechanism.Mechanism,
	f mechanism.Floor) *mechanism.Mechanism {
	if m.KeepsHalf(t.prior, t.stands()) {
		return m
	}
	will := func(other *mechanism.Mechanism) *mechanism.Mechanism {
		both := between(m, other, needed(m, t.prior, t.stands()))
		if both == nil || !t.goal.Epsilon.Admits(both.Factor(t.prior)) || !t.keeps(both) {
			return nil
		}
		return both
	}
	if both := will(other); both != nil {
		return both
	}
	const room = 1e-6
	g := t.goal
	g.Keep, g.Kind, g.Nearest, g.Floor, g.MaxShift = false, "", false, &f, new(big.Rat)
	factor := new(big.Rat).Mul(t.goal.Epsilon.Factor(), new(big.Rat).SetFloat64(1-room))
	if factor.Cmp(big.NewRat(1, 1)) >= 0 {
		g.Epsilon = mechanism.LogOf(factor)
		if near, _, err := t.again(ctx, g); err == nil {
			if both := will(near); both != nil {
				return both
			}
		}
	}
	return other // which keeps all shares
}

// parts of a mixture.
const parts = 1 << 12

// needed is the least of parts that a mechanism of no shift takes for m to publish half of
// every value: with q published of c, (1-s) q + s c >= c/2.
func needed(m *mechanism.Mechanism, p mechanism.Prior, stands []int) int64 {
	most, law := 0.0, m.OutputLaw(p)
	for y, x := range stands {
		if x < 0 || p.Count(x) == 0 {
			continue
		}
		if c := float64(p.Count(x)) / float64(p.Total()); law[y] < c/2 {
			most = max(most, (c/2-law[y])/(c-law[y]))
		}
	}
	return min(parts, int64(math.Ceil(most*parts*(1+1e-9)))+1)
}

// between has rows of which other has so many parts; nil where there is none.
func between(m, other *mechanism.Mechanism, of int64) *mechanism.Mechanism {
	const exact, rounded = 1 << 62, 1 << 50
	rows := make([]mechanism.Row, m.Inputs())
	for x := range rows {
		a, b := m.Row(x), other.Row(x)
		total := new(big.Int).Mul(big.NewInt(a.Total), big.NewInt(b.Total))
		total.Mul(total, big.NewInt(parts))
		weight := make([]*big.Int, m.Outputs())
		add := func(r mechanism.Row, times, by int64) {
			for i, y := range r.Output {
				w := new(big.Int).Mul(big.NewInt(r.At(i)), big.NewInt(times))
				if w.Mul(w, big.NewInt(by)); weight[y] == nil {
					weight[y] = new(big.Int)
				}
				weight[y].Add(weight[y], w)
			}
		}
		add(a, parts-of, b.Total)
		add(b, of, a.Total)
		small, common := total.Cmp(big.NewInt(exact)) > 0, new(big.Int)
		for _, w := range weight {
			if w != nil {
				common.GCD(nil, nil, common, w)
			}
		}
		if small && new(big.Int).Quo(total, common).Cmp(big.NewInt(exact)) <= 0 {
			small = false
		}
		var output []uint16
		var own []int64
		for y, w := range weight {
			if w == nil || w.Sign() == 0 {
				continue
			}
			if w.Quo(w, common); small {
				w.Mul(w, common).Mul(w, big.NewInt(rounded)).Quo(w, total)
			}
			if w.Sign() > 0 {
				output, own = append(output, uint16(y)), append(own, w.Int64())
			}
		}
		rows[x] = mechanism.WeightedRow(output, own)
	}
	both, err := mechanism.NewReduced(m.Outputs(), rows)
	if err != nil {
		return nil
	}
	return both
}
