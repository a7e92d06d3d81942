package decide

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// TestStrataPopulationShares sums the chances of all samples of three equal
// strata. Of each sample the design lets the stratum tell its letter that seems
// to have most of it, so that the bound misses as soon as the largest of three
// counts is too large; and the chance of the letter is the largest at which the
// bound of one stratum misses with delta/6, half of its third for either letter.
// Together they miss in 1-(1-delta/6)^3 of the samples: a larger share of delta
// for each misses in more, a smaller one in less.
func TestStrataPopulationShares(t *testing.T) {
	const delta, strata, records, missed = .3, 3, 12, 6
	order, err := mechanism.NewMatrix([][]float64{{0, -1}, {-2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	labels := utility.Letters{Label: []string{"a", "b"}}
	chance := estimate.AtLeast(missed, records, delta/strata/2) * (1 - 1e-9)
	law := []float64{chance, 1 - chance}
	misses, all := 0.0, 0.0
	for sample := range (records + 1) * (records + 1) * (records + 1) {
		p := &plan.Plan{Inputs: labels, Outputs: labels, Order: order, Given: plan.Given{Column: "w"},
			Floor:      mechanism.ValueFloor(-2),
			Population: &plan.Population{Delta: "0.3", Rules: []string{byLetters}, Letters: 2, Domain: "declared"}}
		var hits []int
		for rest := sample; len(hits) < strata; rest /= records + 1 {
			hits = append(hits, rest%(records+1))
		}
		telling, likely, truth := slices.Index(hits, slices.Max(hits)), 1.0, 0.0
		for g, k := range hits {
			likely *= binomial(records, k, chance)
			prior, err := mechanism.NewPrior([]int64{int64(k), int64(records - k)})
			if err != nil {
				t.Fatal(err)
			}
			floor := -2.0 // a and b may become both
			if g == telling {
				floor = -1 // only a becomes the first
			}
			m, err := mechanism.Safe(prior, order, mechanism.ValueFloor(floor))
			if err != nil {
				t.Fatal(err)
			}
			p.Groups = append(p.Groups, plan.Group{Names: []report.Label{{Text: "w"}}, Prior: prior, Sample: prior, Mechanism: m,
				Rank: 1, Value: floor})
			truth = max(truth, leaksUnder(m, law))
		}
		if p.Prior, err = mechanism.NewPrior([]int64{int64(hits[0] + hits[1] + hits[2]),
			int64(strata*records - hits[0] - hits[1] - hits[2])}); err != nil {
			t.Fatal(err)
		}
		p.Sample = p.Prior
		all += likely
		if b := Populate(p, nil, ""); b.Bounded && truth > b.Nats {
			misses += likely
		}
	}
	if want := 1 - math.Pow(1-delta/strata/2, strata); !(math.Abs(all-1) <= 1e-12) || !(math.Abs(misses-want) <= 1e-6) {
		t.Errorf("the bound misses with %v of %v, not %v", misses, all, want)
	}
}

// binomial is the chance of k hits among n.
func binomial(n, k int, p float64) float64 {
	return float64(new(big.Int).Binomial(int64(n), int64(k)).Int64()) * math.Pow(p, float64(k)) * math.Pow(1-p,
		float64(n-k))
}

// leaksUnder is the leakage of m under a law.
func leaksUnder(m *mechanism.Mechanism, law []float64) float64 {
	most, mass := make([]float64, m.Outputs()), make([]float64, m.Outputs())
	for x := range m.Inputs() {
		r := m.Row(x)
		for i, y := range r.Output {
			v := float64(r.At(i)) / float64(r.Total)
			most[y] = max(most[y], v)
			mass[y] += law[x] * v
		}
	}
	worst := 0.0
	for y, v := range most {
		if v > 0 {
			worst = max(worst, math.Log(v/mass[y]))
		}
	}
	return worst
}
