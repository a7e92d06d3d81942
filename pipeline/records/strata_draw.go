package records

import (
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
)

// A stratumDrawer draws each record from the mechanism of its stratum. Every
// mechanism has a stream of its own in every unit, so that what is drawn does
// not depend on how rows come in batches.
type stratumDrawer struct {
	table   []*draw.Table // one per mechanism
	law     []int         // of each group, its mechanism
	streams draw.Streams
}

// A stratumUnit is a unit that is being drawn, by one goroutine.
type stratumUnit struct {
	*stratumDrawer
	source []*draw.Source // one per mechanism
	at     [][]int32      // by mechanism, its rows of a batch
	letter [][]int32      // and their letters
}

func newStratumDrawer(p *plan.Plan, streams draw.Streams) *stratumDrawer {
	laws, law := p.Strata.Laws()
	d := &stratumDrawer{law: law, streams: streams}
	for _, m := range laws {
		d.table = append(d.table, draw.NewTable(m))
	}
	return d
}

func (d *stratumDrawer) unit(unit table.Unit) unitDrawer {
	u := &stratumUnit{stratumDrawer: d, at: make([][]int32, len(d.table)), letter: make([][]int32, len(d.table))}
	for i := range d.table {
		u.source = append(u.source, d.streams.Unit(unit.File, unit.Group, i))
	}
	return u
}

func (u *stratumUnit) draw(b *table.Batch, group []int32) ([]releases.Drawing, error) {
	letters := b.Letters[0]
	if len(u.table) == 1 {
		u.table[0].Draw(u.source[0], letters)
		return nil, nil
	}
	for i := range u.table {
		u.at[i], u.letter[i] = u.at[i][:0], u.letter[i][:0]
	}
	for row, g := range group {
		i := u.law[g]
		u.at[i], u.letter[i] = append(u.at[i], int32(row)), append(u.letter[i], letters[row])
	}
	for i, table := range u.table {
		table.Draw(u.source[i], u.letter[i])
		for k, row := range u.at[i] {
			letters[row] = u.letter[i][k]
		}
	}
	return nil, nil
}
