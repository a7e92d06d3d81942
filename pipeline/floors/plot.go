package floors

import "github.com/tacet-privacy/tacet/pipeline/page"

// curves are the figures of the picture.
func (f *Frontier) curves() *page.Frontier {
	c := &page.Frontier{Column: f.Column, By: f.By, Of: f.Of, Unit: f.Unit}
	for i := range f.Points {
		p := &f.Points[i]
		at := page.Floor{Floor: p.Value, Safe: p.Safe.Nats, Optimal: p.To, Lower: p.From,
			Unchanged: p.Optimal.Unchanged, Nothing: p.Optimal.Nothing}
		switch {
		case f.By == "rank":
			at.Floor = float64(p.Rank)
		case p.Level != nil:
			c.By, c.Of, at.Floor = "level", p.Level.Of, float64(p.Level.At)
		}
		c.Floors = append(c.Floors, at)
	}
	return c
}
