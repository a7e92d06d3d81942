package recover

import (
	"bytes"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/page"
)

// targets are the files that are written beside what is printed.
type targets struct {
	set  *publish.Set
	plot *publish.File // nil where none was asked for
}

// openTargets opens the picture, none for "", which may replace none of the files read.
func openTargets(plot publish.Target, read ...string) (*targets, error) {
	set, err := count.OpenSet(nil, read...)
	if err != nil || plot.Path == "" {
		return &targets{set: set}, err
	}
	t := &targets{set: set}
	t.plot, err = set.Add(plot)
	return t, err
}

func (t *targets) end(err *error) { t.set.AbortOn(err) }

// write draws the first cell that has figures.
func (t *targets) write(r *Result) error {
	if t.plot == nil {
		return nil
	}
	p := page.Recovered{Column: r.Column}
	for i := range r.Cells {
		c := &r.Cells[i]
		if len(c.Figures) == 0 {
			continue
		}
		p.Cell = c.Head(r.By)
		for _, f := range c.Figures {
			p.Bars = append(p.Bars, page.RecoveredBar{Label: f.Label, Published: f.Published, Share: f.Share, Low: f.Low,
				High: f.High})
		}
		break
	}
	var b bytes.Buffer
	if err := p.WriteSVG(&b); err != nil {
		return err
	}
	if err := t.plot.Fill(b.Bytes()); err != nil {
		return err
	}
	return t.set.Commit()
}
