package page

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// Intervals draws what analysts would get of some shares, design by design: the truth,
// the interval of a plain count, and what the mechanism lets be recovered.
type Intervals struct {
	Name    string
	Records int64
	Designs []IntervalsOf
}

// An IntervalsOf is one design.
type IntervalsOf struct {
	Head, Words string // what was asked for; what came of it
	Shares      []Interval
}

// An Interval is of one share of all records.
type Interval struct {
	Name        string
	True        float64
	Low, High   float64 // of the plain count
	Told        bool    // something is recovered
	Least, Most float64 // ends of that
}

// Room of the picture: what has no place in it is left to the table.
const (
	intervalHead    = 44 // of a design, above its shares
	intervalPitch   = 26
	mostIntervals   = 12
	mostDesigns     = 8
	intervalLegends = 22
)

// WriteSVG writes the picture. All designs share one axis.
func (p *Intervals) WriteSVG(w io.Writer) error {
	designs := p.Designs[:min(len(p.Designs), mostDesigns)]
	low, high, values := math.Inf(1), math.Inf(-1), 0
	for _, d := range designs {
		for _, s := range d.shown() {
			ends := []float64{s.True, s.Low, s.High}
			if s.Told {
				ends = append(ends, s.Least, s.Most)
			}
			low, high = min(low, slices.Min(ends)), max(high, slices.Max(ends))
		}
		values = max(values, len(d.shown()))
	}
	if !(low < high) {
		low, high = 0, 1
	}
	low, high = max(0, low), min(1, high)
	d := &intervals{frame: frame{ID: "intervals-picture", Name: Visible(p.Name), Width: width, Alone: true,
		Description: fmt.Sprintf(
			"Shares of %d values or groups among %d records, for %d designs: the truth, the interval of a plain "+
				"count, and what the mechanism lets be recovered.", values, p.Records, len(designs))},
		Left: labelRoom, Right: width - 16, Top: top}
	scale, ticks := axis(100*low, 100*high, d.Left, d.Right, 6, false)
	clip := func(share float64) float64 { return round(scale(100 * max(low, min(high, share)))) }
	d.Ticks, d.Middle = ticks, (d.Left+d.Right)/2
	y := d.Top
	for _, of := range designs {
		one := panel{Y: y + 18, Head: Cut(of.Head, 74), Words: labelled(of.Words, 88)}
		for i, s := range of.shown() {
			at := y + intervalHead + float64(i*intervalPitch)
			r := stretch{Y: at, Name: Cut(s.Name, labelRunes), True: clip(s.True), Low: clip(s.Low), Told: s.Told}
			r.Wide = round(clip(s.High) - r.Low)
			if s.Told {
				r.Least, r.Most = clip(s.Least), clip(s.Most)
			}
			one.Rows = append(one.Rows, r)
		}
		y += intervalHead + float64(len(one.Rows)*intervalPitch)
		d.Panels = append(d.Panels, one)
	}
	d.Bottom = y
	if left := len(p.Designs) - len(designs); left > 0 {
		d.More = fmt.Sprintf("The first %d of %d designs; the table has them all.", len(designs), len(p.Designs))
	}
	d.Height = int(d.Bottom) + 44 + intervalLegends
	if d.More != "" {
		d.Height += 20
	}
	return write(w, "intervals", d)
}

// shown are the shares that have room.
func (d *IntervalsOf) shown() []Interval { return d.Shares[:min(len(d.Shares), mostIntervals)] }

// intervals is the picture in the coordinates of the drawing.
type intervals struct {
	frame
	Left, Right, Top, Bottom, Middle float64
	Ticks                            []tick
	Panels                           []panel
	More                             string
}

// A panel is one design, its head at Y.
type panel struct {
	Y           float64
	Head, Words string
	Rows        []stretch
}

// A stretch is a row: the interval of the count is a pale bar, the truth a diamond, and what
// is recovered a line between two ends.
type stretch struct {
	Y           float64 // top of the bar
	Name        string
	True        float64
	Low, Wide   float64
	Told        bool
	Least, Most float64
}
