package records

import (
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/source"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

// A stratumDrawer draws each record from the mechanism of its stratum. Every
// mechanism has a stream of its own in every unit, so that what is drawn does
// not depend on how rows come in batches.
type stratumDrawer struct {
	group   *source.Grouper
	table   []*draw.Table // one per mechanism
	law     []int         // of each group, its mechanism
	streams draw.Streams
	rows    []int64 // of every unit

	mu   sync.Mutex
	unit map[int]*stratumUnit
}

// A stratumUnit is a unit that is being drawn, by one goroutine.
type stratumUnit struct {
	reader *strata.Reader
	source []*draw.Source // one per mechanism
	left   int64          // rows
	of     []int32
	at     [][]int32 // by mechanism, its rows of a batch
	letter [][]int32 // and their letters
}

func newStratumDrawer(o *options.Options, p *plan.Plan, s *source.Input) *stratumDrawer {
	laws, law := p.Strata.Laws()
	d := &stratumDrawer{group: source.NewGrouper(p), law: law, streams: streamsFor(o, p), rows: s.File.Units(), unit: map[int]*stratumUnit{}}
	for _, m := range laws {
		d.table = append(d.table, draw.NewTable(m))
	}
	return d
}

// of is the state of a unit.
func (d *stratumDrawer) of(unit colfile.Unit) *stratumUnit {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.unit[unit.Group]
	if u == nil {
		u = &stratumUnit{reader: d.group.Reader(), left: d.rows[unit.Group], at: make([][]int32, len(d.table)), letter: make([][]int32, len(d.table))}
		for i := range d.table {
			u.source = append(u.source, d.streams.Unit(unit.File, unit.Group, i))
		}
		d.unit[unit.Group] = u
	}
	return u
}

func (d *stratumDrawer) draw(b colfile.Batch) error {
	u := d.of(b.Unit)
	letters := b.Letters[0]
	if len(d.table) == 1 {
		d.table[0].Draw(u.source[0], letters)
		d.done(b.Unit, u, len(letters))
		return nil
	}
	u.of = u.reader.Append(u.of[:0], &b.Beside[0])
	if slices.Contains(u.of, -1) {
		return colfile.ErrUnseen
	}
	for i := range d.table {
		u.at[i], u.letter[i] = u.at[i][:0], u.letter[i][:0]
	}
	for row, g := range u.of {
		i := d.law[g]
		u.at[i], u.letter[i] = append(u.at[i], int32(row)), append(u.letter[i], letters[row])
	}
	for i, table := range d.table {
		table.Draw(u.source[i], u.letter[i])
		for k, row := range u.at[i] {
			letters[row] = u.letter[i][k]
		}
	}
	d.done(b.Unit, u, len(letters))
	return nil
}

// done lets go of a unit whose rows are all drawn.
func (d *stratumDrawer) done(unit colfile.Unit, u *stratumUnit, rows int) {
	if u.left -= int64(rows); u.left <= 0 {
		d.mu.Lock()
		delete(d.unit, unit.Group)
		d.mu.Unlock()
	}
}

// grouping reads the groups of the part's records in one unit; nil where there
// are none.
func (p *Part) grouping() *strata.Reader {
	if p.Plan.Strata == nil {
		return nil
	}
	return source.NewGrouper(p.Plan).Reader()
}
