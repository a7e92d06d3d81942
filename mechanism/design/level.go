package design

import (
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// levelFloors is the most floors at which "auto" tries this design: levels are few.
const levelFloors = 256

// levelDesign gives every allowed output in proportion to the records of the
// letter that it stands for: p_xy = P_y / P(B_x). Where a floor parts the letters
// into groups G, as levels of a hierarchy do, rows are constant on groups: the
// factor is 1 / min P(G), below which no mechanism at that floor is [SO, Lemma 2],
// and every letter is published exactly as often as it occurs. Both are exact: the
// counts are the weights.
type levelDesign struct{}

func (levelDesign) kind() string { return "level" }
func (levelDesign) words() string {
	return "every allowed output is as likely as its value is common, so that a floor of levels keeps all shares"
}
func (levelDesign) settles() bool { return false }

// fits where the optimum does not, which is at least as useful, and where shares are
// asked for, which this design keeps to the last record.
func (levelDesign) fits(t *task) bool {
	return t.ByValue() && t.Len() <= levelFloors &&
		(t.goal.counted() || !optimum.Fits(t.order.Inputs(), t.order.Outputs()))
}

// make takes the first floor within epsilon, from the best down. Where floors part
// the letters into groups, factors fall along the floors; else they need not. It is
// no search, and takes no notice of a deadline.
func (d levelDesign) make(_ context.Context, t *task, rival *offer) (*offer, error) {
	end := t.Len()
	if rival != nil && t.goal.Floor == nil {
		end = t.Place(rival.floor) + 1
	}
	limit, _ := t.goal.Epsilon.Factor().Float64()
	for i := range end {
		if err := t.Err(); err != nil {
			return nil, err
		}
		rows, factor := t.inProportion(t.At(i))
		if rows == nil || !(factor <= limit*(1+1e-9)) {
			continue
		}
		m, err := mechanism.New(t.order.Outputs(), rows)
		if err != nil {
			return nil, err
		}
		if o := t.offer(m, t.At(i)); t.goal.Epsilon.Admits(o.factor) && t.keeps(m) {
			return o, nil
		}
	}
	return nil, errNothingFits
}

// least compares floors in floating point and measures the cheapest exactly.
func (d levelDesign) least(_ context.Context, t *task, f mechanism.Floor) (*big.Rat, error) {
	at, cheapest := -1, 0.0
	for i := range min(t.Place(f)+1, t.Len()) {
		if err := t.Err(); err != nil {
			return nil, err
		}
		if rows, factor := t.inProportion(t.At(i)); rows != nil && (at < 0 || factor < cheapest) {
			at, cheapest = i, factor
		}
	}
	if at < 0 {
		return nil, nil
	}
	rows, _ := t.inProportion(t.At(at))
	m, err := mechanism.New(t.order.Outputs(), rows)
	if err != nil {
		return nil, err
	}
	return t.offer(m, t.At(at)).factor, nil
}

// inProportion are the rows at a floor and about their factor under the first
// prior; nil where the floor leaves a letter no output. Letters with the same
// outputs share a row. Where no allowed output stands for a letter with records,
// all are equally likely.
func (t *task) inProportion(f mechanism.Floor) (rows []mechanism.Row, factor float64) {
	s, stands := t.Support(f), t.stands()
	if s.Empty() >= 0 {
		return nil, 0
	}
	rows = make([]mechanism.Row, s.Inputs())
	if p := s.Parts(); p != nil {
		law := make([]mechanism.Row, len(p.Set))
		for c, set := range p.Set {
			law[c] = mechanism.Proportional(set, t.prior, stands)
		}
		for x, c := range p.In {
			rows[x] = law[c]
		}
		factor, _ = t.SafeCost(f).Float64() // rows are constant on parts, as those of the utility-safe mechanism
		return rows, factor
	}
	same := map[string]mechanism.Row{}
	var output []uint16
	var key []byte
	for x := range rows {
		output, key = s.AppendRow(output[:0], x), key[:0]
		for _, y := range output {
			key = append(key, byte(y), byte(y>>8))
		}
		r, ok := same[string(key)]
		if !ok {
			r = mechanism.Proportional(output, t.prior, stands)
			same[string(key)] = r
		}
		rows[x] = r
	}
	return rows, t.aboutFactor(rows)
}

// aboutFactor is the factor of rows but for rounding.
func (t *task) aboutFactor(rows []mechanism.Row) float64 {
	q, most := make([]float64, t.order.Outputs()), make([]float64, t.order.Outputs())
	n := float64(max(1, t.prior.Total()))
	for x, r := range rows {
		c := float64(t.prior.Count(x)) / n
		if c == 0 {
			continue
		}
		for i, y := range r.Output {
			p := float64(r.At(i)) / float64(r.Total)
			q[y] += c * p
			most[y] = max(most[y], p)
		}
	}
	factor := 1.0
	for y := range q {
		if q[y] > 0 {
			factor = max(factor, most[y]/q[y])
		}
	}
	return factor
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
