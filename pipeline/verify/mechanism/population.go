package mechanism

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A populationClaim is what the report says of it.
type populationClaim struct {
	Delta   string  `json:"delta"`
	Bounded bool    `json:"bounded"`
	Rule    string  `json:"rule,omitempty"`
	Nats    float64 `json:"nats,omitempty"`
	Records int64   `json:"records"`
	Sets    int     `json:"sets,omitempty"`
	Letters int     `json:"letters"`
	Domain  string  `json:"domain"`

	Rules  []ruleClaim  `json:"rules"`
	Design string       `json:"design_factor,omitempty"`
	Strata []boundClaim `json:"strata,omitempty"`
	If     []string     `json:"conditions"`
}

// A boundClaim is of a stratum.
type boundClaim struct {
	Records int64       `json:"records"`
	Bounded bool        `json:"bounded"`
	Rule    string      `json:"rule,omitempty"`
	Nats    float64     `json:"nats,omitempty"`
	Rules   []ruleClaim `json:"rules"`
}

// A ruleClaim is what one rule bounds epsilon by.
type ruleClaim struct {
	Rule    string  `json:"rule"`
	Delta   float64 `json:"delta"`
	Bounded bool    `json:"bounded"`
	Nats    float64 `json:"nats,omitempty"`
	Output  decider `json:"output,omitzero"`
	Radius  float64 `json:"radius,omitempty"`
	Records int64   `json:"records,omitempty"`
}

// A decider is the output that decides a bound, which may be null.
type decider struct {
	files.Label
	there bool
}

// UnmarshalJSON reads a label.
func (d *decider) UnmarshalJSON(data []byte) error {
	d.there = true
	return d.Label.UnmarshalJSON(data)
}

// CheckPopulation recomputes every bound for the population: of strata that of
// each, from its own records.
func CheckPopulation(v *document.View, f *document.Files) {
	const name = "population"
	p, stated := v.Plan.Population, v.Report.Has(name)
	switch {
	case !stated && (p == nil || v.Empty() || v.Total == 0):
		return
	case !stated:
		v.Add(name, false, "the plan claims something of the population, and the report does not")
		return
	case v.Order == nil || v.Rows == nil && v.Strata == nil || len(v.Count) != len(v.Plan.Inputs):
		v.Leave(name, "the order or the rows are not known", name)
		return
	}
	var w document.Faults
	r := &populationClaim{}
	v.Report.Into(name, r)
	v.Expect(&w, Figures{name: Rule(func(n Node) bool { return document.Written(n, r) })})
	delta, err := strconv.ParseFloat(r.Delta, 64)
	if err != nil || !(delta > 0 && delta < 1) {
		w.Addf("delta is no probability")
	}
	claimMatches(v, &w, r)
	skipped, total := false, 0.0
	if v.Strata == nil {
		w.Match(r.Records == exact.Sum(v.Sample()) && r.Strata == nil, "the number of records")
		for _, c := range r.Rules {
			total += c.Delta
			skipped = !checkRule(v, &w, r, c, v.Sample(), f) || skipped
		}
		leastOf(&w, r.Rules, boundClaim{Bounded: r.Bounded, Rule: r.Rule, Nats: r.Nats})
	} else {
		total = checkStrataPopulation(v, &w, r)
	}
	if !(total <= delta*(1+1e-12)) {
		w.Addf("the rules share more than delta")
	}
	if r.Design != "" {
		t, ok := exact.ParseTarget(v.Plan.Epsilon.Target)
		if d, known := exact.Fraction(r.Design); !known || v.Most == nil || v.Most.Cmp(d) > 0 {
			w.Addf("the factor reached is above the one designed for")
		}
		if !ok || !r.Bounded || r.Nats > t.Float() {
			w.Addf("epsilon for the population is above the target")
		}
	}
	if skipped && len(w) == 0 {
		v.Skip(name, "no input: the rule \"split\" needs its records")
		return
	}
	whose := fmt.Sprintf("the population is at most %.6g, by rule %q", r.Nats, r.Rule)
	if v.Strata != nil {
		whose = fmt.Sprintf("the population of every stratum is at most %.6g", r.Nats)
	}
	v.Settle(name, w, "%s", document.Either(r.Bounded, "with probability 1 - "+r.Delta+" epsilon for "+whose,
		document.Either(v.Strata == nil, "nothing can be said", "nothing can be said of every stratum")))
}

// leastOf holds a bound to the least of its rules, none of which stands twice.
func leastOf(w *document.Faults, rules []ruleClaim, b boundClaim) {
	least, at, seen := math.Inf(1), "", map[string]bool{}
	for _, c := range rules {
		if seen[c.Rule] {
			w.Addf("the rule %q stands twice", c.Rule)
		}
		if seen[c.Rule] = true; c.Bounded && c.Nats < least {
			least, at = c.Nats, c.Rule
		}
	}
	w.Match(b.Bounded == (at != "") && b.Rule == at && (at == "" && b.Nats == 0 || b.Nats == least), "the least bound")
}

