package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Picture can be put into a page. Pages that hold one include CSS once.
type Picture interface {
	// SVG is an svg element without style and without its title drawn, which
	// the page's own heading or caption shows. The id is unique in the page.
	SVG(id string) (template.HTML, error)
	// Title is what a heading or caption says.
	Title() string
	// Table has the numbers that are drawn, and those for which there was no
	// room.
	Table() Figures
}

// A Table is what a picture shows, in words and figures. The labels in it are
// as given: views escape them, and may pass them through Visible.
type Figures struct {
	Caption string
	Head    []string
	Rows    [][]string
	Names   int // columns from the left that are no numbers; the first heads its row
}

// CSS styles every picture of a page: light and dark by the reader's setting,
// light in print. Each pair of text and ground has a contrast above 4.5:1, and
// of mark and ground above 3:1.
var CSS = template.CSS(sheet)

//go:embed picture.css
var sheet string

// frame is what all pictures share.
type frame struct {
	ID, Name, Description string
	Width, Height         int
	Kind                  string // class of its own, for what depends on the width
	Alone                 bool   // a file of its own: with style, and its title drawn
}

// View is the view box: without a drawn title the room for it is left out.
func (f frame) View() string {
	if f.Alone {
		return fmt.Sprintf("0 0 %d %d", f.Width, f.Height)
	}
	return fmt.Sprintf("0 %d %d %d", headRoom, f.Width, f.Height-headRoom)
}

// Head is the title, cut to the width.
func (f frame) Head() string { return Cut(f.Name, titleRunes) }

const (
	width      = 560
	headRoom   = 26 // for the title, above the names of zones and the plot
	titleRunes = 62
)

// inline executes one of the templates for a page.
func inline(name string, data any) (template.HTML, error) {
	var b strings.Builder
	if err := write(&b, name, data); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil // escaped by the template
}

func write(w io.Writer, name string, data any) error {
	if err := templates.ExecuteTemplate(w, name, data); err != nil {
		return fmt.Errorf("drawing a %s: %w", name, err)
	}
	return nil
}

// round keeps a tenth of a unit of the drawing, and no minus zero.
func round(v float64) float64 { return math.Round(v*10)/10 + 0 }

// nats shows a leakage rounded up to four decimals: what is shown is never
// less than what holds.
func natsLabel(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "none"
	}
	if up := math.Ceil(v*1e4) / 1e4; up >= v {
		v = up
	}
	return strconv.FormatFloat(v+0, 'f', -1, 64)
}

// natsDown is nats rounded down, for lower bounds.
func natsDown(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "none"
	}
	return strconv.FormatFloat(math.Floor(v*1e4)/1e4+0, 'f', -1, 64)
}

// figure shows a number with six digits.
func figure(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "none"
	}
	return strconv.FormatFloat(v+0, 'g', 6, 64)
}

// percent shows a share with three digits.
func percentLabel(v float64) string {
	if math.IsNaN(v) {
		return "none"
	}
	s := strconv.FormatFloat(100*v+0, 'g', 3, 64)
	if 100*v < 1e-4 && v > 0 {
		s = "below 0.0001"
	}
	return s + " %"
}

// atMost is percent rounded up, for what is never exceeded.
func atMostLabel(v float64) string {
	if !(v > 0) || v >= 1 {
		return percentLabel(v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(100*v))-2)
	return percentLabel(min(1, math.Ceil(100*v/unit*(1-1e-12))*unit/100))
}

func finite(p Point) bool {
	return !math.IsNaN(p.X+p.Y) && !math.IsInf(p.X, 0) && !math.IsInf(p.Y, 0)
}
