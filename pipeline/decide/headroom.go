package decide

import (
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// spare is the epsilon to design for.
func spare(o *options.Options, p *plan.Plan) (mechanism.Epsilon, error) {
	h, err := o.ParseHeadroom()
	if err != nil {
		return p.Epsilon, err
	}
	e, err := p.Spare(h)
	if err != nil {
		whole := new(big.Rat).Add(h, big.NewRat(1, 1))
		return e, fault.New(fault.Privacy, "give a larger epsilon or less headroom; even a design that leaks nothing needs --max-factor "+figure.FactorUp(whole)+" for so much",
			"epsilon %s leaves no headroom of %s", p.Target, o.Headroom)
	}
	return e, nil
}

// spared turns what could not be designed with headroom into what was asked
// for.
func spared(o *options.Options, err error, p *plan.Plan) error {
	var far *design.UnreachableError
	var f *fault.Fault
	if p.Headroom == nil || !errors.As(err, &f) || !errors.As(err, &far) {
		return err
	}
	with := *f
	with.What = "with headroom " + o.Headroom + ", " + f.What
	if far.Least != nil {
		least := new(big.Rat).Mul(far.Least, new(big.Rat).Add(p.Headroom, big.NewRat(1, 1)))
		with.Hint = "the least that does is --max-factor " + figure.FactorUp(least) + " (" + figure.Nats(least) + " nats), or give less headroom"
	}
	return &with
}
