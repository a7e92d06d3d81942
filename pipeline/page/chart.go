package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Chart is lines over two number axes, in the coordinates of the drawing.
type Chart struct {
	frame
	XName, YName   string // what the axes show, with unit
	XTicks, YTicks []tick
	Lines          []line
	Ring           *Point // the chosen point
	Zones          []zone
	Faint          []string // paths below the lines, without marks
	FaintName      string   // of them all; "" for none
	Asked          *Point   // a second ring, which stays; nil for none
	Above          *float64 // from here on up the chart is of the colour of a bad zone

	x, y func(float64) float64
}

// A Series is a line through points that goes up or down, then right: a floor between two points
// costs what the better one costs.
type Series struct {
	Name   string
	Points []Point
}

// A Point is a place in the units of the axes.
type Point struct{ X, Y float64 }

// A zone is a part of the chart, from left to right, drawn behind all else, its name at its top.
type zone struct {
	Left, Width float64
	Name        string
	End         bool // the name ends at its right end
	Bad         bool // of another colour
}

type tick struct {
	At   float64
	Text string
}

// A mark is one mark of a style.
type sign struct {
	Style int
	Point
}

type line struct {
	Name   string
	Style  int
	Path   string
	Marks  []sign
	Legend Point
}

// Size of the drawing, and of the plot within it.
const (
	height                   = 400
	left, right, top, bottom = 58, 16, 44, 78
	mostMarks                = 24 // of a series
)

// newChart has axes that hold series, and points beside them; between whole numbers nothing is marked.
func newChart(all []Series, whole bool, beside ...*Point) *Chart {
	c := &Chart{frame: frame{Kind: "chart", Width: width, Height: height, Left: left, Right: width - right, Top: top,
		Bottom: height - bottom}}
	lo, hi := bounds(all, beside)
	most := 8
	if whole {
		most = min(most, max(1, int(hi.X-lo.X)))
	}
	c.x, c.XTicks = axis(lo.X, hi.X, c.Left, c.Right, most, false)
	c.y, c.YTicks = axis(lo.Y, hi.Y, c.Bottom, c.Top, 6, true)
	return c
}

// draw draws series, of which the first is above the others. Points that are not finite are left out.
func (c *Chart) draw(all []Series) {
	at := c.Left
	for i, s := range all {
		l := line{Name: s.Name, Style: i, Path: c.path(s), Legend: Point{at, height - 14},
			Marks: []sign{{i, Point{at + 13, height - 18}}}}
		at += 48 + 8.6*float64(len(s.Name))
		every := max(1, len(s.Points)/mostMarks)
		for k, p := range s.Points {
			if finite(p) && (k%every == 0 || k == len(s.Points)-1) {
				l.Marks = append(l.Marks, sign{i, c.Place(p)})
			}
		}
		c.Lines = append(c.Lines, l)
	}
	slices.Reverse(c.Lines)
}

// SVG draws it for a page, which has the style and the caption.
func (c *Chart) SVG(id string) template.HTML {
	c.ID = id
	return inline("chart", c)
}

// Place is where a point is drawn, in the units of the drawing: pages move the
// ring, the element of class tp-chosen, there.
func (c *Chart) Place(p Point) Point { return Point{round(c.x(p.X)), round(c.y(p.Y))} }

// ring is that place, nil where there is no point.
func (c *Chart) ring(p *Point) *Point {
	if p == nil || !finite(*p) {
		return nil
	}
	return new(c.Place(*p))
}

// path draws the line of a series.
func (c *Chart) path(s Series) string {
	var path strings.Builder
	for _, p := range s.Points {
		if !finite(p) {
			continue
		}
		if q := c.Place(p); path.Len() == 0 {
			fmt.Fprintf(&path, "M%g %g", q.X, q.Y)
		} else {
			fmt.Fprintf(&path, "V%gH%g", q.Y, q.X)
		}
	}
	return path.String()
}

// templates are parsed for the first picture: most commands draw none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"sub": func(a, b float64) float64 { return a - b },
		"add": func(a, b float64) float64 { return a + b },
	}).Parse(drawings))
})

// bounds are the least box that holds all points.
func bounds(all []Series, beside []*Point) (lo, hi Point) {
	lo, hi = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range beside {
		if p != nil {
			all = append(all, Series{Points: []Point{*p}})
		}
	}
	for _, s := range all {
		for _, p := range s.Points {
			if finite(p) {
				lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
			}
		}
	}
	if lo.X > hi.X {
		return Point{}, Point{1, 1}
	}
	return lo, hi
}

// axis maps lo..hi to from..to and puts about n ticks at round numbers; round
// makes it begin and end at one.
func axis(lo, hi, from, to float64, n int, whole bool) (scale func(float64) float64, ticks []tick) {
	if hi == lo {
		hi, lo = hi+0.5, lo-0.5
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*f) <= float64(n) {
			step *= f
			break
		}
	}
	first := math.Ceil(lo/step-1e-9) * step
	if whole {
		first = math.Floor(lo/step) * step
		lo, hi = first, math.Ceil(hi/step)*step
	}
	scale = func(v float64) float64 { return from + (v-lo)/(hi-lo)*(to-from) }
	for k := 0; ; k++ {
		v := first + float64(k)*step
		if v > hi+step*1e-6 {
			return scale, ticks
		}
		ticks = append(ticks, tick{round(scale(v)), strconv.FormatFloat(math.Round(v/step)*step+0, 'g', 6, 64)})
	}
}
