package releases

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/count"
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
	keyed  []*draw.Keyed  // by mechanism; nil for a plan without letters
	law    []int          // of each group of records, its mechanism
	group  *count.Grouper // nil where one mechanism draws all records
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
	m.names = draw.NewNames(draw.KeyOf([32]byte(k.History())), draw.Record, "", column)
	return m, nil
}

// MayBeNull says whether the output can hold a null.
func (m *Memo) MayBeNull(ok bool) {
	if m != nil {
		m.nulls = ok
	}
}

// Follow takes the plan that is drawn by. Where there are several mechanisms, number i is bound to the
// SHA-256 of the plan's design hash and i in eight bytes, as a design of its own: a record that comes
// into a stratum with another mechanism is drawn anew, independently of what it had before.
func (m *Memo) Follow(p *plan.Plan) error {
	if m == nil || p.Empty() {
		return nil
	}
	design, err := publish.Digest(p.DesignHash)
	if err != nil {
		return err
	}
	laws, law := p.Laws()
	if m.law = law; len(laws) > 1 {
		m.group = count.NewGrouper(p)
	}
	for i, one := range laws {
		of := design
		if len(laws) > 1 {
			of = sha256.Sum256(binary.BigEndian.AppendUint64(design[:], uint64(i)))
		}
		m.keyed = append(m.keyed, draw.NewKeyed(draw.KeyOf([32]byte(m.key.Secret())), draw.Binding{Unit: m.unit, Design: of,
			Column: m.column}, one))
	}
	return nil
}

// A Hand draws for one unit, on which one goroutine works at a time.
type Hand struct {
	m      *Memo
	noted  *noted
	drawer []*draw.Drawer // by mechanism
	unit   table.Unit     // that reader reads
	reader *plan.Reader   // of groups
	group  []int32        // of the rows of a batch; nil where one mechanism draws all
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

// Hand is that of a unit, noting in b, which may be nil, what is published.
func (m *Memo) Hand(b *Booking) *Hand {
	h := &Hand{m: m, noted: &noted{}, namer: m.names.Namer()}
	if b != nil {
		h.noted = &b.noted
	}
	for _, k := range m.keyed {
		h.drawer = append(h.drawer, k.Drawer())
	}
	return h
}

// groups takes the groups of the rows of a batch.
func (h *Hand) groups(b *table.Batch) error {
	if h.m.group == nil {
		return nil
	}
	if h.reader == nil || h.unit != b.Unit {
		h.reader, h.unit = h.m.group.Reader(), b.Unit
	}
	if h.group = h.reader.Append(h.group[:0], &b.Beside[len(h.m.beside)]); slices.Contains(h.group, -1) {
		return table.ErrUnseen
	}
	return nil
}

// fill takes the parts of an id from a row, none of which is null.
func (h *Hand) fill(b *table.Batch, columns []int, i int) {
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
func (h *Hand) rows(b *table.Batch, each func(d *Drawing, name *ledger.Record, at ledger.Place)) ([]Drawing, error) {
	letters := b.Letters[0]
	if err := h.groups(b); err != nil {
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
func (h *Hand) row(b *table.Batch, i, from int) {
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
	law := 0
	if h.group != nil {
		law = h.m.law[h.group[i]]
	}
	d.drawn = h.drawer[law].Draw(&h.id, x)
	if h.m.night == nil {
		d.Row = Row{Output: d.drawn}
		return
	}
	if h.m.unit == draw.Person {
		h.fill(b, h.m.named, i)
	}
	h.name[i-from] = ledger.Record(h.namer.Name(&h.id))
}

// Draw replaces the letters of a batch, notes what is published, and tells what was drawn, which is
// good until it draws again.
func (h *Hand) Draw(b *table.Batch, _ []int32) ([]Drawing, error) {
	if h.drawer == nil {
		return nil, nil
	}
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
	h.noted.add(&sum)
	return drawn, nil
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
