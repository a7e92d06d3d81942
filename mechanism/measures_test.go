package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) && got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The closed forms for M*(h), THEORY section 1, on random orders.
func TestMeasuresClosedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 100 {
		n, m := 2+rng.IntN(6), 2+rng.IntN(6)
		count, rank := make([]int64, n), make([][]uint16, n)
		for x := range rank {
			count[x] = 1 + rng.Int64N(100)
			for _, r := range rng.Perm(m) {
				rank[x] = append(rank[x], uint16(r+1))
			}
		}
		p := newPrior(t, count...)
		o, err := NewRanks(rank)
		if err != nil {
			t.Fatal(err)
		}
		h := 1 + rng.IntN(m)
		s, err := Safe(p, o, RankFloor(h))
		if err != nil {
			t.Fatal(err)
		}
		support := SupportOf(o, RankFloor(h))
		k := float64(m - h + 1)
		used, information, after, full := 0, 0.0, 0.0, true
		law := s.OutputLaw(p)
		for y, mass := range support.Mass(p) {
			share := float64(mass) / float64(p.Total())
			near(t, "q_y", law[y], share/k)
			most := int64(0)
			for x := range n {
				if support.Allowed(x, y) {
					most = max(most, p.Count(x))
				} else if mass > 0 {
					full = false
				}
			}
			if mass > 0 {
				used++
				information -= share / k * math.Log(share)
			}
			after += float64(most) / float64(p.Total()) / k
		}
		near(t, "maximal leakage", s.maximalLeakage(p), math.Log(float64(used)/k))
		near(t, "mutual information", s.MutualInformation(p), information)
		before, got := s.BayesVulnerability(p)
		_, most := p.Most()
		near(t, "prior vulnerability", before, float64(most)/float64(p.Total()))
		near(t, "posterior vulnerability", got, after)
		if ldp := s.LocalDifferentialPrivacy(); full && ldp != 0 || !full && !math.IsInf(ldp, 1) {
			t.Errorf("local differential privacy %v, every output everywhere: %v", ldp, full)
		}
	}
}

// The orders that hold for every mechanism, on random weights.
func TestMeasuresOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for trial := range 200 {
		n, m := 1+rng.IntN(5), 1+rng.IntN(5)
		count, row := make([]int64, n), make([]Row, n)
		for x := range row {
			count[x] = rng.Int64N(50)
			var output []uint16
			var weight []int64
			for y := range m {
				if trial%2 == 0 || rng.IntN(3) > 0 || y == m-1 && output == nil {
					output, weight = append(output, uint16(y)), append(weight, 1+rng.Int64N(1<<40))
				}
			}
			row[x] = WeightedRow(output, weight)
		}
		p := newPrior(t, count...)
		c, err := New(m, row)
		if err != nil {
			t.Fatal(err)
		}
		_, factor := c.Leakage(p).Max()
		nats := Nats(factor)
		if max, info := c.maximalLeakage(p), c.MutualInformation(p); !(info <= max+1e-12) || !(max <= nats+1e-12) {
			t.Fatalf("information %v, maximal leakage %v, epsilon %v", info, max, nats)
		}
		if p.Total() == 0 {
			if Cap(p, factor) != nil || c.largestPosterior(p) != nil {
				t.Fatal("posteriors of an empty prior")
			}
			continue
		}
		before, after := c.BayesVulnerability(p)
		if f, _ := factor.Float64(); !(after <= before*f*(1+1e-12)) || !(before <= after*(1+1e-12)) {
			t.Fatalf("vulnerability %v then %v, factor %v", before, after, f)
		}
		limit, reached := Cap(p, factor), c.largestPosterior(p)
		for x := range n {
			want := new(big.Rat)
			for y := range m {
				q, own := new(big.Rat), new(big.Rat)
				for k := range n {
					for i, z := range row[k].Output {
						if int(z) == y {
							v := new(big.Rat).Mul(big.NewRat(count[k], 1), big.NewRat(row[k].Weight[i], row[k].Total))
							q.Add(q, v)
							if k == x {
								own = v
							}
						}
					}
				}
				if q.Sign() > 0 {
					if v := own.Quo(own, q); v.Cmp(want) > 0 {
						want = v
					}
				}
			}
			if reached[x].Cmp(want) != 0 || want.Cmp(limit[x]) > 0 {
				t.Fatalf("largest posterior %v, want %v, at most %v", reached[x], want, limit[x])
			}
		}
	}
}

