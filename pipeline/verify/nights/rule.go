package nights

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/records"
	"github.com/tacet-privacy/tacet/pipeline/verify/replay"
)

// A ruling is what the history lets be published of a record tonight.
type ruling struct {
	state   *replay.State    // before tonight
	repeats bool             // symbol is published, whatever is drawn
	derives bool             // it comes from the last output by a channel that is not recomputed
	symbol  replay.Symbol    // of repeats
	channel int              // through which it is published
	rule    *replay.Decision // nil where the draw is published
	fits    bool             // the draw belongs to the fit
	limited bool
}

// of is the symbol of an entry; None where its channel has no such output.
func (n *nights) of(e records.Entry) replay.Symbol {
	list := n.symbol[e.Channel]
	switch {
	case e.Output == records.Null:
		return n.world.Null
	case int(e.Output) >= len(list):
		return replay.None
	}
	return list[e.Output]
}

// walk goes along the outputs of a record up to the first of a channel, -1 for
// all; nil where the plan of its first night is not known.
func (n *nights) walk(list []records.Entry, until int) *replay.State {
	night := n.claims.Night
	if len(list) > 0 {
		night = int(list[0].First)
	}
	if night >= len(n.begun) || n.begun[night] == nil {
		return nil
	}
	s := n.world.Start(n.begun[night])
	for i, e := range list {
		switch {
		case int(e.Channel) == until:
			return s
		case has(list[:i], int(e.Channel)):
			s = s.Changed()
		case n.world.Channels[e.Channel].Derived:
			s = s.Derived(n.of(e))
		default:
			s = s.After(int(e.Channel), n.of(e))
		}
	}
	return s
}

func has(list []records.Entry, channel int) bool {
	for _, e := range list {
		if int(e.Channel) == channel {
			return true
		}
	}
	return false
}

// judge applies docs/nightly-records.md and docs/series.md to a record of
// which past was published; ok is false where a plan is missing.
func (n *nights) judge(past []records.Entry) (v ruling, ok bool) {
	if v.state = n.walk(past, -1); v.state == nil {
		return v, false
	}
	v.channel, v.fits = n.channel, true
	drawn := has(past, n.channel)
	var d *replay.Decision
	if n.rule {
		d = n.walk(past, n.channel).Decide(n.channel)
	}
	if n.hold && len(past) > 0 {
		v.repeats, v.symbol, v.channel = true, n.of(past[0]), int(past[0].Channel)
		v.fits = drawn && (d == nil || d.Action == replay.Draw)
		return v, true
	}
	if n.derived >= 0 {
		for _, e := range past {
			if int(e.Channel) == n.derived {
				v.repeats, v.symbol, v.channel, v.fits = true, n.of(e), n.derived, false
				return v, true
			}
		}
	}
	if n.degrade && len(past) > 0 && !drawn && n.derived >= 0 {
		v.derives, v.channel, v.fits = true, n.derived, false
		return v, true
	}
	if v.rule = d; d != nil {
		v.fits = d.Action == replay.Draw
		v.limited = !v.fits
	}
	return v, true
}

// may reports whether a symbol may be published.
func (n *nights) may(v *ruling, s replay.Symbol) bool {
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
func (n *nights) publishes(v *ruling, y int32) replay.Symbol {
	switch {
	case v.repeats:
		return v.symbol
	case v.rule != nil:
		return v.rule.Publish(int(y))
	}
	return n.symbol[n.channel][y]
}