// claimMatches holds the report to the plan, and both to the order.
func claimMatches(v *document.View, w *document.Faults, r *populationClaim) {
	p := v.Plan.Population
	if asked := v.Report.Option("confidence"); asked != "" && asked != r.Delta {
		w.Addf("delta is not what was asked for")
	}
	if v.Report.Command != "apply" && p == nil {
		w.Addf("the plan does not have the claim")
	}
	rules := planned(r.Rules)
	if p != nil && p.Delta == r.Delta {
		sets := p.Sets
		if !slices.Contains(rules, "sets") {
			sets = 0
		}
		w.Match(slices.Equal(p.Rules, rules) && r.Letters == p.Letters && r.Domain == p.Domain && r.Design == p.Design &&
			r.Sets == sets, "the claim of the population, which the plan has otherwise,")
	}
	if r.Letters < len(v.Plan.Inputs)-v.Adopted() {
		w.Addf("the law is over fewer letters than the plan has")
	}
	if slices.Contains(rules, "sets") && r.Sets < setsOf(v) {
		w.Addf("the order has more sets than the report counts")
	}
}

// planned are the rules that a plan decides on.
func planned(rules []ruleClaim) (names []string) {
	for _, c := range rules {
		if c.Rule != "split" {
			names = append(names, c.Rule)
		}
	}
	return names
}

// setsOf counts the sets S_y of the order that a design might have used: of one
// floor where that was fixed and the design does not choose another.
func setsOf(v *document.View) int {
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	kind := v.Plan.Mechanism.Kind
	one := v.Plan.Floor.Asked != "best" && (kind == "flat" || kind == "optimal")
	if asked := v.Report.Option("design"); asked != "" && asked != kind {
		one = false
	}
	if n*m > 4<<20 {
		if one {
			return m
		}
		return n * m
	}
	type set [2]uint64
	with := func(s set, x int) set {
		h := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(x)))
		s[0] += binary.BigEndian.Uint64(h[:])
		s[1] += binary.BigEndian.Uint64(h[8:])
		return s
	}
	seen := map[set]bool{}
	if one {
		for y := range m {
			var s set
			for x := range n {
				if v.Allow.Has(x, y) {
					s = with(s, x)
				}
			}
			seen[s] = true
		}
	} else {
		level := make([][]float64, m)
		for x := range n {
			values, rank := v.Order.Row(x), v.Order.Ranks(x)
			for y, u := range values {
				l := u
				if v.Plan.Floor.By != "value" && !math.IsInf(u, -1) {
					l = float64(rank[y])
				}
				level[y] = append(level[y], l)
			}
		}
		for _, l := range level {
			letters := make([]int, n)
			for x := range letters {
				letters[x] = x
			}
			slices.SortFunc(letters, func(a, b int) int {
				if l[a] != l[b] {
					return int(min(1, max(-1, math.Copysign(1, l[b]-l[a]))))
				}
				return 0
			})
			var s set
			for i, x := range letters {
				if math.IsInf(l[x], -1) {
					break
				}
				if s = with(s, x); i+1 == n || l[letters[i+1]] != l[x] {
					seen[s] = true
				}
			}
		}
	}
	delete(seen, set{})
	return len(seen)
}

