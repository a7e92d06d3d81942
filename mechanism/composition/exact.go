package composition

import "math/big"

// settle computes what is exact about a state.
func (st *State) settle() {
	if st.Visible() {
		return
	}
	st.exactly = st.likelihood()
	most, sum := st.series.ratio(st.exactly, nil)
	st.factor = most.Quo(most, sum)
}

// exact is L over the support; nil where the state is Visible.
func (st *State) exact() []*big.Rat {
	st.once.Do(st.settle)
	return st.exactly
}

func (st *State) likelihood() []*big.Rat {
	s := st.series
	like := make([]*big.Rat, len(s.support))
	if st.parent == nil {
		for i := range like {
			like[i] = big.NewRat(1, 1)
		}
		return like
	}
	before := st.parent.exact()
	d := st.parent.Decide(int(st.channel))
	if d.Action == Fixed {
		return before
	}
	for i := range like {
		like[i] = new(big.Rat)
	}
	d.each(st.symbol, func(column []cell) {
		for _, e := range column {
			like[e.i].Add(like[e.i], e.exact())
		}
	})
	for i := range like {
		like[i].Mul(like[i], before[i])
	}
	return like
}

// ratio is the maximum and the mean of like times a column (of like alone for
// nil).
func (s *Series) ratio(like []*big.Rat, column map[int32]*big.Rat) (most, mean *big.Rat) {
	most, mean = new(big.Rat), new(big.Rat)
	for i, l := range like {
		v := l
		if column != nil {
			p, ok := column[int32(i)]
			if !ok {
				continue
			}
			v = new(big.Rat).Mul(l, p)
		}
		if v.Cmp(most) > 0 {
			most.Set(v)
		}
		if v.Sign() > 0 {
			mean.Add(mean, new(big.Rat).Mul(v, s.prior.Probability(int(s.support[i]))))
		}
	}
	return most, mean
}
