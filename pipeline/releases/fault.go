package releases

import (
	"errors"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// errNoNull says that a record shows a null and the column of tonight's output
// cannot hold one.
var errNoNull = errors.New("the column is required, so it cannot hold the null that an earlier release gave a record")

// nightFault classifies what stops a night.
func nightFault(err error) error {
	switch {
	case errors.Is(err, ErrOver):
		return fault.New(fault.Privacy, "choose another --over-budget (repeat or suppress), a smaller epsilon, or a "+
			"larger --total-epsilon with --redesign",
			"%v, and --over-budget allows no replacement; nothing was published", err)
	case errors.Is(err, errNoNull):
		return fault.New(fault.Input, "make the column nullable, or choose --over-budget repeat instead of suppress",
			"%v", err)
	case errors.Is(err, ErrUnknown):
		return fault.New(fault.Privacy,
			"make a plan that has all outputs of the earlier plans (--labels), or choose --over-budget suppress",
			"%v; nothing was published", err)
	}
	return err
}
