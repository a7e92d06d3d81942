package booking

import (
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/night"
)

// admits refuses a factor beyond the total.
func (b *Booking) admits(total *mechanism.Epsilon, f *big.Rat, label string) error {
	if total == nil || total.Admits(f) {
		return nil
	}
	return fault.New(fault.Privacy, "nothing was published; a release that is never made again needs no ledger",
		"this release would bring the total to %s nats (factor %s, %s), and --total-epsilon is %s", figure.Nats(f), f.RatString(), label, b.o.TotalEpsilon)
}

// nightFault classifies what stops a night.
func nightFault(err error) error {
	switch {
	case errors.Is(err, night.ErrOver):
		return fault.New(fault.Privacy, "choose --over-budget repeat or suppress, or a larger total under a new design", "%v, and --over-budget is refuse; nothing was published", err)
	case errors.Is(err, night.ErrUnknown):
		return fault.New(fault.Privacy, "make a plan whose outputs hold those of the plans before (--labels), or choose --over-budget suppress", "%v; nothing was published", err)
	}
	return err
}
