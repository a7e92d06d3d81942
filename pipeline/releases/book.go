package releases

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Channel is a way in which outputs came about.
type Channel struct {
	Plan  *plan.Plan
	Total *mechanism.Epsilon // nil for none
}

// A Night is this release's channel in a history, of which it knows the channels by their numbers and
// the plans of the nights. It may be used by many goroutines.
type Night struct {
	Number int    // of the night; entries first seen in it or later are not looked at
	Own    uint16 // the channel of draws
	Hold   bool   // the first output is shown for ever

	channel []Channel
	symbol  [][]symbol                            // by channel, by output
	place   []map[symbol]int32                    // by channel, the outputs that symbols are
	null    symbol                                // of an output null; absent where no channel has one
	plan    []*plan.Plan                          // by night, from 1 on
	root    []func() (*composition.Series, error) // of the records that began in a night; nil where none did
}

// A symbol numbers what may stand in the published column, over all channels.
type symbol int32

// absent is a null that stays. It is outside every plan: no draw gives one, and none hides
// one. A record that shows one night a null and another night a value has therefore shown that
// it changed, whatever the designs of these nights. Its null stands in the history beside the
// outputs, under the channel of its night.
const absent symbol = -1

// learn takes the channels by their numbers and the plan of every night, by
// its number; nights without a plan begin no record.
func (n *Night) learn(channels []Channel, plans []*plan.Plan) {
	n.channel, n.null, n.plan = channels, absent, plans
	n.root = make([]func() (*composition.Series, error), len(plans))
	known, begun := map[report.Label]symbol{}, map[*plan.Plan]func() (*composition.Series, error){}
	for _, c := range channels {
		labels, place := c.Plan.OutputLabels(), map[symbol]int32{}
		list := make([]symbol, len(labels))
		for y, l := range labels {
			s, ok := known[l]
			if !ok {
				s = symbol(len(known))
				known[l] = s
			}
			if list[y], place[s] = s, int32(y); l.Null {
				n.null = s
			}
		}
		n.symbol, n.place = append(n.symbol, list), append(n.place, place)
	}
	for i, p := range plans {
		if p != nil && !p.Empty() && begun[p] == nil {
			begun[p] = sync.OnceValues(func() (*composition.Series, error) { return n.begin(p) })
		}
		n.root[i] = begun[p]
	}
}

// at is the series of the records that began in a night.
func (n *Night) at(night int) (*composition.Series, error) {
	if night >= len(n.root) || n.root[night] == nil {
		return nil, fmt.Errorf("the ledger has no plan of night %d, in which a record began", night)
	}
	return n.root[night]()
}

func (n *Night) begin(p *plan.Plan) (*composition.Series, error) {
	letters := p.InputLabels()
	list := make([]composition.Channel, len(n.channel))
	for i, c := range n.channel {
		row := map[report.Label]int32{}
		for x, l := range c.Plan.InputLabels() {
			row[l] = int32(x)
		}
		place := make([]int32, len(letters))
		for x, l := range letters {
			to, ok := row[l]
			if place[x] = to; !ok {
				place[x] = -1
			}
		}
		list[i] = composition.Channel{Law: c.Plan.Mechanism(), Letter: place, Total: c.Total}
	}
	return composition.New(p.Prior, list)
}

// State is what the entries of a record tell, in the order of their first
// nights; nil where none is of a value.
func (n *Night) State(list []ledger.RecordEntry) (*composition.State, error) {
	if !slices.ContainsFunc(list, func(e ledger.RecordEntry) bool { return n.of(e) != absent }) {
		return nil, nil
	}
	return n.walk(list, -1)
}

// walk goes along the entries up to the first value of a channel.
func (n *Night) walk(list []ledger.RecordEntry, until int) (*composition.State, error) {
	s, err := n.at(int(list[0].First))
	if err != nil {
		return nil, err
	}
	st := s.Start()
	for i, e := range list {
		shown, channel, past := n.of(e), int(e.Channel), list[:i]
		switch {
		case shown != absent && channel == until:
			return st, nil
		case n.mixed(past, shown) || shown != absent && (known(past, e.Channel) ||
			st.Decide(channel) == composition.Keep && !n.shown(past, shown)):
			st = st.Changed()
		case shown != absent:
			st = st.After(channel, int32(e.Output))
		}
	}
	return st, nil
}

// known reports whether a channel has an entry.
func known(list []ledger.RecordEntry, channel uint16) bool {
	return slices.ContainsFunc(list, func(e ledger.RecordEntry) bool { return e.Channel == channel })
}

// shown reports whether an entry shows a symbol.
func (n *Night) shown(list []ledger.RecordEntry, s symbol) bool {
	return slices.ContainsFunc(list, func(e ledger.RecordEntry) bool { return n.of(e) == s })
}

// mixed reports whether an entry shows a value where s is absent, or the reverse.
func (n *Night) mixed(list []ledger.RecordEntry, s symbol) bool {
	return slices.ContainsFunc(list, func(e ledger.RecordEntry) bool { return (n.of(e) == absent) != (s == absent) })
}

// alone is the largest factor that a symbol has by a single draw of those
// before that may have shown it, under the prior of the plan it was drawn by; nil
// for none.
func (n *Night) alone(past []ledger.RecordEntry, s symbol) (most *big.Rat, err error) {
	for _, e := range past {
		if n.of(e) != s || int(e.First) >= len(n.root) || n.root[e.First] == nil {
			continue
		}
		st, err := n.walk(past, int(e.Channel))
		if err != nil {
			return nil, err
		}
		by := n.plan[e.First].Leakage.Output
		if st.Decide(int(e.Channel)) == composition.Draw && int(e.Output) < len(by) {
			most = larger(most, by[e.Output])
		}
	}
	return most, nil
}

// of is the symbol of an entry.
func (n *Night) of(e ledger.RecordEntry) symbol {
	if int(e.Output) >= len(n.symbol[e.Channel]) { // ledger.Null
		return absent
	}
	return n.symbol[e.Channel][e.Output]
}

// output is the output of a channel that a symbol is; -1 is a null that is
// none, and ok is false where the channel cannot show it.
func (n *Night) output(channel uint16, s symbol) (y int32, ok bool) {
	if s == absent {
		s = n.null
	}
	if y, ok = n.place[channel][s]; !ok {
		return -1, s == n.null
	}
	return y, true
}

// Kind is how a record history names draws within a total, as mechanism.ParseEpsilon
// reads it, "" for none: "draw", or "draw; total TOTAL".
func Kind(total string) string {
	if total == "" {
		return "draw"
	}
	return "draw; total " + total
}

// totalOf is the total of a kind, nil for none.
func totalOf(kind string) (*mechanism.Epsilon, error) {
	total, limited := strings.CutPrefix(kind, "draw; total ")
	switch e, err := mechanism.ParseEpsilon(total); {
	case kind == "draw":
		return nil, nil
	case limited && strings.Contains(total, ", else "):
		return nil, fault.New(fault.Input, "begin another series with another --dataset; the ledger keeps what this one told",
			"the record history has draws under --over-budget, by which an earlier version merged outputs or hid them")
	case !limited || err != nil:
		return nil, fault.New(fault.Input, "run the version that wrote it, or begin another series with another --dataset",
			"the record history names a kind of draws that this version does not know")
	default:
		return &e, nil
	}
}
