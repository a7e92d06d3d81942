package plan

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// How the strata of a plan are redrawn.
const (
	Shared = "shared" // by one mechanism, whose factor holds in every stratum
	Apart  = "apart"  // each by a mechanism of its own
)

// Strata is what was decided where the promise holds given a column: then
// Mechanism is nil, and every group of strata has one.
type Strata struct {
	Column    string
	Function  string // of the column; "" for the column itself
	GivenOnly bool   // epsilon is not kept for whoever does not know the stratum
	Least     int64  // records below which strata are merged; 0 where none was
	Rule      string // Shared or Apart
	Groups    []Group
	Tried     []Tried // of the rules, and of a design without strata
}

// A Group is what happens to the records of some strata.
type Group struct {
	Names     []report.Label // of the strata
	Rest      bool           // takes strata that the plan does not name
	Prior     mechanism.Prior
	Mechanism *mechanism.Mechanism // the same value where it is shared
	Leakage   mechanism.Leakage    // given that the stratum is in the group
	Rank      int                  // the worst that can occur
	Value     float64
	Expected  float64 // utility of its records
}

// Tried is a design that was weighed.
type Tried struct {
	Rule     string  // Shared, Apart, or "" for a design without strata
	Found    bool    // within epsilon
	Rank     int     // the worst that can occur
	Value    float64 // likewise
	Expected float64
}

// Known is the largest e^epsilon of any group, for whoever knows it, and the
// group.
func (s *Strata) Known() (group int, factor *big.Rat) {
	group, factor = -1, big.NewRat(1, 1)
	for i := range s.Groups {
		if _, f := s.Groups[i].Leakage.Max(); group < 0 || f.Cmp(factor) > 0 {
			group, factor = i, f
		}
	}
	return group, factor
}

// Of is the group of a stratum: that which names it, else the rest, else -1.
func (s *Strata) Of() func(report.Label) int32 {
	place, rest := map[report.Label]int32{}, int32(-1)
	for i, g := range s.Groups {
		for _, n := range g.Names {
			place[n] = int32(i)
		}
		if g.Rest {
			rest = int32(i)
		}
	}
	return func(l report.Label) int32 {
		if i, ok := place[l]; ok {
			return i
		}
		return rest
	}
}

// Laws are the different mechanisms, and which of them each group has.
func (s *Strata) Laws() (laws []*mechanism.Mechanism, of []int) {
	for _, g := range s.Groups {
		i := slices.Index(laws, g.Mechanism)
		if i < 0 {
			i = len(laws)
			laws = append(laws, g.Mechanism)
		}
		of = append(of, i)
	}
	return laws, of
}

// Merged is the number of strata that share a group with others, or would
// with strata that the plan does not name: nothing holds for whoever knows one
// of them. There is one such group at most.
func (s *Strata) Merged() int {
	for _, g := range s.Groups {
		if g.Rest {
			return len(g.Names)
		}
	}
	return 0
}

// Open reports whether strata that are not named have a mechanism, too.
func (s *Strata) Open() bool {
	return slices.ContainsFunc(s.Groups, func(g Group) bool { return g.Rest })
}

// Parts are the groups as the mathematics has them.
func (s *Strata) Parts() (part []mechanism.Part) {
	for _, g := range s.Groups {
		part = append(part, mechanism.Part{Mechanism: g.Mechanism, Prior: g.Prior, Leakage: g.Leakage})
	}
	return part
}

// PartsOf are the groups with the records of another file.
func (s *Strata) PartsOf(prior []mechanism.Prior) []mechanism.Part {
	part := s.Parts()
	for i := range part {
		part[i].Prior, part[i].Leakage = prior[i], part[i].Mechanism.Leakage(prior[i])
	}
	return part
}

// Reached is e^epsilon of the groups with any records: the larger of that for
// whoever knows the group and, unless epsilon is kept given the stratum only,
// that for whoever does not.
func (s *Strata) Reached(part []mechanism.Part) *big.Rat {
	most := big.NewRat(1, 1)
	if !s.GivenOnly {
		_, most = mechanism.MixedLeakage(part).Max()
	}
	for _, p := range part {
		if _, f := p.Leakage.Max(); f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}

// Mixed is the leakage of the outputs for an observer who does not know the
// stratum.
func (s *Strata) Mixed() mechanism.Leakage { return mechanism.MixedLeakage(s.Parts()) }

// Given is the plan for the records of a group, as if there were no others.
func (p *Plan) Given(group int) *Plan {
	g := &p.Strata.Groups[group]
	q := *p
	q.Strata, q.Prior, q.Mechanism, q.Leakage = nil, g.Prior, g.Mechanism, g.Leakage
	q.Rank, q.Value, q.Expected = g.Rank, g.Value, g.Expected
	return &q
}

// verifyStrata recomputes what the plan claims of every group.
func (p *Plan) verifyStrata(claim report.Epsilon) error {
	s := p.Strata
	if len(s.Groups) == 0 {
		return fmt.Errorf("it names strata and has none")
	}
	sum, rest := make([]int64, p.Inputs.Len()), 0
	seen := map[report.Label]bool{}
	for i := range s.Groups {
		g := &s.Groups[i]
		for x, c := range g.Prior.Counts() {
			sum[x] += c
		}
		for _, n := range g.Names {
			if seen[n] {
				return fmt.Errorf("a stratum is in two groups")
			}
			seen[n] = true
		}
		if g.Rest {
			rest++
		}
		leakage := g.Mechanism.Leakage(g.Prior)
		_, stated := g.Leakage.Max()
		_, factor := leakage.Max()
		if stated.Cmp(factor) != 0 {
			return fmt.Errorf("the rows of group %d do not have the factor it states", i+1)
		}
		g.Leakage = leakage
		if !p.Epsilon.Admits(factor) {
			return fmt.Errorf("the factor of group %d exceeds the plan's epsilon", i+1)
		}
		if rank, value := g.Mechanism.Floor(p.Order); rank != g.Rank || value != g.Value {
			return fmt.Errorf("the rows of group %d do not keep the floor it states", i+1)
		}
		if rank, value := g.Rank, g.Value; rank < p.Rank || value < p.Value {
			return fmt.Errorf("group %d does not keep the floor of the plan", i+1)
		}
		if _, _, ok := g.Mechanism.Within(mechanism.SupportOf(p.Order, p.Floor)); !ok {
			return fmt.Errorf("the rows of group %d leave the floor that they were designed for", i+1)
		}
	}
	if rest > 1 {
		return fmt.Errorf("it has two groups for what it does not name")
	}
	if !slices.Equal(sum, p.Prior.Counts()) {
		return fmt.Errorf("its strata do not have its counts")
	}
	p.Leakage = s.Mixed()
	f := p.Factor()
	if f.RatString() != claim.Factor || mechanism.Nats(f) != claim.Nats {
		return fmt.Errorf("its rows do not have the factor it states")
	}
	if !p.Epsilon.Admits(f) {
		return fmt.Errorf("its factor for observers who do not know the stratum exceeds its epsilon")
	}
	if p.Lower.Cmp(big.NewRat(1, 1)) > 0 {
		return fmt.Errorf("its lower_factor is not proven")
	}
	return nil
}
