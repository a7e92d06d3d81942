package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// CSS styles every picture of a page: light and dark by the reader's setting,
// light in print. Each pair of text and ground has a contrast above 4.5:1, and
// of mark and ground above 3:1.
var CSS = template.CSS(sheet)

//go:embed picture.css
var sheet string

// drawings are the templates of all pictures. Each opens and closes by the frame.
//
//go:embed pictures.svg
var drawings string

// frame is what all pictures share.
type frame struct {
	ID, Name, Description    string
	Width, Height            int
	Kind                     string  // class of its own, for what depends on the width
	Left, Right, Top, Bottom float64 // of the plot
}

// Middle and Centre are where the plot has its middle, across and down.
func (f frame) Middle() float64 { return (f.Left + f.Right) / 2 }
func (f frame) Centre() float64 { return (f.Top + f.Bottom) / 2 }

// View is the view box.
func (f frame) View() string { return fmt.Sprintf("0 %d %d %d", headRoom, f.Width, f.Height-headRoom) }

const (
	width    = 560
	headRoom = 26 // above the names of zones and the plot, which no picture uses
)

// inline executes one of the templates for a page. What cannot be drawn is left out: its
// numbers stand in a table beside it.
func inline(name string, data any) template.HTML {
	var b strings.Builder
	if templates().ExecuteTemplate(&b, name, data) != nil {
		return ""
	}
	return template.HTML(b.String()) // escaped by the template
}

// round keeps a tenth of a unit of the drawing, and no minus zero.
func round(v float64) float64 { return math.Round(v*10)/10 + 0 }

func finite(p Point) bool {
	return !math.IsNaN(p.X+p.Y) && !math.IsInf(p.X, 0) && !math.IsInf(p.Y, 0)
}

// Visible is a label as it can be shown anywhere; an empty one is "(empty)".
func Visible(label string) string {
	if label == "" {
		return "(empty)"
	}
	return report.Clean(label)
}

// labelled is Cut for text that may be left out.
func labelled(text string, n int) string {
	if text == "" {
		return ""
	}
	return Cut(text, n)
}

// Cut is a visible label of at most n runes; what is left out is marked by
// three dots.
func Cut(label string, n int) string {
	// A long label is shortened before it is looked at closely.
	if len(label) > 8*n {
		end := 4 * n
		for end > 0 && !utf8.RuneStart(label[end]) {
			end--
		}
		label = label[:end] + strings.Repeat(".", n)
	}
	r := []rune(Visible(label))
	if len(r) <= n {
		return string(r)
	}
	return strings.TrimRight(string(r[:n-3]), " ") + "..."
}
