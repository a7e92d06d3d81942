package releases

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

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
	keyed  []*draw.Keyed // by mechanism; nil for a plan without letters
	law    []int         // of each group of records, its mechanism
	// letter and draw of every row, by the names of persons; nil where ids are of records
	persons *ledger.Notes

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
		m.unit, m.drawn, m.persons = draw.Person, []int{0}, &ledger.Notes{}
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
	var laws []*mechanism.Mechanism
	laws, m.law = p.Laws()
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
	drawer []*draw.Drawer // by mechanism
	namer  *draw.Namer
	id     draw.ID
	text   []byte
	past   []ledger.RecordEntry
	drawn  []Drawing
	name   []ledger.Record // of the rows of a batch, where there is a history
	at     []ledger.Place  // and where their records stand in it
}

// Hand is that of a unit.
func (m *Memo) Hand() *Hand {
	h := &Hand{m: m, namer: m.names.Namer()}
	for _, k := range m.keyed {
		h.drawer = append(h.drawer, k.Drawer())
	}
	return h
}

// fill takes the parts of an id from a row, none of which is null.
func (h *Hand) fill(b *table.Batch, columns []int, i int) {
	h.id.Reset()
	for _, c := range columns {
		h.text = b.Beside[c].AppendText(h.text[:0], i)
		h.id.Part(h.text)
	}
}

// A Drawing is what happens to one row: its draw, and what is published.
type Drawing struct {
	drawn int32
	Row
}

// Draw replaces the letters of a batch, the rows of which are of these groups, none where all
// records are one. It notes in the history what is published, and tells what was drawn, which
// is good until it draws again.
func (h *Hand) Draw(b *table.Batch, group []int32) ([]Drawing, error) {
	if h.drawer == nil {
		return nil, nil
	}
	letters := b.Letters[0]
	h.drawn = slices.Grow(h.drawn[:0], len(letters))[:len(letters)]
	h.name = h.name[:0]
	for i := range letters {
		law := 0
		if group != nil {
			law = h.m.law[group[i]]
		}
		h.row(b, i, law)
	}
	if h.m.night != nil {
		h.at = slices.Grow(h.at[:0], len(letters))[:len(letters)]
		h.m.past.Find(h.name, h.at)
	}
	for i, x := range letters {
		if h.m.night != nil {
			if err := h.decide(i, x); err != nil {
				return nil, err
			}
		}
		letters[i] = h.drawn[i].Output
	}
	return h.drawn, nil
}

// row draws for row i by a mechanism, and names its record where there is a history.
func (h *Hand) row(b *table.Batch, i, law int) {
	m, x, d := h.m, b.Letters[0][i], &h.drawn[i]
	*d = Drawing{drawn: x, Row: Row{Output: x}} // a null that stays
	if x >= 0 {
		h.fill(b, m.drawn, i)
		d.drawn = h.drawer[law].Draw(&h.id, x)
		d.Output = d.drawn
		if m.persons != nil {
			name := ledger.Record(h.namer.Name(&h.id))
			m.persons.Add(&name, uint16(x), uint16(d.drawn))
		}
	}
	if m.night == nil {
		return
	}
	if x >= 0 && m.unit == draw.Record { // the id at hand
		h.name = append(h.name, ledger.Record(h.namer.Name(&h.id)))
		return
	}
	h.name = append(h.name, ledger.Record(h.record(b, i)))
}

// decide takes from the history of the record of row i, which has letter x, what is published.
func (h *Hand) decide(i int, x int32) (err error) {
	m, d := h.m, &h.drawn[i]
	h.past = m.past.Past(h.at[i], h.past[:0])
	if d.Row, err = m.night.Decide(h.past, d.drawn); err != nil {
		return err
	}
	if d.Output < 0 && x >= 0 && !m.nulls {
		return errNoNull
	}
	if !m.quiet {
		m.past.Publish(&h.name[i], h.at[i], d.Channel, d.Entry)
	}
	return nil
}

// errNoNull says that a record shows a null and the column of this release's output
// cannot hold one.
var errNoNull = fault.New(fault.Input, "make the column nullable",
	"the column is required, so it cannot hold the null that an earlier release gave a record")
