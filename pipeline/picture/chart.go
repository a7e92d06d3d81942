// Package picture draws the figures of reports as SVG, without scripts and
// without outside resources. Series differ by mark and dash, never by colour
// alone; every picture has a title and a description for those who do not see
// it. Labels are escaped by html/template.
package picture

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Chart is one or more series over two number axes. The first series is
// drawn last, above the others.
type Chart struct {
	Title, Description string
	X, Y               string // what the axes show, with unit
	Series             []Series
	Mark               *Point // the chosen point, ringed and named
	MarkName           string
}

// A Series is a line through points; with Step it goes right, then up or down.
type Series struct {
	Name   string
	Points []Point
	Step   bool
}

// A Point is a place in the units of the axes.
type Point struct{ X, Y float64 }

// Size of the drawing, and of the plot within it.
const (
	width, height          = 720, 440
	left, right, top, base = 70, 20, 44, 84
	titleRunes             = 72 // that fit above the plot
)

// WriteSVG draws the chart. Points that are not finite are left out.
func (c *Chart) WriteSVG(w io.Writer) error {
	if err := chartTemplate.Execute(w, c.layout()); err != nil {
		return fmt.Errorf("drawing %q: %w", c.Title, err)
	}
	return nil
}

// drawn is the chart in the coordinates of the drawing.
type drawn struct {
	*Chart
	Width, Height            int
	Left, Right, Top, Bottom float64
	Head                     string // the title, cut to the width
	XTicks, YTicks           []tick
	Lines                    []line
	Ring                     *Point
	RingLeft                 bool // its name stands to the left
}

type tick struct {
	At   float64
	Text string
}

// A mark is one mark of a style.
type mark struct {
	Style int
	Point
}

type line struct {
	Name   string
	Style  int
	Path   string
	Marks  []Point
	Legend Point
	Swatch []Point // the mark of the legend
}

func (c *Chart) layout() *drawn {
	d := &drawn{Chart: c, Width: width, Height: height, Left: left, Right: width - right, Top: top, Bottom: height - base}
	lo, hi := c.bounds()
	d.Head = c.Title
	if r := []rune(d.Head); len(r) > titleRunes {
		d.Head = string(r[:titleRunes-3]) + "..."
	}
	x, xt := axis(lo.X, hi.X, d.Left, d.Right, 8, false)
	y, yt := axis(lo.Y, hi.Y, d.Bottom, d.Top, 6, true)
	d.XTicks, d.YTicks = xt, yt
	at := d.Left
	for i, s := range c.Series {
		l := line{Name: s.Name, Style: i % 4, Legend: Point{at, height - 16}, Swatch: []Point{{at + 13, height - 20}}}
		at += 44 + 7.2*float64(len(s.Name))
		var path strings.Builder
		var last *Point
		every := max(1, len(s.Points)/24)
		for k, p := range s.Points {
			if !finite(p) {
				continue
			}
			q := Point{x(p.X), y(p.Y)}
			switch {
			case last == nil:
				fmt.Fprintf(&path, "M%.1f %.1f", q.X, q.Y)
			case s.Step:
				fmt.Fprintf(&path, "H%.1fV%.1f", q.X, q.Y)
			default:
				fmt.Fprintf(&path, "L%.1f %.1f", q.X, q.Y)
			}
			if last = &q; k%every == 0 {
				l.Marks = append(l.Marks, q)
			}
		}
		l.Path = path.String()
		d.Lines = append(d.Lines, l)
	}
	slices.Reverse(d.Lines)
	if c.Mark != nil && finite(*c.Mark) {
		d.Ring = &Point{x(c.Mark.X), y(c.Mark.Y)}
		d.RingLeft = d.Ring.X > (d.Left+d.Right)/2
	}
	return d
}

func (c *Chart) bounds() (lo, hi Point) {
	lo, hi = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	grow := func(p Point) {
		if finite(p) {
			lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
		}
	}
	for _, s := range c.Series {
		for _, p := range s.Points {
			grow(p)
		}
	}
	if c.Mark != nil {
		grow(*c.Mark)
	}
	if lo.X > hi.X {
		return Point{}, Point{1, 1}
	}
	return lo, hi
}

// axis maps lo..hi to from..to and puts about n ticks at round numbers; round
// makes it begin and end at one.
func axis(lo, hi, from, to float64, n int, round bool) (scale func(float64) float64, ticks []tick) {
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
	if round {
		first = math.Floor(lo/step) * step
		lo, hi = first, math.Ceil(hi/step)*step
	}
	scale = func(v float64) float64 { return from + (v-lo)/(hi-lo)*(to-from) }
	for k := 0; ; k++ {
		v := first + float64(k)*step
		if v > hi+step*1e-6 {
			return scale, ticks
		}
		ticks = append(ticks, tick{scale(v), strconv.FormatFloat(math.Round(v/step)*step+0, 'g', 6, 64)})
	}
}

func finite(p Point) bool {
	return !math.IsNaN(p.X+p.Y) && !math.IsInf(p.X, 0) && !math.IsInf(p.Y, 0)
}

var chartTemplate = template.Must(template.New("chart").Funcs(template.FuncMap{
	"sub": func(a, b float64) float64 { return a - b },
	"add": func(a, b float64) float64 { return a + b },
	"at":  func(style int, p Point) mark { return mark{style, p} },
}).Parse(chartSVG))
