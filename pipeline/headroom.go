package pipeline

import (
	"errors"
	"math/big"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// headroom reads --headroom: "10%", a decimal or a fraction; 0 for none.
func (o *Options) headroom() (*big.Rat, error) {
	if o.Headroom == "" {
		return new(big.Rat), nil
	}
	text, percent := strings.CutSuffix(o.Headroom, "%")
	h, ok := new(big.Rat), len(text) <= 20 && strings.Trim(text, "0123456789./") == ""
	if ok {
		_, ok = h.SetString(text)
	}
	if !ok {
		return nil, fault.New(fault.Usage, "give a share such as 10% or 0.1", "--headroom %q is no share", o.Headroom)
	}
	if percent {
		h.Quo(h, big.NewRat(100, 1))
	}
	return h, nil
}

// spare is the epsilon to design for.
func (o *Options) spare(p *plan.Plan) (mechanism.Epsilon, error) {
	h, err := o.headroom()
	if err != nil {
		return p.Epsilon, err
	}
	e, err := p.Spare(h)
	if err != nil {
		whole := new(big.Rat).Add(h, one())
		return e, fault.New(fault.Privacy, "give a larger epsilon or less headroom; even a design that leaks nothing needs --max-factor "+factorUp(whole)+" for so much",
			"epsilon %s leaves no headroom of %s", p.Target, o.Headroom)
	}
	return e, nil
}

// spared turns what could not be designed with headroom into what was asked
// for.
func (o *Options) spared(err error, p *plan.Plan) error {
	var far *design.UnreachableError
	var f *fault.Fault
	if p.Headroom == nil || !errors.As(err, &f) || !errors.As(err, &far) {
		return err
	}
	with := *f
	with.What = "with headroom " + o.Headroom + ", " + f.What
	if far.Least != nil {
		least := new(big.Rat).Mul(far.Least, new(big.Rat).Add(p.Headroom, one()))
		with.Hint = "the least that does is --max-factor " + factorUp(least) + " (" + nats(least) + " nats), or give less headroom"
	}
	return &with
}
