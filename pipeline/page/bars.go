package page

import (
	"fmt"
	"html/template"
)

// bars is a drawing of shares, one below the other: a bar for the true one, a diamond for
// the published one.
type bars struct {
	frame
	Axis  string
	Key   float64 // base line of the legend
	Ticks []tick
	Rows  []bar
	More  string // what had no room
}

// A bar is one row.
type bar struct {
	Y, Text     float64 // top of the bar, base line of its label
	Label       string
	Width, Mark float64 // of the bar; where the diamond is
	Value       string
}

const (
	mostBars   = 12
	barPitch   = 20
	barHeight  = 13
	labelRoom  = 132 // left of the bars
	labelRunes = 18
	valueRoom  = 74 // right of the bars
)

// drawShares draws published against true shares, those first that stand first; points are
// by which counts are off.
func drawShares(all []Share, id, whose, points string) template.HTML {
	b := newBars(all, frame{ID: id, Width: width, Name: "Published against true shares", Description: fmt.Sprintf(
		"How many of the %s hold each of %d values, and how many are expected to be published as it. Counts of the "+
			"output are off by up to %s before chance.", whose, len(all), points)})
	b.Axis = "percent of the " + whose + "; at the right the difference in points"
	return inline("bars", b)
}

// newBars lays out the first of the shares, in percent.
func newBars(all []Share, f frame) *bars {
	b := &bars{frame: f}
	b.Left, b.Right, b.Top = labelRoom, width-valueRoom, top
	shown, hi := all[:min(len(all), mostBars)], 0.
	for _, s := range shown {
		hi = max(hi, 100*s.True, 100*s.Published)
	}
	b.Bottom = b.Top + float64(max(len(shown), 1)*barPitch) + 6
	b.Key = b.Bottom + 58
	if !(hi > 0) {
		hi = 1
	}
	scale, ticks := axis(0, hi, b.Left, b.Right, 6, false)
	b.Ticks = ticks
	for i, s := range shown {
		y := b.Top + float64(i*barPitch) + 5
		b.Rows = append(b.Rows, bar{Y: y, Text: y + barHeight - 2, Label: Cut(show(s.Label), labelRunes), Value: s.gain(),
			Width: round(scale(100*s.True) - b.Left), Mark: round(scale(100 * s.Published))})
	}
	if b.Height = int(b.Bottom) + 66; len(all) > mostBars {
		b.More = fmt.Sprintf("The first %d of %d; the table has them all.", mostBars, len(all))
		b.Height += 20
	}
	return b
}
