package page

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// places draws a map of what one letter may become.
type places struct {
	*report.Map
	unit string // of distances
}

// mostPlaces is how many destinations are named in the drawing.
const mostPlaces = 8

func (m *places) svg(id string) (template.HTML, error) {
	from, far := show(m.From.Label), m.farthest()
	d := &drawing{frame: frame{ID: id, Name: "What " + Cut(from, 40) + " may become", Width: width, Height: 420}}
	d.Description = fmt.Sprintf("%d places that %s may become; the area of each is how likely.", len(m.To), Cut(from, 60))
	if far >= 0 {
		d.Description += fmt.Sprintf(" The farthest is %s, %s away.", Cut(show(m.To[far].Label), 60),
			m.distance(m.To[far].Distance))
	}
	at, unit := m.projection(d)
	d.From = site{Point: at(m.From.X, m.From.Y), Text: Cut(from, 14)}
	for i, t := range m.To {
		s := site{Point: at(t.X, t.Y), Radius: round(max(2, 22*math.Sqrt(t.Share)))}
		if i < mostPlaces || i == far {
			s.Text = Cut(show(t.Label), 14)
		}
		s.Self = report.Place{Label: t.Label, X: t.X, Y: t.Y} == m.From
		d.To = append(d.To, s)
	}
	for _, o := range m.Others {
		if p := at(o.X, o.Y); p.X > 4 && p.X < width-4 && p.Y > top && p.Y < float64(d.Height)-30 {
			d.Others = append(d.Others, p)
		}
	}
	bar := scaleBar(unit)
	d.Bar, d.BarName = round(bar/unit), m.distance(bar)
	d.place()
	return inline("places", d)
}

func (m *places) distance(v float64) string { return strings.TrimSuffix(figure(v)+" "+m.unit, " ") }

// farthest is the destination farthest away, -1 where there is none.
func (m *places) farthest() int {
	far := -1
	for i, t := range m.To {
		if far < 0 || t.Distance > m.To[far].Distance {
			far = i
		}
	}
	return far
}

type drawing struct {
	frame
	From    site
	To      []site
	Others  []Point
	Bar     float64 // length of the scale
	BarName string
}

type site struct {
	Point
	Radius float64
	Text   string
	Label  Point
	Left   bool
	Self   bool
}

// projection puts the destinations and From into the frame, and tells how many
// units of distance one unit of the drawing is. Degrees are drawn as on a
// plane that touches at From's latitude.
func (m *places) projection(d *drawing) (at func(x, y float64) Point, unit float64) {
	plane := func(x, y float64) Point {
		if !m.Degrees {
			return Point{x, -y}
		}
		const kilometres = 111.195 // of a degree of a great circle
		east := math.Mod(x-m.From.X+540, 360) - 180
		return Point{east * kilometres * max(.05, math.Cos(m.From.Y*math.Pi/180)), -(y - m.From.Y) * kilometres}
	}
	lo := plane(m.From.X, m.From.Y)
	hi := lo
	for _, t := range m.To {
		p := plane(t.X, t.Y)
		lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
	}
	const pad, side = 46, 60
	w, h := float64(width-2*side), float64(d.Height-top-pad-40)
	scale := min(w/max(hi.X-lo.X, 1e-9), h/max(hi.Y-lo.Y, 1e-9))
	if hi == lo {
		scale = 1
	}
	mid := Point{(lo.X + hi.X) / 2, (lo.Y + hi.Y) / 2}
	return func(x, y float64) Point {
		q := plane(x, y)
		return Point{round(width/2 + (q.X-mid.X)*scale), round(top + pad/2 + h/2 + (q.Y-mid.Y)*scale)}
	}, 1 / scale
}

// scaleBar is a round distance of about a fifth of the width.
func scaleBar(unit float64) float64 {
	want := 110 * unit
	step := math.Pow(10, math.Floor(math.Log10(want)))
	for _, f := range []float64{5, 2} {
		if step*f <= want {
			step *= f
			break
		}
	}
	return step
}

// place keeps names apart: one that would lie on another is left out.
func (d *drawing) place() {
	var taken [][4]float64
	free := func(x, y, w float64) bool {
		for _, t := range taken {
			if x < t[2] && x+w > t[0] && y-11 < t[3] && y+3 > t[1] {
				return false
			}
		}
		taken = append(taken, [4]float64{x, y - 11, x + w, y + 3})
		return true
	}
	put := func(s *site, r float64) {
		w := 8 * float64(len([]rune(s.Text)))
		for _, side := range []bool{s.X > width/2, s.X <= width/2} {
			x, from := s.X+r+4, s.X+r+4
			if side {
				x, from = s.X-r-4, s.X-r-4-w
			}
			if from >= 2 && from+w <= width-2 && free(from, s.Y+4, w) {
				s.Label, s.Left = Point{round(x), round(s.Y + 4)}, side
				return
			}
		}
		s.Text = ""
	}
	put(&d.From, 9)
	for i := range d.To {
		if s := &d.To[i]; s.Self {
			s.Text = ""
		} else if s.Text != "" {
			put(s, s.Radius)
		}
	}
}
