package decide

import (
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// spare is the epsilon to design for.
func spare(room request.Headroom, p *plan.Plan) (mechanism.Epsilon, error) {
	e, err := p.Spare(room.Share)
	if err != nil {
		whole := new(big.Rat).Add(room.Share, big.NewRat(1, 1))
		return e, fault.New(fault.Privacy,
			"give a larger epsilon or less headroom; even a design that leaks nothing needs --max-factor "+
				report.FactorUp(whole)+" for so much",
			"epsilon %s is too small for %s headroom", p.Target, room.Text)
	}
	return e, nil
}

// spared turns what could not be designed with headroom into what was asked
// for.
func spared(room request.Headroom, err error, p *plan.Plan) error {
	var far *design.UnreachableError
	var off *design.ShiftError
	var f *fault.Fault
	if p.Headroom != nil && errors.As(err, &off) {
		whole := *off
		if whole.Epsilon = p.Epsilon; off.Factor != nil {
			whole.Factor = new(big.Rat).Mul(off.Factor, new(big.Rat).Add(p.Headroom, big.NewRat(1, 1)))
		}
		with := *fault.As(shifted(&whole))
		with.What = "with headroom " + room.Text + ", " + with.What
		return &with
	}
	if p.Headroom == nil || !errors.As(err, &f) || !errors.As(err, &far) {
		return err
	}
	with := *f
	with.What = "with headroom " + room.Text + ", " + f.What
	if far.Least != nil {
		least := new(big.Rat).Mul(far.Least, new(big.Rat).Add(p.Headroom, big.NewRat(1, 1)))
		with.Hint = "--max-factor " + report.FactorUp(least) + " (" + report.Nats(least) +
			" nats) suffices; or give less headroom"
	}
	return &with
}
