package book

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// An event is a line of the ledger.
type event struct {
	Seq      int64     `json:"seq"`
	Previous string    `json:"previous"`
	When     string    `json:"when"`
	Clock    string    `json:"clock"`
	Kind     string    `json:"kind"`
	Release  int64     `json:"release"`
	Begin    *begin    `json:"begin"`
	Reserve  *Reserved `json:"reserve"`
	Seal     *Sealed   `json:"seal"`
	Redesign *change   `json:"redesign"`
	Rotate   *change   `json:"rotate"`
	Reason   string    `json:"reason"`
}

type begin struct {
	Format string `json:"format"`
	ID     string `json:"id"`
}

type change struct {
	Series
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

// A chain takes events one by one.
type chain struct {
	*Book
	last   string    // time of the last event
	said   []*change // since the last reservation
	nights map[Series]int
	open   map[Series][]*Release // sealed or committed, in the order of sealing
}

func newChain() *chain {
	return &chain{Book: &Book{}, nights: map[Series]int{}, open: map[Series][]*Release{}}
}

// add takes the canonical bytes of an event and its stated hash. The first
// fault ends the chain.
func (c *chain) add(body []byte, hash string) {
	if c.Broken != "" {
		return
	}
	n := len(c.Hash) + 1
	head := strings.Repeat("0", 64)
	if n > 1 {
		head = c.Hash[n-2]
	}
	sum := sha256.Sum256(body)
	e, err := decode(body)
	why := ""
	switch {
	case hex.EncodeToString(sum[:]) != hash:
		why = "its bytes do not have its hash"
	case err != nil:
		why = "it cannot be read"
	case e.Seq != int64(n) || e.Previous != head:
		why = "it does not follow the event before"
	case e.When < c.last:
		why = "it is of a time before the event before"
	default:
		why = c.apply(e)
	}
	if why != "" {
		c.Broken = fmt.Sprintf("event %d: %s", n, why)
		return
	}
	c.Hash, c.last = append(c.Hash, hash), e.When
}

// apply holds an event to the order of events; docs/ledger.md, "States".
func (c *chain) apply(e *event) (why string) {
	r := c.Release(e.Release)
	switch {
	case (e.Kind == "begin") != (e.Seq == 1):
		return "a ledger begins once"
	case e.Kind == "begin" && e.Begin != nil && e.Begin.Format == "tacet.ledger/v1":
		c.ID = e.Begin.ID
	case e.Kind == "redesign" && e.Redesign != nil:
		c.said = append(c.said, e.Redesign)
	case e.Kind == "rotate" && e.Rotate != nil:
		c.said = append(c.said, e.Rotate)
	case e.Kind == "reserve" && e.Reserve != nil:
		return c.reserve(e)
	case e.Kind == "seal" && e.Seal != nil && r != nil && r.State == "reserved":
		if h := e.Seal.History; h != nil && h.Base != c.base(r.Series) {
			return "its record history does not continue the one before"
		}
		r.State, r.Sealed, r.SealedAt = "sealed", e.Seal, e.Seq
		c.open[r.Series] = append(c.open[r.Series], r)
	case e.Kind == "commit" && r != nil && r.State == "sealed":
		r.State = "committed"
	case e.Kind == "void" && r != nil && r.State == "reserved":
		r.State = "voided"
	case e.Kind == "void" && r != nil && r.State == "sealed" && c.open[r.Series][len(c.open[r.Series])-1] == r:
		r.State = "voided"
		c.open[r.Series] = c.open[r.Series][:len(c.open[r.Series])-1]
	default:
		return "it cannot follow the events before"
	}
	return ""
}

// reserve wants every change of design and key to be said right before.
func (c *chain) reserve(e *event) (why string) {
	n, design, key := e.Reserve, "", ""
	for _, r := range c.Releases {
		if r.Series == n.Series && r.Counts() {
			if design = r.Design; r.Key != "" {
				key = r.Key
			}
		}
	}
	var want []change
	if design != "" && design != n.Design {
		want = append(want, change{Series: n.Series, From: design, To: n.Design})
	}
	if key != "" && n.Key != "" && key != n.Key {
		want = append(want, change{Series: n.Series, From: key, To: n.Key})
	}
	if !slices.EqualFunc(c.said, want, func(a *change, b change) bool { return a.Series == b.Series && a.From == b.From && a.To == b.To }) {
		return "it changes design or key unsaid"
	}
	c.said = nil
	c.nights[n.Series]++
	c.Releases = append(c.Releases, &Release{ID: e.Seq, Night: c.nights[n.Series], When: e.When, State: "reserved", Reserved: *n})
	return ""
}

// base is the SHA-256 of the record history in effect.
func (c *chain) base(s Series) string {
	for _, r := range slices.Backward(c.open[s]) {
		if r.Sealed.History != nil {
			return r.Sealed.History.SHA256
		}
	}
	return ""
}
