package releases

import "sync/atomic"

// noted counts rows of a night, from many goroutines.
type noted struct{ held, limited, suppressed, shown, changed, visible atomic.Int64 }

func (n *noted) add(c *counts) {
	n.held.Add(c.held)
	n.limited.Add(c.limited)
	n.suppressed.Add(c.suppressed)
	n.shown.Add(c.shown)
	n.changed.Add(c.changed)
	n.visible.Add(c.visible)
}

// counts are those of a batch.
type counts struct{ held, limited, suppressed, shown, changed, visible int64 }

func (c *counts) add(d *Drawing) {
	for _, n := range [...]struct {
		is bool
		to *int64
	}{{d.Held, &c.held}, {d.Limited, &c.limited}, {d.Output < 0 && d.drawn >= 0, &c.suppressed},
		{d.Output >= 0 && d.drawn < 0, &c.shown}, {d.Changed, &c.changed}, {d.Visible, &c.visible}} {
		if n.is {
			*n.to++
		}
	}
}
