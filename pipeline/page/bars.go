package page

import "fmt"

// bars is a drawing of labelled bars, one below the other.
type bars struct {
	frame
	Axis             string
	Left, Right, Top float64
	Bottom, Middle   float64
	Ticks            []tick
	Rows             []bar
	Limit            *float64 // a line across all rows
	LimitLeft        bool
	Legend           []entry
	More             string // what had no room
}

// A bar is one row.
type bar struct {
	Y, Text float64 // top of the bar, base line of its label
	Label   string
	Width   float64  // filled
	Outline float64  // width of an outlined bar around it, 0 for none
	Mark    *float64 // a diamond
	Value   string
}

type entry struct {
	At, X, Y float64 // of the sign, of the text, base line
	Kind     string  // "bar", "outline", "mark", "limit"
	Text     string
}

// A row is a bar in the unit of the axis.
type row struct {
	label                string
	value, outline, mark float64 // NaN for none
	text                 string
}

const (
	mostBars   = 16
	barPitch   = 20
	barHeight  = 13
	labelRoom  = 132 // left of the bars
	labelRunes = 18
	valueRoom  = 74 // right of the bars

	// A picture of this width stands beside another one: it has fewer bars, and less
	// room for their labels.
	narrow, narrowBars, narrowRoom, narrowRunes = 400, 12, 104, 13
)

// newBars lays out the first rows; hi is the end of the axis.
func newBars(f frame, axisName string, hi float64, rows []row, limit *float64) *bars {
	b := &bars{frame: f, Axis: axisName, Left: labelRoom, Right: float64(f.Width) - valueRoom, Top: top}
	runes := labelRunes
	if f.Width == narrow {
		b.Left, runes = narrowRoom, narrowRunes
	}
	shown := rows[:min(len(rows), b.most())]
	b.Bottom = b.Top + float64(max(len(shown), 1)*barPitch) + 6
	b.Middle = (b.Left + b.Right) / 2
	if limit != nil {
		hi = max(hi, *limit)
	}
	if !(hi > 0) {
		hi = 1
	}
	scale, ticks := axis(0, hi, b.Left, b.Right, 6, false)
	b.Ticks = ticks
	for i, r := range shown {
		y := b.Top + float64(i*barPitch) + 5
		one := bar{Y: y, Text: y + barHeight - 2, Label: Cut(r.label, runes), Value: r.text}
		if r.value >= 0 {
			one.Width = round(scale(r.value) - b.Left)
		}
		if r.outline > 0 {
			one.Outline = round(scale(r.outline) - b.Left)
		}
		if r.mark >= 0 {
			at := round(scale(r.mark))
			one.Mark = &at
		}
		b.Rows = append(b.Rows, one)
	}
	if limit != nil {
		at := round(scale(*limit))
		b.Limit, b.LimitLeft = &at, at > b.Middle
	}
	b.Height = int(b.Bottom) + 44
	return b
}

// legend puts a line of signs below the axis.
func (b *bars) legend(names ...[2]string) {
	at, y := 14., b.Bottom+58
	for _, n := range names {
		b.Legend = append(b.Legend, entry{at, at + 26, y, n[0], n[1]})
		at += 44 + 6.6*float64(len(n[1]))
	}
	b.Height += 22
}

// more says how many of all rows are shown, where these are not all.
func (b *bars) more(format string, all int) {
	if all > b.most() {
		b.More = fmt.Sprintf(format, b.most(), all)
		b.Height += 20
	}
}

// most is the number of bars that have room.
func (b *bars) most() int {
	if b.Width == narrow {
		return narrowBars
	}
	return mostBars
}
