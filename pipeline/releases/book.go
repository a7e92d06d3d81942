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

// A Book knows the channels of a history by their numbers and the plans of its
// nights. It may be used by many goroutines.
type Book struct {
	channel []Channel
	symbol  [][]composition.Symbol // by channel, by output
	place   [][]int32              // by channel, by symbol; -1 where it is no output
	null    composition.Symbol     // of what is published as null
	symbols int
	root    []*root // by night, from 1 on; nil where nothing began
}

// A root is the series of the records that began under one plan.
type root struct {
	plan   *plan.Plan
	once   sync.Once
	series *composition.Series
	err    error
}

// NewBook takes the channels by their numbers and the plan of every night, by
// its number; nights without a plan begin no record.
func NewBook(channels []Channel, plans []*plan.Plan) *Book {
	b := &Book{channel: channels, null: composition.Null, root: make([]*root, len(plans))}
	known, begun := map[report.Label]composition.Symbol{}, map[*plan.Plan]*root{}
	for _, c := range channels {
		labels := c.Plan.OutputLabels()
		list := make([]composition.Symbol, len(labels))
		for y, l := range labels {
			s, ok := known[l]
			if !ok {
				s = composition.Symbol(len(known))
				known[l] = s
			}
			if list[y] = s; l.Null {
				b.null = s
			}
		}
		b.symbol = append(b.symbol, list)
	}
	b.symbols = len(known)
	for _, list := range b.symbol {
		place := make([]int32, b.symbols)
		for s := range place {
			place[s] = -1
		}
		for y, s := range list {
			place[s] = int32(y)
		}
		b.place = append(b.place, place)
	}
	for n, p := range plans {
		if p == nil || p.Empty() {
			continue
		}
		if begun[p] == nil {
			begun[p] = &root{plan: p}
		}
		b.root[n] = begun[p]
	}
	return b
}

// at is the series of the records that began in a night.
func (b *Book) at(night int) (*composition.Series, error) {
	if night >= len(b.root) || b.root[night] == nil {
		return nil, fmt.Errorf("the ledger has no plan of night %d, in which a record began", night)
	}
	r := b.root[night]
	r.once.Do(func() { r.series, r.err = b.begin(r.plan) })
	return r.series, r.err
}

func (b *Book) begin(p *plan.Plan) (*composition.Series, error) {
	letters := p.InputLabels()
	list := make([]composition.Channel, len(b.channel))
	for i, c := range b.channel {
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
		list[i] = composition.Channel{Law: c.Plan.Mechanism(), Letter: place, Symbol: b.symbol[i],
			Total: c.Total}
	}
	return composition.New(p.Prior, list)
}

// State is what the entries of a record tell, in the order of their first
// nights; nil where none is of a value.
func (b *Book) State(list []ledger.RecordEntry) (*composition.State, error) {
	if !b.other(list, true) {
		return nil, nil
	}
	return b.walk(list, -1)
}

// walk goes along the entries up to the first of a channel.
func (b *Book) walk(list []ledger.RecordEntry, until int) (*composition.State, error) {
	s, err := b.at(int(list[0].First))
	if err != nil {
		return nil, err
	}
	st := s.Start()
	for i, e := range list {
		switch {
		case b.absent(e):
			if b.other(list[:i], true) {
				st = st.Changed()
			}
		case int(e.Channel) == until:
			return st, nil
		case known(list[:i], e.Channel) || b.other(list[:i], false) ||
			st.Decide(int(e.Channel)).Action == composition.Keep && !b.shown(list[:i], b.of(e)):
			st = st.Changed()
		default:
			st = st.After(int(e.Channel), b.of(e))
		}
	}
	return st, nil
}

// known reports whether a channel has an entry.
func known(list []ledger.RecordEntry, channel uint16) bool {
	for _, e := range list {
		if e.Channel == channel {
			return true
		}
	}
	return false
}

// shown reports whether an entry shows a symbol.
func (b *Book) shown(list []ledger.RecordEntry, s composition.Symbol) bool {
	return slices.ContainsFunc(list, func(e ledger.RecordEntry) bool { return b.of(e) == s })
}

// alone is the largest factor that a symbol has by a single draw of those
// before that may have shown it, under the prior of the plan it was drawn by; nil
// for none.
func (b *Book) alone(past []ledger.RecordEntry, s composition.Symbol) (most *big.Rat, err error) {
	for _, e := range past {
		if b.of(e) != s || b.absent(e) || int(e.First) >= len(b.root) || b.root[e.First] == nil {
			continue
		}
		st, err := b.walk(past, int(e.Channel))
		if err != nil {
			return nil, err
		}
		by := b.root[e.First].plan.Leakage.Output
		if st.Decide(int(e.Channel)).Action == composition.Draw && int(e.Output) < len(by) {
			most = larger(most, by[e.Output])
		}
	}
	return most, nil
}

// of is the symbol of an entry.
func (b *Book) of(e ledger.RecordEntry) composition.Symbol {
	if e.Output == ledger.Null || int(e.Output) >= len(b.symbol[e.Channel]) {
		return b.null
	}
	return b.symbol[e.Channel][e.Output]
}

// output is the output of a channel that a symbol is; -1 is a null that is
// none, and ok is false where the channel cannot show it.
func (b *Book) output(channel uint16, s composition.Symbol) (y int32, ok bool) {
	if s < 0 {
		return -1, s == composition.Null
	}
	if y = b.place[channel][s]; y < 0 && s == b.null {
		return -1, true
	}
	return y, y >= 0
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
