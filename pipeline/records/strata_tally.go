package records

import (
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A strataTally counts what was written group by group.
type strataTally struct {
	given  []*plan.Plan // the plan, given each group
	of     []*Tally
	in, to [][]int32 // letters of a block by group
}

// newStrataTally is nil where the plan has no strata. Pairs are counted where
// the tables of all groups together are small enough.
func newStrataTally(p *plan.Plan) *strataTally {
	if p.Strata == nil {
		return nil
	}
	n, m, groups := p.Inputs.Len(), p.Outputs.Len(), len(p.Strata.Groups)
	s := &strataTally{in: make([][]int32, groups), to: make([][]int32, groups)}
	for g := range groups {
		t := &Tally{output: make([]int64, m)}
		if n*m*groups <= maxPairs {
			t.pairs = estimate.NewPairs(n, m)
		} else {
			t.private = make([]int64, n)
		}
		s.given, s.of = append(s.given, p.Given(g)), append(s.of, t)
	}
	return s
}

// count tallies records of group[i] that were in[i] and are written as out[i].
func (s *strataTally) count(group, in, out []int32) error {
	for g := range s.of {
		s.in[g], s.to[g] = s.in[g][:0], s.to[g][:0]
	}
	for i, g := range group {
		if g < 0 {
			return errForbidden
		}
		s.in[g], s.to[g] = append(s.in[g], in[i]), append(s.to[g], out[i])
	}
	for g, t := range s.of {
		if err := t.count(s.given[g], s.in[g], s.to[g]); err != nil {
			return err
		}
	}
	return nil
}

func (s *strataTally) merge(u *strataTally) {
	if s != nil {
		for g := range s.of {
			s.of[g].merge(u.of[g])
		}
	}
}

// letters are the records of all groups by input letter.
func (s *strataTally) letters() []int64 {
	all := slices.Clone(s.of[0].letters())
	for _, t := range s.of[1:] {
		for x, n := range t.letters() {
			all[x] += n
		}
	}
	return all
}

// judge holds every group to its mechanism, and adds them up in t.
func (s *strataTally) judge(t *Tally) ([]report.Check, error) {
	rows, worst := 0, 0.0
	for g, own := range s.of {
		p := s.given[g]
		fit := own.fit(p)
		if fit.Forbidden > 0 {
			return nil, errForbidden
		}
		if !fit.Accepts(estimate.Alarm / float64(len(s.of))) {
			return nil, fault.New(fault.Internal, "run again; if it happens twice, the random numbers or the sampler are broken",
				"the written file does not fit the plan in group %d of strata: divergence %.1f nats", g+1, fit.Statistic)
		}
		rows, worst = rows+fit.Rows, max(worst, fit.Statistic)
		own.sum(p)
		t.nulls += own.nulls
		t.same += own.same
		t.value += own.value
		t.valued += own.valued
		for y, n := range own.output {
			t.output[y] += n
		}
	}
	return []report.Check{
		{Name: "floor", Passed: true, Detail: fmt.Sprintf("0 of %d records hold a replacement that the plan forbids in "+
			"their stratum", t.Rows-t.nulls)},
		{Name: "fit", Passed: true, Detail: fmt.Sprintf("the draws fit the plan in each of %d groups of strata: G at most "+
			"%.1f, %d rows of mechanisms (false alarm rate %g)", len(s.of), 2*worst, rows, estimate.Alarm)},
	}, nil
}

// counted reports whether the utility of every record is known.
func (s *strataTally) counted() bool { return s != nil && s.of[0].pairs != nil }
