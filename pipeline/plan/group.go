package plan

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// How groups are redrawn.
const (
	Shared = "shared" // by one mechanism, whose factor holds in every group
	Apart  = "apart"  // each by a mechanism of its own
)

// Given is the column given which epsilon holds: whoever knows a record's value
// of it knows the record's group. The zero value is none.
type Given struct {
	Column string `json:"of"`
	Only   bool   `json:"given_only,omitempty"` // epsilon is not kept for whoever does not know the group
	Least  int64  `json:"min,string"`           // records below which strata are merged; 0 where none was
	Rule   string `json:"rule"`                 // Shared or Apart
}

// A Group is what happens to the records of some strata. Without a column
// given there is one, of all records and without names.
type Group struct {
	Names     []report.Label // of the strata
	Rest      bool           // takes strata that the plan does not name
	Prior     mechanism.Prior
	Sample    mechanism.Prior      // the counts of its records, whatever Prior is
	Mechanism *mechanism.Mechanism // the same value where it is shared
	Leakage   mechanism.Leakage    // under Prior, for whoever knows the group
	Rank      int                  // the worst that can occur
	Value     float64
	Expected  float64 // utility of its records
}

// Known is the largest e^epsilon of any group, for whoever knows it, and the
// group.
func (p *Plan) Known() (group int, factor *big.Rat) {
	group, factor = -1, big.NewRat(1, 1)
	for i := range p.Groups {
		if _, f := p.Groups[i].Leakage.Max(); group < 0 || f.Cmp(factor) > 0 {
			group, factor = i, f
		}
	}
	return group, factor
}

// GroupOf is the group of a stratum: that which names it, else the rest, else -1.
func (p *Plan) GroupOf() func(report.Label) int32 {
	place, rest := map[report.Label]int32{}, int32(-1)
	for i, g := range p.Groups {
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
func (p *Plan) Laws() (laws []*mechanism.Mechanism, of []int) {
	for _, g := range p.Groups {
		i := slices.Index(laws, g.Mechanism)
		if i < 0 {
			i = len(laws)
			laws = append(laws, g.Mechanism)
		}
		of = append(of, i)
	}
	return laws, of
}

// Mechanism redraws all records; nil where groups have several, or there is no
// letter.
func (p *Plan) Mechanism() *mechanism.Mechanism {
	if laws, _ := p.Laws(); len(laws) == 1 {
		return laws[0]
	}
	return nil
}

// Reach is what may become of letter x, in any group.
func (p *Plan) Reach(x int) (outputs []uint16) {
	laws, _ := p.Laws()
	if len(laws) == 1 {
		return laws[0].Row(x).Output
	}
	for _, m := range laws {
		outputs = append(outputs, m.Row(x).Output...)
	}
	slices.Sort(outputs)
	return slices.Compact(outputs)
}

// Merged is the number of strata that share a group with others, or would
// with strata that the plan does not name: nothing holds for whoever knows one
// of them. There is one such group at most.
func (p *Plan) Merged() int {
	for _, g := range p.Groups {
		if g.Rest {
			return len(g.Names)
		}
	}
	return 0
}

// Parts are the groups as the mathematics has them.
func (p *Plan) Parts() (part []mechanism.Part) {
	for _, g := range p.Groups {
		part = append(part, mechanism.Part{Mechanism: g.Mechanism, Prior: g.Prior, Leakage: g.Leakage})
	}
	return part
}

// Alone is the plan for the records of a group, as if there were no others.
func (p *Plan) Alone(group int) *Plan {
	g := &p.Groups[group]
	q := *p
	q.Redraw(*g)
	q.Given, q.Prior, q.Sample, q.Expected = Given{}, g.Prior, g.Sample, g.Expected
	if len(p.Groups) > 1 { // the floor of all is the worst of any
		if q.Floor = mechanism.RankFloor(g.Rank); p.Floor.ByValue {
			q.Floor = mechanism.ValueFloor(g.Value)
		}
	}
	return &q
}

// mixed is the leakage for whoever does not know the group.
func (p *Plan) mixed() mechanism.Leakage {
	if len(p.Groups) == 1 {
		return p.Groups[0].Leakage
	}
	return mechanism.MixedLeakage(p.Parts())
}

// Mean is the mean over records of a figure that groups have.
func (p *Plan) Mean(of func(*Group) float64) float64 {
	if len(p.Groups) == 1 {
		return of(&p.Groups[0])
	}
	mean := 0.0
	for i := range p.Groups {
		if g := &p.Groups[i]; g.Prior.Total() > 0 {
			mean += float64(g.Prior.Total()) / float64(p.Prior.Total()) * of(g)
		}
	}
	return mean
}

// Redraw takes the groups of the records. What follows from them for whoever does
// not know the group, and the worst that can occur in any, is the plan's.
func (p *Plan) Redraw(groups ...Group) {
	p.Groups = groups
	p.Leakage = p.mixed()
	for i, g := range groups {
		if i == 0 {
			p.Rank, p.Value = g.Rank, g.Value
		}
		p.Rank, p.Value = min(p.Rank, g.Rank), min(p.Value, g.Value)
	}
}

// Recount is Redraw for groups with other counts: they give what groups tell, and the counts
// of all records.
func (p *Plan) Recount(groups []Group) (err error) {
	for i := range groups {
		groups[i].Leakage = groups[i].Mechanism.Leakage(groups[i].Prior)
	}
	p.Redraw(groups...)
	p.Prior, p.Sample, err = Together(groups)
	return err
}

// Together are the prior and the records of all groups.
func Together(groups []Group) (prior, records mechanism.Prior, err error) {
	sum, sample := make([]int64, groups[0].Prior.Letters()), make([]int64, groups[0].Prior.Letters())
	for _, g := range groups {
		for x := range sum {
			sum[x], sample[x] = sum[x]+g.Prior.Count(x), sample[x]+g.Sample.Count(x)
		}
	}
	if prior, err = mechanism.NewPrior(sum); err == nil {
		records, err = mechanism.NewPrior(sample)
	}
	return prior, records, err
}
