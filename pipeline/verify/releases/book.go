package releases

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A Series is what is released again and again.
type Series struct {
	Dataset    string `json:"dataset"`
	Column     string `json:"column"`
	Population string `json:"population"`
}

// A Figure is the factor of a whole series.
type Figure struct {
	Factor string `json:"factor"`
	Label  string `json:"label"`
	Rule   string `json:"rule"`
}

// A Reserved is what a release was going to be.
type Reserved struct {
	Series
	Plan       string     `json:"plan_sha256"`
	Design     string     `json:"design_sha256"`
	Key        string     `json:"key_id"`
	Input      string     `json:"input_sha256"`
	Factor     string     `json:"factor"`
	Budget     string     `json:"budget"`
	OnChange   string     `json:"on_change"`
	OverBudget string     `json:"over_budget"`
	Documents  []Document `json:"documents"`
	Claim      Figure     `json:"claim"`
}

// A Document is a file that the ledger keeps.
type Document struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// A Sealed is what a release came to.
type Sealed struct {
	Output     string   `json:"output_sha256"`
	Rows       int64    `json:"rows"`
	Factor     string   `json:"factor"`
	Cumulative Figure   `json:"cumulative"`
	Changed    int64    `json:"changed"`
	Held       int64    `json:"held"`
	Limited    int64    `json:"limited"`
	New        int64    `json:"new"`
	Vanished   int64    `json:"vanished"`
	History    *Segment `json:"history"`
}

// A Segment is a record history.
type Segment struct {
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
	Base    string `json:"base"`
	Records int64  `json:"records"`
	Entries int64  `json:"entries"`
}

// A Booked is a release with all that the ledger says of it.
type Booked struct {
	ID    int64 // seq of its reservation
	Night int   // within its series, from 1 on
	When  string
	State string // reserved, sealed, committed or voided
	Reserved
	Sealed   *Sealed
	SealedAt int64 // seq of the event; 0 for none
}

// A Book is a ledger whose chain holds as far as Broken says.
type Book struct {
	ID       string
	Hash     []string // of the events, in their order
	Releases []*Booked
	Broken   string // what is wrong with the chain, and where; "" for nothing

	folder   string            // of the record histories; "" of an export
	document map[string][]byte // nil of an export
}

// An Error says why a file is no ledger.
type Error struct{ What string }

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
	open   map[Series][]*Booked // sealed or committed, in the order of sealing
}

// Counts reports whether the release counts: it is not voided.
func (r *Booked) Counts() bool { return r.State != "voided" }

func (e *Error) Error() string { return e.What }

// Read reads a ledger or its export.
func Read(ctx context.Context, path string) (*Book, error) {
	kind, err := kindOf(path)
	switch {
	case err != nil:
		return nil, err
	case kind == database:
		return readDatabase(ctx, path)
	}
	return readExport(path)
}

// Release finds a release, nil where there is none.
func (b *Book) Release(id int64) *Booked {
	for _, r := range b.Releases {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Document is a file that the ledger keeps; nil where it does not, as an
// export does not.
func (b *Book) Document(sha string) []byte { return b.document[sha] }

// Folder is where the record histories of a series lie, "" for an export.
func (b *Book) Folder(s Series) string {
	if b.folder == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s.Dataset + "\x00" + s.Column + "\x00" + s.Population + "\x00"))
	return b.folder + "/" + hex.EncodeToString(sum[:8])
}

func newChain() *chain {
	return &chain{Book: &Book{}, nights: map[Series]int{}, open: map[Series][]*Booked{}}
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

// apply holds an event to the order of events; docs/repeated.md, "States".
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
	if !slices.EqualFunc(c.said, want, func(a *change, b change) bool {
		return a.Series == b.Series && a.From == b.From &&
			a.To == b.To
	}) {
		return "it changes design or key unsaid"
	}
	c.said = nil
	c.nights[n.Series]++
	c.Releases = append(c.Releases, &Booked{ID: e.Seq, Night: c.nights[n.Series], When: e.When, State: "reserved",
		Reserved: *n})
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
