package releases

import (
	"errors"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// errNoNull says that a record shows a null and the column of tonight's output
// cannot hold one.
var errNoNull = errors.New("the column is required and cannot hold the null that a record goes on showing")

// nightFault classifies what stops a night.
func nightFault(err error) error {
	switch {
	case errors.Is(err, ErrOver):
		return fault.New(fault.Privacy, "choose --over-budget repeat or suppress, or a larger total under a new design",
			"%v, and --over-budget is refuse; nothing was published", err)
	case errors.Is(err, errNoNull):
		return fault.New(fault.Input, "make the column nullable, or choose --over-budget repeat where a total asks for nulls",
			"%v", err)
	case errors.Is(err, ErrUnknown):
		return fault.New(fault.Privacy,
			"make a plan whose outputs hold those of the plans before (--labels), or choose --over-budget suppress",
			"%v; nothing was published", err)
	}
	return err
}
