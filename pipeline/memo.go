package pipeline

import (
	"slices"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger/history"
	"github.com/tacet-privacy/tacet/pipeline/night"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// A memo makes the memoised draws of a run. A nil one stands for fresh draws.
type memo struct {
	key    *key.Key
	unit   draw.Unit
	column string
	beside []string // columns that ids are read from
	drawn  []int    // of those, by which ids are drawn
	named  []int    // by which records are named
	names  *draw.Names
	keyed  *draw.Keyed
	// persons are collected as the written file is checked.
	persons *night.Persons

	night   *night.Night // nil without a history
	past    *history.History
	degrade *draw.Keyed // draws from outputs of the design before; nil for none
	quiet   bool        // the release was made before: the history stays as it is
}

// newMemo reads the key before anything else is read.
func newMemo(o *Options, column string) (*memo, error) {
	if !o.memoised() {
		return nil, nil
	}
	if slices.Contains(o.identifiers(), column) { // apply knows it from the plan
		return nil, faultf(Usage, "name the column that says whose row it is", "--record-id and --person cannot name the private column %q", column)
	}
	k, err := key.Read(o.KeyFile, key.Draw, "--key-file")
	if err != nil {
		return nil, err
	}
	m := &memo{key: k, unit: draw.Record, column: column, beside: o.identifiers()}
	for _, n := range o.RecordID {
		m.named = append(m.named, slices.Index(m.beside, n))
	}
	m.drawn = m.named
	if o.Person != "" {
		m.unit, m.drawn, m.persons = draw.Person, []int{0}, &night.Persons{}
	}
	m.names = draw.NewNames(draw.KeyOf([32]byte(k.History())), draw.Record, o.Population, column)
	return m, nil
}

// columns are those that the input has to be read with.
func (m *memo) columns() []string {
	if m == nil {
		return nil
	}
	return m.beside
}

// follow takes the plan that is drawn by.
func (m *memo) follow(p *plan.Plan) error {
	if m == nil || p.Empty() {
		return nil
	}
	design, err := digest(p.DesignHash)
	if err != nil {
		return err
	}
	m.keyed = draw.NewKeyed(draw.KeyOf([32]byte(m.key.Secret())), draw.Binding{Unit: m.unit, Design: design, Column: m.column}, p.Mechanism)
	return nil
}

// A hand draws for one goroutine.
type hand struct {
	m      *memo
	drawer *draw.Drawer
	derive night.Derive // from an output of the design before, by the id at hand
	namer  *draw.Namer
	id     draw.ID
	text   []byte
	list   []history.Entry
}

func (m *memo) hand() *hand {
	h := &hand{m: m, namer: m.names.Namer()}
	if m.keyed != nil {
		h.drawer = m.keyed.Drawer()
	}
	if m.degrade != nil {
		d := m.degrade.Drawer()
		h.derive = func(output int32) int32 { return d.Draw(&h.id, output) }
	}
	return h
}

// fill takes the parts of an id from a row, none of which is null.
func (h *hand) fill(b *colfile.Batch, columns []int, i int) {
	h.id.Reset()
	for _, c := range columns {
		h.text = b.Beside[c].AppendText(h.text[:0], i)
		h.id.Part(h.text)
	}
}

// A drawing is what happens to one row: its draw, and what is published.
type drawing struct {
	drawn int32
	night.Row
	name history.Record // without a history it is not filled in
}

// row draws for row i, which holds letter x.
func (h *hand) row(b *colfile.Batch, i int, x int32) (d drawing, err error) {
	if x < 0 { // a null that stays
		return drawing{drawn: x, Row: night.Row{Output: x}}, nil
	}
	h.fill(b, h.m.drawn, i)
	d.drawn = h.drawer.Draw(&h.id, x)
	if h.m.night == nil {
		d.Row = night.Row{Output: d.drawn, Fits: true}
		return d, nil
	}
	if h.m.unit == draw.Person {
		h.fill(b, h.m.named, i)
	}
	d.name = history.Record(h.namer.Name(&h.id))
	h.list = h.m.past.Past(&d.name, h.list[:0])
	d.Row, err = h.m.night.Decide(h.m.night.Before(h.list), d.drawn, h.derive)
	return d, err
}

// draw replaces the letters of a batch and notes what is published.
func (h *hand) draw(b *colfile.Batch, n *noted) error {
	letters := b.Letters[0]
	for i, x := range letters {
		d, err := h.row(b, i, x)
		if err != nil {
			return nightFault(err)
		}
		letters[i] = d.Output
		if x < 0 || h.m.night == nil {
			continue
		}
		if !h.m.quiet {
			h.m.past.Publish(&d.name, d.Channel, d.Entry)
		}
		n.add(&d)
	}
	return nil
}

// noted counts rows of a night, from many goroutines.
type noted struct{ held, limited, suppressed, changed, visible atomic.Int64 }

func (n *noted) add(d *drawing) {
	for _, c := range []struct {
		is bool
		to *atomic.Int64
	}{{d.Held, &n.held}, {d.Limited, &n.limited}, {d.Output < 0, &n.suppressed}, {d.Changed, &n.changed}, {d.Visible, &n.visible}} {
		if c.is {
			c.to.Add(1)
		}
	}
}
