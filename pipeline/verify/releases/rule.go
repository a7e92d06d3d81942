package releases

// A ruling is what the history lets be published of a record tonight.
type ruling struct {
	past    []Entry   // of the nights before
	state   *State    // before tonight
	prefix  *State    // before the first night of this release's channel; nil without a rule
	repeats bool      // symbol is published, whatever is drawn
	symbol  Symbol    // of repeats
	channel int       // through which it is published
	rule    *Decision // nil where the draw is published
	fits    bool      // the draw belongs to the fit
	limited bool
}

// absent reports a null that stays; other nulls come from a total that is kept
// by suppressing, which does not go with them.
func (n *nights) absent(e Entry) bool {
	rule := n.world.Channels[e.Channel].Rule
	return e.Output == Null && (rule == nil || rule.Over != "suppress")
}

// presence reports whether a record showed values, and whether nulls that stay.
func (n *nights) presence(list []Entry) (values, nulls bool) {
	for _, e := range list {
		if n.absent(e) {
			nulls = true
		} else {
			values = true
		}
	}
	return values, nulls
}

// of is the symbol of an entry; None where its channel has no such output.
func (n *nights) of(e Entry) Symbol {
	list := n.symbol[e.Channel]
	switch {
	case e.Output == Null:
		return n.world.Null
	case int(e.Output) >= len(list):
		return None
	}
	return list[e.Output]
}

// walk goes along the outputs of a record up to the first of a channel, -1 for
// all; nil where the plan of its first night is not known.
func (n *nights) walk(list []Entry, until int) *State {
	night := n.claims.Night
	if len(list) > 0 {
		night = int(list[0].First)
	}
	if night >= len(n.begun) || n.begun[night] == nil {
		return nil
	}
	s := n.world.Start(n.begun[night])
	for i, e := range list {
		values, nulls := n.presence(list[:i])
		switch {
		case n.absent(e):
			if values {
				s = s.Changed()
			}
		case int(e.Channel) == until:
			return s
		case nulls || has(list[:i], int(e.Channel)):
			s = s.Changed()
		default:
			s = s.After(int(e.Channel), n.of(e))
		}
	}
	return s
}

func has(list []Entry, channel int) bool {
	for _, e := range list {
		if int(e.Channel) == channel {
			return true
		}
	}
	return false
}

// judge applies docs/repeated-records.md and docs/series.md to a record of
// which past was published; ok is false where a plan is missing.
func (n *nights) judge(past []Entry) (v ruling, ok bool) {
	v.past = past
	if v.state = n.walk(past, -1); v.state == nil {
		return v, false
	}
	v.channel, v.fits = n.channel, true
	var d *Decision
	if n.rule {
		v.prefix = n.walk(past, n.channel)
		d = v.prefix.Decide(n.channel)
	}
	if n.hold && len(past) > 0 {
		v.repeats, v.symbol, v.channel = true, n.of(past[0]), int(past[0].Channel)
		v.fits = has(past, n.channel) && (d == nil || d.Action == Draw)
		return v, true
	}
	if v.rule = d; d != nil {
		v.fits = d.Action == Draw
		v.limited = !v.fits
	}
	return v, true
}

// may reports whether a symbol may be published.
func (n *nights) may(v *ruling, s Symbol) bool {
	switch {
	case v.repeats:
		return s == v.symbol
	case v.rule != nil:
		return v.rule.May(s)
	}
	_, ok := n.world.Output(n.channel, s)
	return ok
}

// publishes is what is published where y was drawn.
func (n *nights) publishes(v *ruling, y int32) Symbol {
	switch {
	case v.repeats:
		return v.symbol
	case v.rule != nil:
		return v.rule.Publish(int(y))
	}
	return n.symbol[n.channel][y]
}
