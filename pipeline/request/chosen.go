package request

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
	share, shift := got(o.ParseHeadroom())(&err), got(o.ParseMaxShift())(&err)
	bins, room, epsilon := got(o.Binning())(&err), got(o.ParseRoom(shift))(&err), ""
	if o.Epsilon+o.MaxFactor != "" {
		epsilon = got(o.ParseEpsilon())(&err).String()
	}
	if err != nil {
		return nil, err
	}
	add(epsilon != "", "epsilon", epsilon)
	add(o.Bins != "", "bins", bins)
	add(o.Utility != "", "utility", o.Utility)
	add(o.Null != "" && o.Null != "refuse", "null", o.Null)
	add(o.Design != "" && o.Design != "auto", "design", o.Design)
	if f := o.floor(); f != nil {
		add(true, "floor", f.String())
	}
	add(o.Prefer == Unchanged || o.Prefer == Shares || o.Prefer == Kept, "prefer", o.Prefer)
	switch {
	case o.left("max-shift"):
	case shift != nil:
		add(true, "max-shift", shift.RatString())
	case o.MaxShift == NoLimit:
		add(true, "max-shift", NoLimit)
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
