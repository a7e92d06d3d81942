package estimate

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tacet-privacy/tacet/mechanism"
)

func prior(t testing.TB, records ...int64) mechanism.Prior {
	t.Helper()
	p, err := mechanism.NewPrior(records)
	must(t, err)
	return p
}

func outlook(t testing.TB, m *mechanism.Mechanism, records ...int64) *Outlook {
	t.Helper()
	o, err := NewOutlook([]*Channel{NewChannel(m)}, []mechanism.Prior{prior(t, records...)})
	must(t, err)
	return o
}

func forecast(t testing.TB, o *Outlook, limit float64, sets ...Set) []Forecast {
	t.Helper()
	all, err := o.Forecast(sets, .95, limit)
	must(t, err)
	return all
}

// A possible release, by its counts, and its chance.
type possible struct {
	count  []float64
	chance float64
}

// releases are all of a small file, record by record.
func releases(m *mechanism.Mechanism, records []int64) map[string]possible {
	all := map[string]possible{"": {make([]float64, m.Outputs()), 1}}
	for x, n := range records {
		row := m.Row(x)
		for range n {
			next := map[string]possible{}
			for _, before := range all {
				for i, y := range row.Output {
					after := append([]float64{}, before.count...)
					after[y]++
					key := fmt.Sprint(after)
					next[key] = possible{after, next[key].chance + before.chance*float64(row.At(i))/float64(row.Total)}
				}
			}
			all = next
		}
	}
	return all
}

// TestForecastOfAllReleases goes through every release of a file of twelve records: the
// figures are means and deviations over these. Letters have more records than outputs, and fewer.
func TestForecastOfAllReleases(t *testing.T) {
	m := weighted(t, []int64{5, 2, 1, 0}, []int64{1, 6, 0, 0}, []int64{1, 1, 7, 2})
	records, n := []int64{2, 7, 3}, 12.
	all := releases(m, records)
	const limit = .04
	sets := []Set{{[]int{0}, []int{0}}, {[]int{1}, []int{1}}, {[]int{2}, []int{2}},
		{[]int{0, 2}, []int{0, 2, 3}}, {nil, []int{3}}}
	o := outlook(t, m, records...)
	got := forecast(t, o, limit, sets...)
	z := width(.95)
	for i, set := range sets {
		f := &got[i]
		a, err := o.part[0].l.sums([][]int{set.Letters})
		must(t, err)
		var plain, square, estimate, estimates float64
		for _, r := range all {
			q, e := among(r.count, set.Outputs)/n, 0.
			for y, k := range r.count {
				e += a.At(y, 0) * k / n
			}
			plain, square = plain+r.chance*q, square+r.chance*q*q
			estimate, estimates = estimate+r.chance*e, estimates+r.chance*e*e
		}
		near(t, "published share", f.Counted, plain, 1e-12)
		near(t, "bias", f.Bias(), plain-shareOf(records, set.Letters), 1e-12)
		near(t, "error of the plain count", f.Error, math.Sqrt(max(0, square-plain*plain)), 1e-9)
		near(t, "mean estimate", estimate, shareOf(records, set.Letters), 1e-9)
		near(t, "width", f.Width, 2*z*math.Sqrt(max(0, estimates-estimate*estimate)), 1e-7)
	}
}

// TestForecastCovers: where all records hold one letter its output is binomial, and so the coverage of
// a plain count is a sum, which the normal law comes close to; without draws it is 0 or 1.
func TestForecastCovers(t *testing.T) {
	const n = 4000
	m := weighted(t, []int64{97, 3}, []int64{0, 1})
	set := Set{[]int{0}, []int{0}}
	for _, limit := range []float64{0, .02, .024, .04} {
		f, drawn, exact := forecast(t, outlook(t, m, n, 0), limit, set)[0], distuv.Binomial{N: n, P: .97}, 0.
		for k := range n + 1 {
			if q := float64(k) / n; 1-q <= limit+width(.95)*math.Sqrt(q*(1-q)/n) {
				exact += drawn.Prob(float64(k))
			}
		}
		near(t, fmt.Sprint("coverage within ", limit), f.Covers, exact, .02)
	}
	none := outlook(t, m, 0, n)
	if f := forecast(t, none, 0, Set{[]int{1}, []int{1}}, Set{[]int{1}, []int{0}}); f[0].Covers != 1 || f[1].Covers != 0 {
		t.Errorf("without draws the coverage is %v and %v", f[0].Covers, f[1].Covers)
	}
}

// TestForecastOfStrata: a file cut in two parts of one square mechanism has the forecasts
// of the whole; what one part does not tell is not told of the whole.
func TestForecastOfStrata(t *testing.T) {
	m := weighted(t, []int64{8, 1, 1}, []int64{1, 8, 1}, []int64{1, 2, 7})
	sets := []Set{{[]int{0}, []int{0}}, {[]int{1, 2}, []int{1, 2}}}
	whole := forecast(t, outlook(t, m, 500, 300, 200), .01, sets...)
	cut := func(laws ...*mechanism.Mechanism) []Forecast {
		var channels []*Channel
		for _, m := range laws {
			channels = append(channels, NewChannel(m))
		}
		o, err := NewOutlook(channels, []mechanism.Prior{prior(t, 400, 100, 50), prior(t, 0, 0, 0), prior(t, 100, 200, 150)})
		must(t, err)
		return forecast(t, o, .01, sets...)
	}
	for i, f := range cut(m, m, m) {
		near(t, "share", f.Share, whole[i].Share, 1e-12)
		near(t, "published", f.Counted, whole[i].Counted, 1e-12)
		near(t, "error", f.Error, whole[i].Error, 1e-12)
		near(t, "plain interval", f.Plain, whole[i].Plain, 1e-12)
		near(t, "width", f.Width, whole[i].Width, 1e-9)
	}
	blunt := weighted(t, []int64{1, 1, 0}, []int64{1, 1, 0}, []int64{0, 0, 1})
	if f := cut(m, m, blunt)[0]; f.Told || f.Width != 0 {
		t.Errorf("a value that a stratum does not tell has an estimate: %+v", f)
	}
}
