package booking

import (
	"errors"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/night"
)

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
