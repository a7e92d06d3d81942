package releases

import (
	"crypto/sha256"
	"slices"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Memo makes the memoised draws of a run. A nil one stands for fresh draws.
type Memo struct {
	o      *request.Repeat
	key    *key.Key
	unit   draw.Unit
	column string
	beside []string // columns that ids are read from
	drawn  []int    // of those, by which ids are drawn
	named  []int    // by which records are named
	names  *draw.Names
	keyed  *draw.Keyed
	strata *memoStrata // nil where one mechanism draws all records
	// persons are collected as records are drawn.
	persons *Persons
	looking *lookout // nil where ids were looked at before

	night *Night // nil without a history
	past  *ledger.History
	nulls bool // the output can hold a null
	quiet bool // the release was made before: the history stays as it is
}

// NewMemo reads the key before anything else is read.
func NewMemo(o *request.Repeat, column string) (*Memo, error) {
	if !o.Memoised() {
		return nil, nil
	}
	if slices.Contains(o.Identifiers(), column) { // apply knows it from the plan
		return nil, fault.New(fault.Usage, "name another column, which identifies the record or the person",
			"--record-id and --person cannot name the private column %q", column)
	}
	k, err := key.Read(o.KeyFile, key.Draw, "--key-file")
	if err != nil {
		return nil, err
	}
	m := &Memo{o: o, key: k, unit: draw.Record, column: column, beside: o.Identifiers()}
	for _, n := range o.RecordID {
		m.named = append(m.named, slices.Index(m.beside, n))
	}
	m.drawn = m.named
	if o.Person != "" {
		m.unit, m.drawn, m.persons = draw.Person, []int{0}, &Persons{}
	}
	m.names = draw.NewNames(draw.KeyOf([32]byte(k.History())), draw.Record, o.Population, column)
	return m, nil
}

// MayBeNull says whether the output can hold a null.
func (m *Memo) MayBeNull(ok bool) {
	if m != nil {
		m.nulls = ok
	}
}

// Follow takes the plan that is drawn by.
func (m *Memo) Follow(p *plan.Plan) error {
	if m == nil || p.Empty() {
		return nil
	}
	design, err := publish.Digest(p.DesignHash)
	if err != nil {
		return err
	}
	bound := func(design [sha256.Size]byte, law *mechanism.Mechanism) *draw.Keyed {
		return draw.NewKeyed(draw.KeyOf([32]byte(m.key.Secret())), draw.Binding{Unit: m.unit, Design: design,
			Column: m.column}, law)
	}
	laws, _ := p.Laws()
	if m.keyed = bound(design, laws[0]); len(laws) > 1 {
		m.strata = newMemoStrata(p, len(m.beside), design, bound)
	}
	return nil
}

// A hand draws for one goroutine.
type hand struct {
	m      *Memo
	drawer *draw.Drawer
	strata *handStrata // draws instead, where strata have mechanisms
	namer  *draw.Namer
	id     draw.ID
	text   []byte
	mixed  Head // with which heads of whole numbers begin; 0 before the first
	known  []Head
	list   []ledger.RecordEntry
	drawn  []Drawing
	name   [ahead]ledger.Record
	at     [ahead]ledger.Place
}

func (m *Memo) hand() *hand {
	h := &hand{m: m, namer: m.names.Namer()}
	if m.keyed != nil {
		h.drawer = m.keyed.Drawer()
	}
	h.strata = m.strata.hand()
	return h
}

// fill takes the parts of an id from a row, none of which is null.
func (h *hand) fill(b *table.Batch, columns []int, i int) {
	h.id.Reset()
	for _, c := range columns {
		switch v := &b.Beside[c]; v.Type.Form { // the text of the cell, without a detour where there is a short way
		case table.IntegerCells:
			h.id.Int(v.Int(i))
		case table.UnsignedCells:
			h.id.Uint(uint64(v.Int(i)))
		case table.TextCells:
			h.id.Part(v.Bytes(i))
		default:
			h.text = v.AppendText(h.text[:0], i)
			h.id.Part(h.text)
		}
	}
}

// A Drawing is what happens to one row: its draw, and what is published.
type Drawing struct {
	drawn int32
	Row
}

// ahead is how many rows are drawn before their records are looked up.
const ahead = 128

// rows draws for a batch; what it answers is good until it is called again. each,
// where it is not nil, is called for every row of which a history decides.
func (h *hand) rows(b *table.Batch, each func(d *Drawing, name *ledger.Record, at ledger.Place)) ([]Drawing, error) {
	letters := b.Letters[0]
	if err := h.strata.read(b); err != nil {
		return nil, err
	}
	h.drawn = slices.Grow(h.drawn[:0], len(letters))[:len(letters)]
	for from := 0; from < len(letters); from += ahead {
		to := min(len(letters), from+ahead)
		for i := from; i < to; i++ {
			h.row(b, i, from)
		}
		if h.m.night == nil {
			continue
		}
		h.m.past.Find(h.name[:to-from], h.at[:to-from])
		for i := from; i < to; i++ {
			d := &h.drawn[i]
			h.list = h.m.past.Past(h.at[i-from], h.list[:0])
			past := h.m.night.Before(h.list)
			var err error
			if d.drawn < 0 {
				d.Row, err = h.m.night.Absent(past)
			} else {
				d.Row, err = h.m.night.Decide(past, d.drawn)
			}
			if err == nil && d.Output < 0 && d.drawn >= 0 && !h.m.nulls {
				err = errNoNull
			}
			if err != nil {
				return nil, nightFault(err)
			}
			if each != nil {
				each(d, &h.name[i-from], h.at[i-from])
			}
		}
	}
	return h.drawn, nil
}

// row draws for row i, and names its record where there is a history.
func (h *hand) row(b *table.Batch, i, from int) {
	x, d := b.Letters[0][i], &h.drawn[i]
	if x < 0 { // a null that stays
		*d = Drawing{drawn: x, Row: Row{Output: x}}
		if h.m.night != nil {
			h.fill(b, h.m.named, i)
			h.name[i-from] = ledger.Record(h.namer.Name(&h.id))
		}
		return
	}
	h.fill(b, h.m.drawn, i)
	d.drawn = h.strata.drawer(h.drawer, i).Draw(&h.id, x)
	if h.m.night == nil {
		d.Row = Row{Output: d.drawn}
		return
	}
	if h.m.unit == draw.Person {
		h.fill(b, h.m.named, i)
	}
	h.name[i-from] = ledger.Record(h.namer.Name(&h.id))
}

// draw replaces the letters of a batch and notes what is published.
func (h *hand) draw(b *table.Batch, n *noted) ([]Drawing, error) {
	if err := h.look(b); err != nil {
		return nil, err
	}
	var sum counts
	drawn, err := h.rows(b, func(d *Drawing, name *ledger.Record, at ledger.Place) {
		if !h.m.quiet {
			h.m.past.Publish(name, at, d.Channel, d.Entry)
		}
		sum.add(d)
	})
	if err != nil {
		return nil, err
	}
	letters := b.Letters[0]
	for i, x := range letters {
		if h.m.persons != nil && x >= 0 {
			h.fill(b, h.m.drawn, i)
			h.m.persons.Add(h.namer.Name(&h.id), uint16(x), uint16(drawn[i].drawn))
		}
		letters[i] = drawn[i].Output
	}
	n.add(&sum)
	return drawn, nil
}

// Hands make the memoised draws of a part.
type Hands struct {
	m     *Memo
	noted *noted
}

// Hands are those of a part, noting in b, which may be nil, what is published.
func (m *Memo) Hands(b *Booking) *Hands {
	h := &Hands{m: m, noted: &noted{}}
	if b != nil {
		h.noted = &b.noted
	}
	return h
}

// A Hand draws for one unit, on which one goroutine works at a time.
type Hand struct {
	hand  *hand // nil for a plan without letters
	noted *noted
}

// Unit is the hand of another unit.
func (h *Hands) Unit() *Hand {
	if h.m.keyed == nil {
		return &Hand{}
	}
	return &Hand{h.m.hand(), h.noted}
}

// Draw replaces the letters of a batch and tells what was drawn, which is good
// until it draws again.
func (h *Hand) Draw(b *table.Batch) ([]Drawing, error) {
	if h.hand == nil {
		return nil, nil
	}
	return h.hand.draw(b, h.noted)
}

// noted counts rows of a night, from many goroutines.
type noted struct{ held, changed, visible atomic.Int64 }

func (n *noted) add(c *counts) {
	n.held.Add(c.held)
	n.changed.Add(c.changed)
	n.visible.Add(c.visible)
}

// counts are those of a batch.
type counts struct{ held, changed, visible int64 }

func (c *counts) add(d *Drawing) {
	c.held += b2i(d.Held)
	c.changed += b2i(d.Changed)
	c.visible += b2i(d.Visible)
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
