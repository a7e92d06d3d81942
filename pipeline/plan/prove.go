package plan

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// verify recomputes what the plan claims, group by group and for all records.
func (p *Plan) verify(claim report.Epsilon) error {
	if p.Empty() {
		return nil
	}
	if err := p.verifyNames(); err != nil {
		return err
	}
	for i := range p.Groups {
		if err := p.verifyGroup(&p.Groups[i]); err != nil {
			return fmt.Errorf("%s%w", p.which(i), err)
		}
	}
	sum, records, err := Together(p.Groups)
	if err != nil || !slices.Equal(sum.Counts(), p.Prior.Counts()) || !slices.Equal(records.Counts(), p.Sample.Counts()) {
		return fmt.Errorf("its strata do not have its counts")
	}
	p.Leakage = p.mixed()
	f := p.Factor()
	if f.RatString() != claim.Factor || mechanism.Nats(f) != claim.Nats {
		return fmt.Errorf("its rows do not have the factor it states")
	}
	if !p.Epsilon.Admits(f) {
		return fmt.Errorf("its factor exceeds its own epsilon")
	}
	if p.Also() != nil && !p.Epsilon.Admits(p.Sampled().Factor()) {
		return fmt.Errorf("its factor relative to its records exceeds its own epsilon")
	}
	if err := p.verifyShares(); err != nil {
		return err
	}
	if err := p.verifyDesign(); err != nil {
		return err
	}
	return p.verifyProof()
}

// which names a group where there may be several.
func (p *Plan) which(group int) string {
	if len(p.Groups) > 1 {
		return fmt.Sprintf("group %d of strata: ", group+1)
	}
	return ""
}

// verifyNames refuses strata that stand in two groups.
func (p *Plan) verifyNames() error {
	if p.Given.Column == "" && (len(p.Groups) != 1 || p.Groups[0].Names != nil || p.Groups[0].Rest) || len(p.Groups) == 0 {
		return fmt.Errorf("it has no groups, or no column that tells them apart")
	}
	seen, rest := map[report.Label]bool{}, 0
	for _, g := range p.Groups {
		for _, n := range g.Names {
			if seen[n] {
				return fmt.Errorf("a stratum is in two groups")
			}
			seen[n] = true
		}
		if g.Rest {
			rest++
		}
	}
	if rest > 1 {
		return fmt.Errorf("it has two groups for what it does not name")
	}
	return nil
}

// verifyGroup recomputes what the plan claims of a group, whose leakage is a claim
// until then.
func (p *Plan) verifyGroup(g *Group) error {
	_, stated := g.Leakage.Max()
	g.Leakage = g.Mechanism.Leakage(g.Prior)
	if _, factor := g.Leakage.Max(); stated.Cmp(factor) != 0 {
		return fmt.Errorf("its rows do not have the factor it states")
	}
	if !p.Epsilon.Admits(stated) {
		return fmt.Errorf("its factor exceeds the plan's own epsilon")
	}
	if rank, value := g.Mechanism.Floor(p.Order); rank != g.Rank || value != g.Value {
		return fmt.Errorf("its rows do not keep the floor it states")
	}
	if g.Rank < p.Rank || g.Value < p.Value {
		return fmt.Errorf("it does not keep the floor of the plan")
	}
	if !p.Floor.Allows(uint16(g.Rank), g.Value) {
		return fmt.Errorf("its rows leave the floor that they were designed for")
	}
	return nil
}

// verifyProof recomputes the lower bound of the least factor at the floor. A bound of 1
// needs no proof. What is proven is proven of all records together, of which nothing is
// promised where epsilon is kept given the group only.
func (p *Plan) verifyProof() error {
	switch one := big.NewRat(1, 1); {
	case p.Lower.Cmp(one) <= 0 && p.Pi == nil:
		return nil
	case p.Given.Only:
		return fmt.Errorf("its lower_factor is not proven")
	}
	s := mechanism.SupportOf(p.Order, p.Floor)
	if p.Pi != nil {
		return optimum.Certificate{Weight: p.Pi, Lower: p.Lower}.Verify(p.Prior, s)
	}
	bound, err := optimum.LowerBound(p.Prior, s, p.Also()...)
	if err != nil {
		return err
	}
	if bound.Cmp(p.Lower) < 0 {
		return fmt.Errorf("its lower_factor is not proven")
	}
	return nil
}