// SO, Proposition 6: at this epsilon the local bound is the one inverted.
func TestLocalDifferentialPrivacy(t *testing.T) {
	c, err := New(2, []Row{WeightedRow([]uint16{0, 1}, []int64{3, 1}), WeightedRow([]uint16{0, 1}, []int64{1, 3})})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "local differential privacy", c.LocalDifferentialPrivacy(), math.Log(3))
	near(t, "mutual information", c.MutualInformation(newPrior(t, 1, 1)), .75*math.Log(1.5)+.25*math.Log(.5))
	near(t, "maximal leakage", c.maximalLeakage(newPrior(t, 1, 1)), math.Log(1.5))
	near(t, "maximal leakage of one letter", c.maximalLeakage(newPrior(t, 1, 0)), 0)
}

// maximalLeakage is log sum_y max_x p_xy over letters with records, in nats:
// an average over outputs, at most the pointwise leakage
// [Issa, Wagner and Kamath 2020, Theorem 1].
func (m *Mechanism) maximalLeakage(p Prior) float64 {
	most := make([]float64, m.outputs)
	for x, r := range m.row {
		if p.Count(x) == 0 {
			continue
		}
		for i, y := range r.Output {
			most[y] = max(most[y], float64(r.At(i))/float64(r.Total))
		}
	}
	var sum Sum
	for _, v := range most {
		sum.Add(v)
	}
	return math.Log(max(1, sum.Value()))
}

// largestPosterior is max_y P_x p_xy / q_y for every letter, exactly: the most
// that the Cap is used. It is nil where p has no records.
func (m *Mechanism) largestPosterior(p Prior) []*big.Rat {
	if p.Total() == 0 {
		return nil
	}
	col := m.columns(p)
	most := make([]*big.Rat, len(m.row))
	for x, r := range m.row {
		most[x] = new(big.Rat)
		if p.Count(x) == 0 {
			continue
		}
		// Floats pick the candidates, each ratio within a few units of its
		// exact value; fractions decide among them.
		best := 0.0
		v := make([]float64, len(r.Output))
		for i, y := range r.Output {
			v[i] = float64(r.At(i)) / col[y].mean
			best = max(best, v[i])
		}
		for i, y := range r.Output {
			if v[i] < best*(1-1e-12) {
				continue
			}
			k := &col[y]
			top := new(big.Int).Mul(big.NewInt(p.Count(x)), big.NewInt(r.At(i)))
			top.Mul(top, k.den)
			f := new(big.Rat).SetFrac(top, new(big.Int).Mul(k.num, big.NewInt(r.Total)))
			if f.Cmp(most[x]) > 0 {
				most[x] = f
			}
		}
	}
	return most
}

// LocalDifferentialPrivacy is max_y log (max_x p_xy / min_x p_xy) over all
// letters, with records or without; +Inf as soon as one letter cannot give an
// output that another can.
func (m *Mechanism) LocalDifferentialPrivacy() float64 {
	least, most := make([]float64, m.outputs), make([]float64, m.outputs)
	givers := make([]int, m.outputs)
	for _, b := range m.block {
		r := b.Row
		for i, y := range r.Output {
			v := float64(r.At(i)) / float64(r.Total)
			if givers[y] == 0 || v < least[y] {
				least[y] = v
			}
			most[y] = max(most[y], v)
			givers[y] += len(b.Letters)
		}
	}
	eps := 0.0
	for y, k := range givers {
		if k > 0 && k < len(m.row) {
			return math.Inf(1)
		}
		if k > 0 {
			eps = max(eps, math.Log(most[y]/least[y]))
		}
	}
	return eps
}
