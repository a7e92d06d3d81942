package estimate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

func prior(t testing.TB, records ...int64) mechanism.Prior {
	t.Helper()
	p, err := mechanism.NewPrior(records)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func outlook(t testing.TB, m *mechanism.Mechanism, records ...int64) *Outlook {
	t.Helper()
	o, err := NewOutlook([]*Channel{NewChannel(m)}, []mechanism.Prior{prior(t, records...)})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func forecast(t testing.TB, o *Outlook, limit float64, sets ...Set) []Forecast {
	t.Helper()
	all, err := o.Forecast(sets, .95, limit)
	if err != nil {
		t.Fatal(err)
	}
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
// figures are means and deviations over these, and what is simulated occurs as often as
// its chance says. Letters have more records than outputs, and fewer.
func TestForecastOfAllReleases(t *testing.T) {
	m := weighted(t, []int64{5, 2, 1, 0}, []int64{1, 6, 0, 0}, []int64{1, 1, 7, 2})
	records, n := []int64{2, 7, 3}, 12.
	all := releases(m, records)
	const limit, repeats = .04, 20000
	sets := []Set{{[]int{0}, []int{0}}, {[]int{1}, []int{1}}, {[]int{2}, []int{2}},
		{[]int{0, 2}, []int{0, 2, 3}}, {nil, []int{3}}}
	o := outlook(t, m, records...)
	got := forecast(t, o, limit, sets...)
	if err := o.Repeat(t.Context(), sets, got, .95, limit, repeats, 3); err != nil {
		t.Fatal(err)
	}
	z := width(.95)
	for i, set := range sets {
		f := &got[i]
		var plain, square, estimate, estimates, plainCovers, covers float64
		for _, r := range all {
			q, e, v := among(r.count, set.Outputs)/n, 0., 0.
			for y, k := range r.count {
				e += f.weights[0][y] * k / n
				v += f.weights[0][y] * f.weights[0][y] * k / n
			}
			plain, square = plain+r.chance*q, square+r.chance*q*q
			estimate, estimates = estimate+r.chance*e, estimates+r.chance*e*e
			if math.Abs(q-f.Share) <= limit+z*math.Sqrt(q*(1-q)/n)+1e-9 {
				plainCovers += r.chance
			}
			if math.Abs(e-f.Share) <= z*math.Sqrt(max(0, v-e)/n)+1e-9 {
				covers += r.chance
			}
		}
		near(t, "published share", f.Counted, plain, 1e-12)
		near(t, "bias", f.Bias(), plain-shareOf(records, set.Letters), 1e-12)
		near(t, "error of the plain count", f.Error, math.Sqrt(max(0, square-plain*plain)), 1e-9)
		near(t, "mean estimate", estimate, shareOf(records, set.Letters), 1e-9)
		near(t, "width", f.Width, 2*z*math.Sqrt(max(0, estimates-estimate*estimate)), 1e-7)
		near(t, "coverage of the plain count", f.PlainCovers, plainCovers, 6*math.Sqrt(.25/repeats))
		near(t, "coverage of the estimate", f.Covers, covers, 6*math.Sqrt(.25/repeats))
	}
}

// TestRepeatEnds: an end of the context ends simulation.
func TestRepeatEnds(t *testing.T) {
	o := outlook(t, keeping(t, 4, 4, rand.New(rand.NewPCG(1, 2))), 5, 4, 3, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.Repeat(ctx, nil, nil, .95, 0, 1000, 1); err == nil {
		t.Error("it goes on")
	}
}

// TestForecastOfStrata: a file cut in two parts of one square mechanism has the forecasts
// of the whole; with mechanisms of their own its intervals cover as often as they say, and
// what one part does not tell is not told of the whole.
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
		if err != nil {
			t.Fatal(err)
		}
		got := forecast(t, o, .01, sets...)
		if err := o.Repeat(t.Context(), sets, got, .95, .01, 4000, 5); err != nil {
			t.Fatal(err)
		}
		return got
	}
	for i, f := range cut(m, m, m) {
		near(t, "share", f.Share, whole[i].Share, 1e-12)
		near(t, "published", f.Counted, whole[i].Counted, 1e-12)
		near(t, "error", f.Error, whole[i].Error, 1e-12)
		near(t, "plain interval", f.Plain, whole[i].Plain, 1e-12)
		near(t, "width", f.Width, whole[i].Width, 1e-9)
	}
	other := weighted(t, []int64{5, 5, 0}, []int64{0, 6, 4}, []int64{2, 0, 8})
	for _, f := range cut(m, m, other) {
		near(t, "coverage", f.Covers, .95, 6*math.Sqrt(.95*.05/4000))
	}
	blunt := weighted(t, []int64{1, 1, 0}, []int64{1, 1, 0}, []int64{0, 0, 1})
	if f := cut(m, m, blunt)[0]; f.Told || f.Covers != 0 || f.Width != 0 {
		t.Errorf("a value that a stratum does not tell has an estimate: %+v", f)
	}
}
