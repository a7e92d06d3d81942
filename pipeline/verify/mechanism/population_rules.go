package mechanism

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// slackNats is how far a bound may be above what is recomputed, and tailSlack
// the relative error of a tail that is added up from logarithms.
const (
	slackNats = 1e-7
	tailSlack = 1e-4
)

// A given is the letters that may give an output, and how often each does.
type given struct {
	output int
	letter []int
	chance []float64
	total  int64 // records of the letters
}

// checkRule recomputes one bound; false where that needs a file that is not
// there.
func checkRule(v *document.View, w *document.Faults, r *populationClaim, c ruleClaim, sample []int64,
	f *document.Files) bool {
	if c.Bounded && (!(c.Nats >= 0) || math.IsInf(c.Nats, 0)) || !c.Bounded && c.Nats != 0 {
		w.Addf("the bound by %s is no leakage", c.Rule)
		return true
	}
	used := []given{}
	columns := make([]given, len(v.Plan.Outputs))
	for x, r := range v.Rows {
		for i, y := range r.Output {
			g := &columns[y]
			g.letter, g.chance = append(g.letter, x), append(g.chance, float64(r.Weight[i])/float64(r.Total))
			g.total += sample[x]
		}
	}
	for y, g := range columns {
		if len(g.letter) > 0 {
			g.output = y
			used = append(used, g)
		}
	}
	w.Match(c.Output.there == (len(used) > 0), "the output that decides the bound by "+c.Rule)
	switch c.Rule {
	case "letters":
		checkLetterBounds(v, w, r, c, used, sample)
	case "split":
		if f.In == nil || v.Pairs == nil {
			return false
		}
		if !v.Blind() && slices.Equal(v.Pairs.In, sample) {
			w.Addf("the plan was made from these records, and the rule split needs others")
		}
		checkSplit(v, w, c, used, v.Pairs.In)
	default:
		w.Addf("the rule %q is not known", c.Rule)
	}
	return true
}

// upperTail is log P(K >= hits) for K of n draws with chance l each, 0 where
// that is not below the mean.
func upperTail(hits, n int64, l float64) float64 {
	if l >= 1 || float64(hits) <= float64(n)*l {
		return 0
	}
	if l <= 0 {
		return math.Inf(-1)
	}
	choose := func(k int64) float64 {
		a, _ := math.Lgamma(float64(n) + 1)
		b, _ := math.Lgamma(float64(k) + 1)
		c, _ := math.Lgamma(float64(n-k) + 1)
		return a - b - c
	}
	first := choose(hits) + float64(hits)*math.Log(l) + float64(n-hits)*math.Log1p(-l)
	term, total := 1.0, 1.0
	for k := hits; k < n && term > 1e-18*total; k++ {
		term *= float64(n-k) / float64(k+1) * l / (1 - l)
		total += term
	}
	return first + math.Log(total)
}

// checkLetterBounds inverts the tail of every letter by bisection, and adds the
// lower bounds up.
func checkLetterBounds(v *document.View, w *document.Faults, r *populationClaim, c ruleClaim, used []given,
	sample []int64) {
	n, rest := exact.Sum(sample), 1.0
	share := math.Log(c.Delta / float64(max(1, r.Letters)))
	bound := make([]float64, len(sample))
	for x, k := range sample {
		if k == 0 {
			continue
		}
		low, high := 0.0, float64(k)/float64(n)
		for range 60 {
			if l := (low + high) / 2; upperTail(k, n, l) <= share {
				low = l
			} else {
				high = l
			}
		}
		bound[x] = low
		rest -= low
	}
	worst, named := 1.0, math.Inf(-1)
	for _, g := range used {
		law := 0.0
		for i, x := range g.letter {
			law += bound[x] * g.chance[i]
		}
		if len(g.letter) == len(v.Plan.Inputs) {
			law += max(0, rest) * slices.Min(g.chance)
		}
		own := slices.Max(g.chance) / law
		if worst = max(worst, own); c.Output.there && c.Output.Label == v.Plan.Outputs[g.output] {
			named = own
		}
	}
	w.Match(c.Bounded == !math.IsInf(worst, 1) && (!c.Bounded || math.Abs(c.Nats-math.Log(worst)) <= 1e-5),
		"the bound by values")
	decidedBy(w, c, named, worst)
}

// checkSplit holds the bound to kl(mean, e^-v) >= log(outputs/delta)/n.
func checkSplit(v *document.View, w *document.Faults, c ruleClaim, used []given, fresh []int64) {
	n := float64(exact.Sum(fresh))
	w.Match(c.Records == exact.Sum(fresh), "the records of the split")
	if n == 0 {
		w.Match(!c.Bounded, "the bound by the split")
		return
	}
	need := math.Log(float64(len(used))/c.Delta) / n
	worst, named := 0.0, math.Inf(-1)
	for _, g := range used {
		most, mean := slices.Max(g.chance), 0.0
		for i, x := range g.letter {
			mean += float64(fresh[x]) / n * (g.chance[i] / most)
		}
		own := 0.0 // of an output that tells nothing
		if len(g.letter) < len(v.Plan.Inputs) || slices.Min(g.chance) < most {
			own = -math.Log(below(min(1, mean), need))
		}
		if worst = max(worst, own); c.Output.there && c.Output.Label == v.Plan.Outputs[g.output] {
			named = own
		}
	}
	w.Match(c.Bounded == !math.IsInf(worst, 1) && (!c.Bounded || math.Abs(c.Nats-worst) <= slackNats),
		"the bound by the split")
	decidedBy(w, c, named, worst)
}

// decidedBy holds the output that is named, whose own bound is given, to the
// largest of all.
func decidedBy(w *document.Faults, c ruleClaim, named, worst float64) {
	w.Match(!c.Output.there || named >= worst*(1-1e-4), "the output that decides the bound by "+c.Rule)
}

// below is the L under mean with a log(a/L) + (1-a) log((1-a)/(1-L)) = need.
func below(mean, need float64) float64 {
	low, high := 0.0, mean
	for range 200 {
		l := (low + high) / 2
		d := mean * math.Log(mean/l)
		if mean < 1 {
			d += (1 - mean) * math.Log((1-mean)/(1-l))
		}
		if d > need || math.IsNaN(d) {
			low = l
		} else {
			high = l
		}
	}
	return low
}
