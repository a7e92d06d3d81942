package mechanism

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// An invariant keeps a record's value with some chance, and else draws one in
// proportion to the shares of those that have an output; a value without an output
// is always drawn.
type invariant struct {
	v      *document.View
	of     []int // by value: its output, -1 for none
	drawn  []float64
	least  int64 // records of the rarest value with an output
	served int64 // and of all of them
}

// invariants are what a report says of those: one with the mean of the release and
// one that leaks epsilon.
func invariants(v *document.View, t exact.Target) (want []Figures) {
	if v.Plan.Prior != nil {
		return nil
	}
	r := &invariant{v: v, of: tableOf(v).of, drawn: make([]float64, len(v.Plan.Outputs))}
	for x, y := range r.of {
		if n := v.Count[x]; y >= 0 && n > 0 {
			if r.served += n; r.least == 0 || n < r.least {
				r.least = n
			}
		}
	}
	for x, y := range r.of {
		if y >= 0 && r.served > 0 {
			r.drawn[y] = float64(v.Count[x]) / float64(r.served)
		}
	}
	add := func(keep float64, tuned bool, by float64) {
		factor := 1.0
		if r.least > 0 {
			factor = keep*float64(r.served)/float64(r.least) + 1 - keep
		}
		worst, mean, size := r.at(keep)
		if math.IsInf(worst, 0) || math.IsNaN(mean) {
			return
		}
		nats := math.Log(factor)
		want = append(want, Figures{"kind": "invariant PRAM", "tuned": tuned, "nats": within(nats, by*(1+nats)),
			"worst": worst, "expected": within(mean, near*(size+math.Abs(mean-worst))),
			"shift": within(float64(v.Total-r.served)/float64(v.Total), near)})
	}
	_, none, size := r.at(0)
	_, all, _ := r.at(1)
	mean := v.Report.Float("utility.expected")
	list := v.Report.List("baselines")
	at := slices.IndexFunc(list, func(b Node) bool { return b.Text("kind") == "invariant PRAM" && !b.Bool("tuned") })
	// Where means are equal but for the last bits, either side of them will do.
	either := func(one, other float64) float64 {
		if worst, _, _ := r.at(one); at >= 0 && list[at].Float("worst") != worst {
			return other
		}
		return one
	}
	switch {
	case exact.Near(mean, none, size):
		add(either(0, math.SmallestNonzeroFloat64), false, near)
	case none > mean:
		add(0, false, near)
	case exact.Near(mean, all, size):
		if at >= 0 {
			add(either(1, math.Nextafter(1, 0)), false, near)
		}
	case all > mean:
		keep, by := 1.0, near
		if !math.IsInf(none, -1) {
			keep, by = (mean-none)/(all-none), near*(1+size/(all-none))
		}
		add(keep, false, by)
	}
	keep := 1.0
	if r.least > 0 {
		if top := big.NewRat(r.served, r.least); !t.Admits(top) {
			f, _ := top.Float64()
			keep = math.Expm1(natsOf(t)) / (f - 1)
		}
	}
	add(keep, true, near)
	return want
}

// at is the worst and the mean utility where values are kept with a chance, and the
// size of its terms.
func (r *invariant) at(keep float64) (worst, mean, size float64) {
	worst = math.Inf(1)
	for x, y := range r.of {
		values, share := r.v.Order.Row(x), float64(r.v.Count[x])/float64(r.v.Total)
		stays := 0.0
		if y >= 0 {
			stays = keep
		}
		if stays > 0 {
			worst = min(worst, values[y])
		}
		for z, u := range values {
			chance := (1 - stays) * r.drawn[z]
			if z == y {
				chance += stays
			}
			if chance > 0 && share > 0 {
				mean += share * chance * u
				size += share * chance * math.Abs(u)
			}
			if stays < 1 && r.drawn[z] > 0 {
				worst = min(worst, u)
			}
		}
	}
	return worst, mean, size
}

// roughShift is how far shares are off by a law in floats.
func roughShift(v *document.View, chance func(x, y int) float64) float64 {
	records := v.Sample()
	n := float64(max(1, exact.Sum(records)))
	off := 0.0
	for y, x := range tableOf(v).called {
		var gain compensated
		if x >= 0 {
			gain.add(-float64(records[x]) / n)
		}
		for x, c := range records {
			if c > 0 {
				gain.add(float64(c) / n * chance(x, y))
			}
		}
		off += max(0, gain.value())
	}
	return off
}
