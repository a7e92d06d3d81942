package mechanism

import (
	"math"
	"math/big"
)

// A summed row is one row of a mechanism in an order that knows without a table what all of
// the row is worth to a letter.
type summed interface {
	take(Row) // another row
	mean(x int) float64
	worst(x int) (rank int, value float64)
}

// summed are the rows that one look serves for all their letters; nil where there are none.
func (m *Mechanism) summed(o Order) summed {
	if t, ok := o.(*Tree); ok {
		return newTreeRow(t)
	}
	if l := lineOf(o); l != nil && m.Shared() {
		return l
	}
	return nil
}

// ExpectedUtility is sum_x P_x sum_y p_xy u'(x,y); 0 where p has no records.
func (m *Mechanism) ExpectedUtility(p Prior, o Order) float64 {
	at := m.summed(o)
	if at == nil || p.Total() == 0 {
		return m.ExpectedWeight(p, func(x int, row []float64) { ValuesAt(o, x, m.row[x].Output, row) })
	}
	var sum Sum
	for _, b := range m.block {
		at.take(b.Row)
		for _, x := range b.Letters {
			if c := p.Count(int(x)); c > 0 {
				sum.Add(float64(c) / float64(p.Total()) * at.mean(int(x)))
			}
		}
	}
	return sum.Value()
}

// ExpectedWeight is sum_x P_x sum_y p_xy w_xy; 0 where p has no records.
func (m *Mechanism) ExpectedWeight(p Prior, w Weights) float64 {
	var sum Sum
	value := make([]float64, m.outputs)
	for x, r := range m.row {
		if p.Count(x) == 0 {
			continue
		}
		w(x, value)
		var row Sum
		share := 1 / float64(r.Total)
		for i, y := range r.Output {
			if r.Weight != nil {
				share = float64(r.Weight[i]) / float64(r.Total)
			}
			row.Add(share * value[y])
		}
		sum.Add(float64(p.Count(x)) / float64(p.Total()) * row.Value())
	}
	return sum.Value()
}

// OutputLaw is P_Y: q_y = sum_x P_x p_xy. It is all 0 where p has no records.
func (m *Mechanism) OutputLaw(p Prior) []float64 {
	sum := make([]Sum, m.outputs)
	for i := range m.block {
		r, c := m.block[i].Row, m.block[i].Records(p)
		if c == 0 {
			continue
		}
		w := float64(c) / float64(p.Total()) / float64(r.Total)
		for i, y := range r.Output {
			sum[y].Add(w * float64(r.At(i)))
		}
	}
	q := make([]float64, m.outputs)
	for y := range q {
		q[y] = sum[y].Value()
	}
	return q
}

// MutualInformation is I(X;Y) in nats.
func (m *Mechanism) MutualInformation(p Prior) float64 {
	q := m.OutputLaw(p)
	var sum Sum
	for i := range m.block {
		r, c := m.block[i].Row, m.block[i].Records(p)
		if c == 0 {
			continue
		}
		w := float64(c) / float64(p.Total())
		for i, y := range r.Output {
			v := float64(r.At(i)) / float64(r.Total)
			sum.Add(w * v * math.Log(v/q[y]))
		}
	}
	return max(0, sum.Value())
}

// BayesVulnerability is the chance that the best guess of a letter is right:
// before, of the prior alone (max_x P_x), and after seeing the output
// (sum_y max_x P_x p_xy). Their ratio is at most e^eps.
func (m *Mechanism) BayesVulnerability(p Prior) (before, after float64) {
	if p.Total() == 0 {
		return 0, 0
	}
	_, c := p.Most()
	most := make([]float64, m.outputs)
	for _, b := range m.block {
		r, c := b.Row, int64(0)
		for _, x := range b.Letters {
			c = max(c, p.Count(int(x)))
		}
		for i, y := range r.Output {
			most[y] = max(most[y], float64(c)*(float64(r.At(i))/float64(r.Total)))
		}
	}
	var sum Sum
	for _, v := range most {
		sum.Add(v)
	}
	n := float64(p.Total())
	return float64(c) / n, sum.Value() / n
}

// Cap is min(1, e^eps P_x) for every letter: what an observer who knows only
// these frequencies can at most come to believe of a value, when no output
// has a factor above factor. It is nil where p has no records.
func Cap(p Prior, factor *big.Rat) []*big.Rat {
	if p.Total() == 0 {
		return nil
	}
	limit := make([]*big.Rat, p.Letters())
	for x := range limit {
		limit[x] = new(big.Rat).Mul(factor, p.Probability(x))
		if limit[x].Cmp(one) > 0 {
			limit[x].Set(one)
		}
	}
	return limit
}

// Weights fills row[y] with w(x,y), the worth of output y for letter x, for
// every y; what it says of outputs that the support forbids is not used. It
// must be safe for concurrent use.
type Weights func(x int, row []float64)

// ValueWeights are the values u'(x,y) of an order.
func ValueWeights(o Order) Weights {
	return func(x int, row []float64) { o.Row(x, nil, row) }
}

// MatchWeights count the records that keep their letter: 1 where output y is
// same[x], 0 elsewhere; same[x] is -1 where letter x is no output. Their
// expected value is the share of records that stay unchanged.
func MatchWeights(same []int) Weights {
	return func(x int, row []float64) {
		clear(row)
		if y := same[x]; y >= 0 {
			row[y] = 1
		}
	}
}

// A Sum is a running sum that carries its rounding errors along
// [Neumaier 1974]: the result is as good as one rounding of the exact sum
// unless cancellation exceeds 2^53.
type Sum struct{ sum, rest float64 }

// Add adds v.
func (c *Sum) Add(v float64) {
	t := c.sum + v
	if math.Abs(c.sum) >= math.Abs(v) {
		c.rest += (c.sum - t) + v
	} else {
		c.rest += (v - t) + c.sum
	}
	c.sum = t
}

// Value is the sum so far.
func (c *Sum) Value() float64 { return c.sum + c.rest }
