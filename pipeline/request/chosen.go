package request

import "github.com/tacet-privacy/tacet/mechanism"

// Chosen is a choice that decides a plan, as a plan says it.
type Chosen struct{ Name, Value string }

// Chosen are the choices that somebody made: all but those that are left to the
// program.
func (o *Options) Chosen() (out []Chosen, err error) {
	add := func(made bool, name, value string) {
		if made {
			out = append(out, Chosen{name, value})
		}
	}
	most, err := o.ParseAtMost()
	if err != nil {
		return nil, err
	}
	if most != nil {
		add(true, "at-most", most.String())
	} else if o.Epsilon != "" || o.MaxFactor != "" {
		e, err := o.ParseEpsilon()
		if err != nil {
			return nil, err
		}
		add(true, "epsilon", e.String())
	}
	share, err := o.ParseHeadroom()
	if err != nil {
		return nil, err
	}
	shift, err := o.ParseMaxShift()
	if err != nil {
		return nil, err
	}
	bins, err := o.Binning()
	if err != nil {
		return nil, err
	}
	add(o.Bins != "", "bins", bins.Spec)
	add(o.Bins != "", "bin-as", bins.As)
	add(o.Utility != "", "utility", o.Utility)
	add(o.Null != "" && o.Null != "refuse", "null", o.Null)
	add(o.Design != "" && o.Design != "auto", "design", o.Design)
	switch {
	case o.FloorRank != nil:
		add(true, "floor", mechanism.RankFloor(*o.FloorRank).String())
	case o.FloorValue != nil:
		add(true, "floor", mechanism.ValueFloor(*o.FloorValue).String())
	}
	add(o.Prefer == Unchanged || o.Prefer == Shares, "prefer", o.Prefer)
	switch {
	case o.left("max-shift"):
	case shift != nil:
		add(true, "max-shift", shift.RatString())
	case o.MaxShift == NoLimit:
		add(true, "max-shift", NoLimit)
	}
	add(o.KeepValues, "keep-values", "given")
	room, err := o.ParseRoom(shift)
	if err != nil {
		return nil, err
	}
	whole, below := Rooms(o.Headroom)
	if below != "" && room != nil {
		add(true, "room below --max-shift", room.RatString())
	}
	add(whole != "", "headroom", share.RatString())
	add(o.Strata != "", "strata", o.Strata)
	add(o.GivenOnly, "given-only", "given")
	add(o.PriorOnly, "prior-only", "given")
	return out, nil
}
