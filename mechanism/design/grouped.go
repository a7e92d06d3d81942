package design

import (
	"context"
	"errors"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// groupedDesign is the optimum for groups of letters that are near, where letters are too many
// for it: an output of a group is drawn about as often as its letter occurs there, so that its
// factor is that of the group. It is no optimum for the letters.
type groupedDesign struct{}

func (groupedDesign) kind() string { return "grouped" }
func (groupedDesign) words() string {
	return "values that are near are taken together: the best of all mechanisms for their groups; in a group, every " +
		"value is as likely as it is common"
}
func (groupedDesign) settles() bool { return false }

const (
	groupedCells = 1 << 26 // N M up to which all of them are looked at
	levelFloors  = 256     // the most floors by value that are as few as levels, where blocks do
	groupedRoom  = 1e-6    // of the factor, for rounding
	fine         = 1 << 12 // parts of a group
)

var mostGroups = 384 // which a test lowers

func (groupedDesign) fits(t *task) bool {
	return t.Tree() == nil && !t.goal.counted() && len(t.goal.Also) == 0 && t.cells() <= groupedCells &&
		t.order.Inputs() == t.order.Outputs() && !optimum.Fits(t.order.Inputs(), t.order.Outputs()) &&
		!(t.goal.Floor == nil && t.ByValue() && t.Len() <= levelFloors)
}

// make leaves room for what rounding adds to the factor.
func (d groupedDesign) make(ctx context.Context, t *task, _ *offer) (*offer, error) {
	factor := new(big.Rat).Mul(t.goal.Epsilon.Factor(), new(big.Rat).SetFloat64(1-groupedRoom))
	if factor.Cmp(big.NewRat(1, 1)) < 0 {
		return nil, errNothingFits
	}
	m, stopped, err := d.of(ctx, t, factor, t.goal.Floor)
	var far *UnreachableError
	var none *mechanism.NoOutputError
	if errors.As(err, &far) || errors.As(err, &none) {
		return nil, errNothingFits
	}
	if err != nil {
		return nil, err
	}
	o, err := blocksDesign{}.offer(t, m)
	if err == nil {
		o.cut = stopped
	}
	return o, err
}

// least is that of the groups, with room.
func (d groupedDesign) least(ctx context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	_, _, err := d.of(ctx, t, big.NewRat(1, 1), &f)
	var far *UnreachableError
	if !errors.As(err, &far) || far.Least == nil {
		return nil, nil
	}
	return far.Least.Mul(far.Least, new(big.Rat).SetFloat64(1+4*groupedRoom)), nil
}

// of makes the optimum of the groups, by the worst and the mean of what a letter of one is
// worth to another.
func (groupedDesign) of(ctx context.Context, t *task, factor *big.Rat, f *mechanism.Floor) (*mechanism.Mechanism, bool,
	error) {
	group, groups := t.groups()
	records := make([]int64, groups)
	for x, c := range group {
		records[c] += t.prior.Count(x)
	}
	weight, as := make([]int64, len(group)), make([]int64, groups) // of an output in its group
	for y, d := range group {
		if c := t.prior.Count(y); records[d] == 0 || c > 0 {
			weight[y] = max(1, int64(fine*float64(c)/float64(max(1, records[d]))))
		}
		as[d] += weight[y]
	}
	worst, mean := make([][]float64, groups), make([][]float64, groups)
	for c := range worst {
		worst[c], mean[c] = make([]float64, groups), make([]float64, groups)
		for d := range worst[c] {
			worst[c][d] = math.Inf(1)
		}
	}
	weights := t.weights()
	rank, value, own := make([]uint16, len(group)), make([]float64, len(group)), make([]float64, len(group))
	for x, c := range group {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		t.order.Row(x, rank, value)
		weights(x, own)
		share := 0.0
		if records[c] > 0 {
			share = float64(t.prior.Count(x)) / float64(records[c])
		}
		for y, d := range group {
			if v := value[y]; !t.goal.ByValue && !math.IsInf(v, -1) {
				worst[c][d] = min(worst[c][d], float64(rank[y]))
			} else {
				worst[c][d] = min(worst[c][d], v)
			}
			if share > 0 && !math.IsInf(value[y], -1) {
				mean[c][d] += share * float64(weight[y]) / float64(as[d]) * own[y]
			}
		}
	}
	o, err := mechanism.NewMatrix(worst)
	if err != nil {
		return nil, false, err
	}
	p, err := mechanism.NewPrior(records)
	if err != nil {
		return nil, false, err
	}
	g := Goal{Epsilon: mechanism.LogOf(factor), ByValue: true, Kind: optimalDesign{}.kind(),
		Weights: func(c int, row []float64) { copy(row, mean[c]) }}
	if f != nil {
		v := mechanism.ValueFloor(f.Value)
		if !f.ByValue {
			v = mechanism.ValueFloor(float64(f.Rank))
		}
		g.Floor = &v
	}
	m, e, err := Make(ctx, p, o, g)
	if err != nil {
		return nil, false, err
	}
	// A part of group d is a multiple of all its weights, so that those of its letters are
	// integers; roundings would change the factor of what is faint.
	const total, faint = 1 << 61, 1e-7
	row, law := make([]mechanism.Row, groups), m.OutputLaw(p)
	for c := range row {
		r := m.Row(c)
		part := make([]int64, groups)
		for i, d := range r.Output {
			if law[d] < faint && p.Total() > 0 {
				continue
			}
			part[d] = int64(float64(r.At(i)) / float64(r.Total) * total / float64(as[d]))
		}
		var output []uint16
		var of []int64
		for y, d := range group {
			if w := part[d] * weight[y]; w > 0 {
				output, of = append(output, uint16(y)), append(of, w)
			}
		}
		row[c] = mechanism.WeightedRow(output, of)
	}
	rows := make([]mechanism.Row, len(group))
	for x, c := range group {
		rows[x] = row[c]
	}
	m, err = mechanism.New(len(group), rows)
	return m, e.Stopped, err
}

// groups are those of the letters that are nearest to some that are far from each other, or
// far and common.
func (t *task) groups() (group []int, n int) {
	letters := t.order.Inputs()
	group = make([]int, letters)
	near, value := make([]float64, letters), make([]float64, letters)
	for x := range near {
		near[x] = math.Inf(-1)
	}
	at, _ := t.prior.Most()
	for ; n < mostGroups && near[at] < math.Inf(1); n++ {
		t.order.Row(at, nil, value)
		for x, v := range value {
			if v > near[x] {
				group[x], near[x] = n, v
			}
		}
		group[at], near[at] = n, math.Inf(1)
		far := 0.0
		for x, v := range near {
			if n%2 == 0 {
				v *= float64(1 + t.prior.Count(x))
			}
			if x == 0 || v < far {
				at, far = x, v
			}
		}
	}
	return group, n
}
