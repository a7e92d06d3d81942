package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// A planPopulation is what the plan decides of the population.
type planPopulation struct {
	Delta   string   `json:"delta"`
	Rules   []string `json:"rules"`
	Sets    int      `json:"sets"`
	Letters int      `json:"letters"`
	Domain  string   `json:"domain"`
	Design  string   `json:"design_factor"`
}

// A populationClaim is what the report says of it.
type populationClaim struct {
	Delta   string      `json:"delta"`
	Bounded bool        `json:"bounded"`
	Rule    string      `json:"rule"`
	Nats    float64     `json:"nats"`
	Records int64       `json:"records"`
	Sets    int         `json:"sets"`
	Letters int         `json:"letters"`
	Domain  string      `json:"domain"`
	Rules   []ruleClaim `json:"rules"`
	Design  string      `json:"design_factor"`
	If      []string    `json:"conditions"`
	Strata  []struct {
		Records int64       `json:"records"`
		Bounded bool        `json:"bounded"`
		Rule    string      `json:"rule"`
		Nats    float64     `json:"nats"`
		Rules   []ruleClaim `json:"rules"`
	} `json:"strata"`
}

type ruleClaim struct {
	Rule    string       `json:"rule"`
	Delta   float64      `json:"delta"`
	Bounded bool         `json:"bounded"`
	Nats    float64      `json:"nats"`
	Output  *cells.Label `json:"output"`
	Radius  float64      `json:"radius"`
	Records int64        `json:"records"`
}

// checkPopulation recomputes every bound for the population.
func (v *verifier) checkPopulation(f *files) {
	const name = "population"
	r, p := v.report.Population, v.plan.Population
	switch {
	case r == nil && (p == nil || v.empty() || v.total == 0):
		return
	case r == nil:
		v.add(name, false, "the plan claims something of the population, and the report does not")
		return
	case v.strata != nil && v.order != nil:
		v.checkStrataPopulation()
		return
	case v.rows == nil || v.order == nil || len(v.count) != len(v.plan.Inputs):
		v.skip(name, "the order or the rows are not known")
		return
	}
	var w wrong
	delta, err := strconv.ParseFloat(r.Delta, 64)
	if err != nil || !(delta > 0 && delta < 1) {
		w.addf("delta is no probability")
	}
	sample := v.sample()
	w.match(r.Records == sum(sample), "the number of records")
	v.claimMatches(&w)
	best, at := math.Inf(1), ""
	skipped := false
	total := 0.0
	for i, c := range r.Rules {
		total += c.Delta
		if slices.ContainsFunc(r.Rules[:i], func(b ruleClaim) bool { return b.Rule == c.Rule }) {
			w.addf("the rule %s stands twice", c.Rule)
		}
		checked := v.checkRule(&w, c, sample, f)
		skipped = skipped || !checked
		if c.Bounded && c.Nats < best {
			best, at = c.Nats, c.Rule
		}
	}
	if !(total <= delta*(1+1e-12)) {
		w.addf("the rules share more than delta")
	}
	w.match(r.Bounded == (at != "") && r.Rule == at && (at == "" && r.Nats == 0 || r.Nats == best), "the least bound")
	if r.Design != "" {
		t, ok := parseTarget(v.plan.Epsilon.Target)
		if d, known := fraction(r.Design); !known || v.most == nil || v.most.Cmp(d) > 0 {
			w.addf("the factor reached is above the one designed for")
		}
		if !ok || !r.Bounded || r.Nats > t.float() {
			w.addf("epsilon for the population is above the target")
		}
	}
	if skipped && len(w) == 0 {
		v.skip(name, "no input: the rule \"split\" needs its records")
		return
	}
	v.settle(name, w, "%s", either(r.Bounded, "with probability 1 - "+r.Delta+" epsilon for the population is at most "+strconv.FormatFloat(r.Nats, 'g', 6, 64)+", by rule "+strconv.Quote(r.Rule), "nothing can be said"))
}

// claimMatches holds the report to the plan, and both to the order.
func (v *verifier) claimMatches(w *wrong) {
	r, p := v.report.Population, v.plan.Population
	if asked := v.report.option("confidence"); asked != "" && asked != r.Delta {
		w.addf("delta is not what was asked for")
	}
	if v.report.Command != "apply" && p == nil {
		w.addf("the plan does not have the claim")
	}
	var rules []string
	for _, c := range r.Rules {
		if c.Rule != "split" {
			rules = append(rules, c.Rule)
		}
	}
	if p != nil && p.Delta == r.Delta {
		sets := p.Sets
		if !slices.Contains(rules, "sets") {
			sets = 0
		}
		w.match(slices.Equal(p.Rules, rules) && r.Letters == p.Letters && r.Domain == p.Domain && r.Design == p.Design && r.Sets == sets, "the claim of the population, which the plan has otherwise,")
	}
	if r.Letters < len(v.plan.Inputs)-v.adopted() {
		w.addf("the law is over fewer letters than the plan has")
	}
	if slices.Contains(rules, "sets") && r.Sets < v.setsOf() {
		w.addf("the order has more sets than the report counts")
	}
}

// setsOf counts the sets S_y of the order that a design might have used: of one
// floor where that was fixed and the design does not choose another.
func (v *verifier) setsOf() int {
	n, m := len(v.plan.Inputs), len(v.plan.Outputs)
	kind := v.plan.Mechanism.Kind
	one := v.plan.Floor.Asked != "best" && (kind == "flat" || kind == "optimal")
	if asked := v.report.option("design"); asked != "" && asked != kind {
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
				if v.allow.has(x, y) {
					s = with(s, x)
				}
			}
			seen[s] = true
		}
	} else {
		level := make([][]float64, m)
		for x := range n {
			values, rank := v.order.row(x), v.order.ranks(x)
			for y, u := range values {
				l := u
				if v.plan.Floor.By != "value" && !math.IsInf(u, -1) {
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