// checkStrataPopulation recomputes the bound of every stratum; the worst is that
// of all. total is the share of delta that they take.
func checkStrataPopulation(v *document.View, w *document.Faults, r *populationClaim) (total float64) {
	w.Match(r.Records == exact.Sum(v.Sample()), "the number of records")
	if r.Design != "" {
		w.Addf("a design for the population of strata is not known")
	}
	if len(r.Strata) != len(v.Strata) {
		w.Addf("there is not one bound for each group of strata")
		return 0
	}
	worst := &r.Strata[0]
	for i, g := range v.Strata {
		b, p := &r.Strata[i], v.Plan.Strata.Groups[i]
		if p.Rest && len(p.Names) > 0 {
			w.Addf("something is claimed of strata that were merged")
		}
		of := *v.Plan
		if of.Floor.At = float64(p.Rank); of.Floor.By == "value" {
			of.Floor.At = p.Value
		}
		one := document.View{Plan: &of, Report: v.Report, Rows: g.Rows}
		one.Allow = SupportOf(&one, v.Order)
		w.Match(b.Records == exact.Sum(g.Sample), "the records of a stratum")
		for _, c := range b.Rules {
			if total += c.Delta; c.Rule == "split" {
				w.Addf("the rule %q is none for a stratum", c.Rule)
				continue
			}
			checkRule(&one, w, r, c, g.Sample, nil)
		}
		if q := v.Plan.Population; q != nil && q.Delta == r.Delta {
			w.Match(slices.Equal(q.Rules, planned(b.Rules)), "the rules of a stratum")
		}
		leastOf(w, b.Rules, *b)
		if worst.Bounded && (!b.Bounded || b.Nats > worst.Nats) {
			worst = b
		}
	}
	w.Match(r.Bounded == worst.Bounded && r.Rule == worst.Rule && r.Nats == worst.Nats &&
		reflect.DeepEqual(r.Rules, worst.Rules), "the bound of the worst stratum")
	return total
}

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
	allowed := make([]int, len(columns))
	for x := range v.Plan.Inputs {
		v.Allow.Each(x, func(y int) { allowed[y]++ })
	}
	// sets are of all letters that the floor leaves an output, or they are none that the order fixed
	fixed := !slices.ContainsFunc(used, func(g given) bool { return len(g.letter) != allowed[g.output] })
	w.Match(c.Output.there == (len(used) > 0 && (fixed || c.Rule != "sets")),
		"the output that decides the bound by "+c.Rule)
	switch c.Rule {
	case "sets":
		if v.Plan.Other != nil {
			w.Addf("the sets depend on the records, which say what letters were merged: the rule sets bounds nothing")
		}
		w.Match(fixed || !c.Bounded, "a bound by sets that are not those of the order, which")
		checkSets(v, w, r, c, used, exact.Sum(sample))
	case "ball":
		checkBall(v, w, r, c, used, sample)
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

// checkSets inverts the bound of Clopper and Pearson: at L = (most/least) e^-v
// the chance of as many records in the set is at most delta/sets, and a little
// above L it is more for the set that decides.
func checkSets(v *document.View, w *document.Faults, r *populationClaim, c ruleClaim, used []given, n int64) {
	if !c.Bounded {
		return
	}
	share := math.Log(c.Delta / float64(max(1, r.Sets)))
	tight := c.Nats <= slackNats
	named := !c.Output.there || tight
	for _, g := range used {
		decides := c.Output.there && c.Output.Label == v.Plan.Outputs[g.output]
		ratio := slices.Max(g.chance) / slices.Min(g.chance)
		l := ratio * math.Exp(-c.Nats)
		if len(g.letter) == len(v.Plan.Inputs) {
			if l > 1+slackNats {
				w.Addf("the bound by sets is below what a column that all letters give leaks")
			}
			tight = tight || l >= 1-slackNats
			named = named || decides && l >= 1-slackNats
			continue
		}
		if g.total == 0 || !(upperTail(g.total, n, l*(1-slackNats)) <= share+tailSlack) {
			w.Addf("the bound by sets is below that of Clopper and Pearson")
		}
		reaches := upperTail(g.total, n, l*(1+1e-4)) >= share-tailSlack
		tight, named = tight || reaches, named || decides && reaches
	}
	w.Match(tight, "the bound by sets")
	w.Match(named, "the output that decides the bound by sets")
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

// checkBall recomputes the worst law within the distance.
func checkBall(v *document.View, w *document.Faults, r *populationClaim, c ruleClaim, used []given, sample []int64) {
	n, letters := float64(exact.Sum(sample)), float64(r.Letters)
	radius := 0.0
	if letters > 1 {
		// log(2^N - 2), N letters.
		power := letters*math.Ln2 + math.Log1p(-math.Exp2(1-letters))
		radius = min(2, math.Sqrt(2*(power-math.Log(c.Delta))/n))
	}
	w.Match(exact.Near(c.Radius, radius, 0), "the distance of the ball")
	worst, named := 1.0, math.Inf(-1)
	for _, g := range used {
		at := make([]int, len(g.letter))
		for i := range at {
			at[i] = i
		}
		slices.SortFunc(at, func(i, j int) int {
			if g.chance[i] != g.chance[j] {
				return int(math.Copysign(1, g.chance[j]-g.chance[i]))
			}
			return i - j
		})
		law, left := 0.0, radius/2
		for _, i := range at {
			mass := float64(sample[g.letter[i]]) / n
			moved := min(left, mass)
			left -= moved
			law += (mass - moved) * g.chance[i]
		}
		if len(g.letter) == len(v.Plan.Inputs) {
			law += (radius/2 - left) * g.chance[at[len(at)-1]]
		}
		own := g.chance[at[0]] / law
		if worst = max(worst, own); c.Output.there && c.Output.Label == v.Plan.Outputs[g.output] {
			named = own
		}
	}
	w.Match(c.Bounded == !math.IsInf(worst, 1) && (!c.Bounded || math.Abs(c.Nats-math.Log(worst)) <= slackNats),
		"the bound by the ball")
	decidedBy(w, c, named, worst)
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
		"the bound by letters")
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
