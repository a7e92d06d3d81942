package records

import (
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/pipeline/joint"
	"github.com/tacet-privacy/tacet/pipeline/source"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

// A pass draws all parts of the records and counts what becomes of them.
// Batches of different units come from many goroutines.
type pass struct {
	parts  []*Part
	drawer []*drawer
	joint  *joint.Crossing
	rows   []int64          // of each unit
	reader []*strata.Reader // of each unit; nil where there are no strata

	mu   sync.Mutex
	all  []*counting
	free []*counting // of all, those that no goroutine has
}

// A counting is of one goroutine at a time.
type counting struct {
	tally []*Tally // by part
	cross *joint.Crossing
	group []int32
	was   [][]int32 // by part, the letters of a batch before they are drawn
}

func newPass(s *source.Input, parts []*Part, joint *joint.Crossing) *pass {
	p := &pass{parts: parts, joint: joint, rows: s.File.Units()}
	for i, part := range parts {
		p.drawer = append(p.drawer, part.drawer(i, len(p.rows)))
		part.drawn = make([]digest, len(p.rows))
	}
	if parts[0].Plan.Strata != nil {
		p.reader = make([]*strata.Reader, len(p.rows))
	}
	return p
}

// batch draws and counts the rows of b.
func (p *pass) batch(b *colfile.Batch) error {
	c := p.take()
	defer p.give(c)
	if err := p.groups(c, b); err != nil {
		return err
	}
	for i, part := range p.parts {
		own := only(*b, i)
		letters := own.Letters[0]
		c.was[i] = append(c.was[i][:0], letters...)
		drawing, err := p.drawer[i].draw(&own, c.group)
		if err != nil {
			return err
		}
		if err := c.tally[i].take(part.Plan, c.group, drawing, c.was[i], letters); err != nil {
			return err
		}
		part.drawn[b.Unit.Group].add(letters)
	}
	c.cross.Add(c.was)
	p.done(b.Unit.Group)
	return nil
}

// done lets go of what a unit needed once all its rows are drawn: there may be
// thousands.
func (p *pass) done(unit int) {
	if p.parts[0].drawn[unit].rows < p.rows[unit] {
		return
	}
	for _, d := range p.drawer {
		d.done(unit)
	}
	if p.reader != nil {
		p.reader[unit] = nil
	}
}

// groups finds the strata of the rows.
func (p *pass) groups(c *counting, b *colfile.Batch) error {
	if p.reader == nil {
		return nil
	}
	unit := b.Unit.Group
	if p.reader[unit] == nil {
		p.reader[unit] = source.NewGrouper(p.parts[0].Plan).Reader()
	}
	c.group = p.reader[unit].Append(c.group[:0], &b.Beside[p.parts[0].Options.StratumAt()])
	if slices.Contains(c.group, -1) {
		return colfile.ErrUnseen
	}
	return nil
}

func (p *pass) take() *counting {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		c := p.free[last]
		p.free = p.free[:last]
		return c
	}
	c := &counting{tally: newTallies(p.parts), cross: p.joint.Empty(), was: make([][]int32, len(p.parts))}
	p.all = append(p.all, c)
	return c
}

func (p *pass) give(c *counting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, c)
}

// settle adds up what all goroutines counted.
func (p *pass) settle() {
	total := p.take()
	for _, c := range p.all {
		if c != total {
			for i, t := range total.tally {
				t.merge(c.tally[i])
			}
			total.cross.Merge(c.cross)
		}
	}
	for i, part := range p.parts {
		part.Tally = total.tally[i]
	}
	p.joint.Merge(total.cross)
}
