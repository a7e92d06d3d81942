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

// A Chart is one or more series over two number axes. The first series is
// drawn last, above the others.
type Chart struct {
	Name, Description string
	X, Y              string // what the axes show, with unit
	Series            []Series
	Faint             []Series // drawn below the others, without marks
	FaintName         string   // of them all; "" for none
	Asked             *Point   // a second ring, which stays; nil for none
	Mark              *Point   // the chosen point, ringed
	Zones             []Zone
	Above             *float64 // from here on up the chart is of the colour of a bad zone
}

// A Zone is a part of the chart, from left to right, with a name.
type Zone struct {
	From, Last float64 // its ends, in units of the axis
	First      float64 // the first point in it; from there to Last it is said to reach
	Name       string
	Words      string
	Bad        bool // of another colour
}

// A Series is a line through points; with Step it goes up or down, then right:
// a floor between two points costs what the better one costs.
type Series struct {
	Name   string
	Points []Point
	Step   bool
}

// A Point is a place in the units of the axes.
type Point struct{ X, Y float64 }

// Size of the drawing, and of the plot within it.
const (
	height                   = 400
	left, right, top, bottom = 58, 16, 44, 78
	mostMarks                = 24 // of a series
)

// SVG draws it for a page, which has the style and the caption. Points that are not finite are
// left out.
func (c *Chart) SVG(id string) template.HTML { return inline("chart", c.layout(id)) }

// Place is where a point is drawn, in the units of the drawing: pages move the
// ring, the element of class tp-chosen, there.
func (c *Chart) Place(p Point) Point {
	x, y, _, _ := c.scales()
	return Point{round(x(p.X)), round(y(p.Y))}
}

// chart is a Chart in the coordinates of the drawing.
type chart struct {
	frame
	XName, YName                             string
	Left, Right, Top, Bottom, Middle, Centre float64
	XTicks, YTicks                           []tick
	Lines                                    []line
	Ring                                     *Point
	Zones                                    []zone
	Faint                                    []string // paths
	FaintName                                string
	Asked                                    *Point
	Above                                    *float64
}

// A zone is drawn behind all else, its name at its top.
type zone struct {
	Left, Width float64
	Name        string
	End         bool // the name ends at its right end
	Bad         bool
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

func (c *Chart) scales() (x, y func(float64) float64, xt, yt []tick) {
	lo, hi := c.bounds()
	most := 8
	if c.whole() {
		most = min(most, max(1, int(hi.X-lo.X)))
	}
	x, xt = axis(lo.X, hi.X, left, width-right, most, false)
	y, yt = axis(lo.Y, hi.Y, height-bottom, top, 6, true)
	return x, y, xt, yt
}

func (c *Chart) layout(id string) *chart {
	d := &chart{frame: frame{ID: id, Name: labelled(c.Name, 400), Description: labelled(c.Description, 2000),
		Kind: "chart", Width: width, Height: height}, XName: labelled(c.X, 80), YName: labelled(c.Y, 50),
		Left: left, Right: width - right, Top: top, Bottom: height - bottom, Middle: (left + width - right) / 2,
		Centre: (top + height - bottom) / 2}
	x, y, xt, yt := c.scales()
	d.XTicks, d.YTicks = xt, yt
	at := d.Left
	for i, s := range c.Series {
		l := line{Name: labelled(s.Name, 40), Style: i % 4, Legend: Point{at, height - 14}}
		l.Marks = append(l.Marks, sign{l.Style, Point{at + 13, height - 18}})
		at += 48 + 8.6*float64(len(s.Name))
		every := max(1, len(s.Points)/mostMarks)
		for k, p := range s.Points {
			if finite(p) && (k%every == 0 || k == len(s.Points)-1) {
				l.Marks = append(l.Marks, sign{l.Style, Point{round(x(p.X)), round(y(p.Y))}})
			}
		}
		l.Path = s.path(x, y)
		d.Lines = append(d.Lines, l)
	}
	slices.Reverse(d.Lines)
	d.FaintName = labelled(c.FaintName, 50)
	for _, s := range c.Faint {
		d.Faint = append(d.Faint, s.path(x, y))
	}
	if c.Above != nil {
		at := round(y(*c.Above))
		d.Above = &at
	}
	for _, z := range c.Zones {
		from, to := round(x(z.From)), round(x(z.Last))
		d.Zones = append(d.Zones, zone{from, max(2, round(to-from)), labelled(z.Name, 30), to > d.Middle, z.Bad})
	}
	if c.Asked != nil && finite(*c.Asked) {
		d.Asked = &Point{round(x(c.Asked.X)), round(y(c.Asked.Y))}
	}
	if c.Mark != nil && finite(*c.Mark) {
		d.Ring = &Point{round(x(c.Mark.X)), round(y(c.Mark.Y))}
	}
	return d
}

// path draws the line.
func (s *Series) path(x, y func(float64) float64) string {
	var path strings.Builder
	for _, p := range s.Points {
		if !finite(p) {
			continue
		}
		q := Point{round(x(p.X)), round(y(p.Y))}
		switch {
		case path.Len() == 0:
			fmt.Fprintf(&path, "M%g %g", q.X, q.Y)
		case s.Step:
			fmt.Fprintf(&path, "V%gH%g", q.Y, q.X)
		default:
			fmt.Fprintf(&path, "L%g %g", q.X, q.Y)
		}
	}
	return path.String()
}

// templates are parsed for the first picture: most commands draw none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"sub":  func(a, b float64) float64 { return a - b },
		"add":  func(a, b float64) float64 { return a + b },
		"mark": func(style int, x, y float64) sign { return sign{style, Point{x, y}} },
	}).Parse(drawings))
})

func (c *Chart) bounds() (lo, hi Point) {
	lo, hi = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	grow := func(p Point) {
		if finite(p) {
			lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
		}
	}
	for _, s := range slices.Concat(c.Series, c.Faint) {
		for _, p := range s.Points {
			grow(p)
		}
	}
	for _, p := range []*Point{c.Mark, c.Asked} {
		if p != nil {
			grow(*p)
		}
	}
	if lo.X > hi.X {
		return Point{}, Point{1, 1}
	}
	return lo, hi
}

// whole reports whether all points lie at whole numbers, between which there is nothing
// to mark, such as levels.
func (c *Chart) whole() bool {
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.X != math.Trunc(p.X) {
				return false
			}
		}
	}
	return true
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
