package request

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// NoLimit is the value of --max-shift that sets none.
const NoLimit = "none"

// Limit is the limit of the shift as it was written, "" for none.
func (o *Options) Limit() string {
	if o.MaxShift == NoLimit {
		return ""
	}
	return o.MaxShift
}

// ParseMaxShift reads --max-shift; nil for no limit.
func (o *Options) ParseMaxShift() (*big.Rat, error) {
	if o.Limit() == "" {
		return nil, nil
	}
	d, ok := share(o.MaxShift)
	if !ok || d.Cmp(big.NewRat(1, 1)) > 0 {
		return nil, fault.New(fault.Usage, "give a share of all records from 0 to 1, such as 5%, 0.05 or 1/20, or none",
			"--max-shift %q is not a share", o.MaxShift)
	}
	return d, nil
}

// ParseRoom reads by how much a design stays below a limit of the shift, so that a plan
// that is followed keeps the limit when counts drift: as --headroom says, else by half where
// there is a ledger or headroom; nil for none.
func (o *Options) ParseRoom(limit *big.Rat) (*big.Rat, error) {
	_, text := Rooms(o.Headroom)
	switch {
	case limit == nil:
		return nil, nil
	case text != "":
		room, ok := share(text)
		if !ok || room.Cmp(limit) > 0 {
			return nil, fault.New(fault.Usage, "give a share of all records of at most --max-shift, as in 10%,2%",
				"--headroom leaves room of %q, which is not a share within --max-shift %s", text, o.MaxShift)
		}
		if room.Sign() > 0 {
			return room, nil
		}
	case (o.Ledger != "" || o.Headroom != "") && limit.Sign() > 0:
		return new(big.Rat).Quo(limit, big.NewRat(2, 1)), nil
	}
	return nil, nil
}

// left reports whether an option was left to its default.
func (o *Options) left(name string) bool {
	at := slices.IndexFunc(o.Settings, func(s report.Setting) bool { return s.Name == name })
	return at >= 0 && o.Settings[at].Origin == "default"
}

// Usual is what becomes of the limit of the shift that nobody asked for. It gives way to
// whatever else is asked for that knows no limit; why that is so must not depend on how many
// records hold a value, as everybody can see whether a release has a limit.
type Usual struct {
	Limit bool   // it is the default
	Gone  string // why there is none, in words; "" where it stands
}

// usual is what else is asked for in place of the default.
func (o *Options) usual() (u Usual) {
	u.Limit = o.left("max-shift") && o.Limit() != ""
	closed := o.Design != "" && o.Design != "auto" && slices.Contains(design.Kinds(), o.Design) && o.Design != "optimal" &&
		o.Design != "blocks"
	switch {
	case !u.Limit:
	case closed:
		u.Gone = "--design " + o.Design + " knows no limit"
	case o.Prefer == Shares:
		u.Gone = "--prefer shares asks for the least shift"
	case o.Prefer == Recovered:
		u.Gone = "--prefer recovery leaves shares to estimates"
	}
	return u
}

// Traded are the options of a frontier, without the default limit beside what knows none:
// what floors cost within a limit is not looked for under another prior.
func (o Options) Traded() Options {
	if o.usual().Gone != "" || o.Prior+o.Smooth != "" {
		o.MaxShift = NoLimit
	}
	return o
}
