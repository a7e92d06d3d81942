package records

import (
	"sync"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// A pass draws all parts of the records and counts what becomes of them.
// Batches of different units come from many goroutines.
type pass struct {
	parts  []*Part
	drawer []drawer
	group  []count.Grouper // by part
	rows   []int64         // of each unit
	unit   []*inHand       // of each unit, while it is drawn

	mu   sync.Mutex
	all  []*counting
	free []*counting // of all, those that no goroutine has
}

// inHand is what the goroutine that draws a unit needs.
type inHand struct {
	drawer []unitDrawer // by part
	groups count.Groups // none where all records are one group
}

// A counting is of one goroutine at a time.
type counting struct {
	tally []*Tally  // by part
	was   [][]int32 // by part, the letters of a batch before they are drawn; and the groups, where there are strata
}

func newPass(s *count.Input, parts []*Part) (*pass, error) {
	rows := s.File.Units()
	p := &pass{parts: parts, rows: rows, unit: make([]*inHand, len(rows))}
	for _, part := range parts {
		p.group = append(p.group, count.NewGrouper(part.Plan))
		d, err := part.drawer()
		if err != nil {
			return nil, err
		}
		p.drawer = append(p.drawer, d)
		part.drawn = newDigests(len(p.rows))
	}
	return p, nil
}

// batch draws and counts the rows of b.
func (p *pass) batch(b *table.Batch) error {
	c := p.take()
	defer p.give(c)
	if err := c.draw(p.parts, p.of(b.Unit), b); err != nil {
		return err
	}
	for i, part := range p.parts {
		part.drawn[b.Unit.At].add(b.Letters[i])
	}
	if p.parts[0].drawn[b.Unit.At].rows >= p.rows[b.Unit.At] {
		p.unit[b.Unit.At] = nil // there may be thousands
	}
	return nil
}

// draw draws the rows of b, which are of u, and counts them.
func (c *counting) draw(parts []*Part, u *inHand, b *table.Batch) error {
	was, groups := c.was[:len(parts)], c.was[len(parts):][:len(u.groups)]
	if err := u.groups.Read(groups, b, parts[0].Source.StratumAt()); err != nil {
		return err
	}
	for i, part := range parts {
		own, letters := *b, b.Letters[i]
		own.Letters = b.Letters[i : i+1]
		was[i] = append(was[i][:0], letters...)
		var group []int32
		if len(groups) > 0 {
			group = groups[i]
		}
		drawing, err := u.drawer[i].Draw(&own, group)
		if err != nil {
			return err
		}
		if err := c.tally[i].take(part.Plan, group, drawing, was[i], letters); err != nil {
			return err
		}
	}
	return nil
}

// of is the unit, from its first batch to its last.
func (p *pass) of(unit table.Unit) *inHand {
	u := p.unit[unit.At]
	if u == nil {
		u = &inHand{groups: count.GroupsBy(p.group)}
		for _, d := range p.drawer {
			u.drawer = append(u.drawer, d(unit))
		}
		p.unit[unit.At] = u
	}
	return u
}

func (p *pass) take() *counting {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		c := p.free[last]
		p.free = p.free[:last]
		return c
	}
	c := &counting{tally: newTallies(p.parts), was: make([][]int32, 2*len(p.parts))}
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
		}
	}
	for i, part := range p.parts {
		part.Tally = total.tally[i]
	}
}
