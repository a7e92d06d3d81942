package mechanism

import (
	"math"
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
		count, rank := make([]int64, n), make([][]float64, n)
		for x := range rank {
			count[x] = 1 + rng.Int64N(100)
			for _, r := range rng.Perm(m) {
				rank[x] = append(rank[x], float64(r+1))
			}
		}
		p := newPrior(t, count...)
		o, err := NewMatrix(rank)
		must(t, err)
		h := 1 + rng.IntN(m)
		s, err := Safe(p, o, RankFloor(h))
		must(t, err)
		support := SupportOf(o, RankFloor(h))
		k := float64(m - h + 1)
		information, after := 0.0, 0.0
		law := s.OutputLaw(p)
		for y, mass := range support.Mass(p) {
			share := float64(mass) / float64(p.Total())
			near(t, "q_y", law[y], share/k)
			most := int64(0)
			for x := range n {
				if support.Allowed(x, y) {
					most = max(most, p.Count(x))
				}
			}
			if mass > 0 {
				information -= share / k * math.Log(share)
			}
			after += float64(most) / float64(p.Total()) / k
		}
		near(t, "mutual information", s.MutualInformation(p), information)
		before, got := s.BayesVulnerability(p)
		_, most := p.Most()
		near(t, "prior vulnerability", before, float64(most)/float64(p.Total()))
		near(t, "posterior vulnerability", got, after)
	}
}
