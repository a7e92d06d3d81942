package plan

import (
	"fmt"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/mechanism/several"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// verify recomputes what the plan claims.
func (p *Plan) verify(claim report.Epsilon) error {
	if p.Empty() {
		return nil
	}
	if p.Strata != nil {
		return p.verifyStrata(claim)
	}
	p.Leakage = p.Mechanism.Leakage(p.Prior)
	if p.Factor().RatString() != claim.Factor || p.Leakage.Nats() != claim.Nats {
		return fmt.Errorf("its rows do not have the factor it states")
	}
	if !p.Epsilon.Admits(p.Mechanism.Factor(append(p.Also(), p.Prior)...)) {
		return fmt.Errorf("its factor exceeds its own epsilon")
	}
	if rank, value := p.Mechanism.Floor(p.Order); rank != p.Rank || value != p.Value {
		return fmt.Errorf("its rows do not keep the floor it states")
	}
	return p.verifyProof()
}

// verifyProof recomputes the lower bound of the least factor at the floor.
func (p *Plan) verifyProof() error {
	s := mechanism.SupportOf(p.Order, p.Floor)
	if _, _, ok := p.Mechanism.Within(s); !ok {
		return fmt.Errorf("its rows leave the floor that they were designed for")
	}
	if p.Prices != nil {
		return (&several.Dual{Weight: p.Pi, Price: p.Prices, Lower: p.Lower}).Verify(p.Prior, p.Also(), s)
	}
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
