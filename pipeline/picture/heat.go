package picture

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// Transitions is a map of what becomes of each letter: how likely a record
// that holds the row's letter is written with the column's. Many letters are
// grouped, neighbours together. The area of a square is the probability; an
// empty cell cannot occur.
type Transitions struct {
	Inputs, Outputs []string
	Prior           []float64 // share of each input, for the means of groups
	// Row fills p with the probabilities of the outputs of input x.
	Row func(x int, p []float64)
}

// mostGroups is the number of rows and of columns drawn.
const mostGroups = 24

// Title implements Picture.
func (t *Transitions) Title() string { return "What becomes of each value" }

// SVG implements Picture.
func (t *Transitions) SVG(id string) (template.HTML, error) {
	g := t.grouped()
	h := &heat{frame: frame{ID: id, Name: t.Title(), Width: width}, Left: labelRoom, Top: top}
	h.Description = fmt.Sprintf("%d values, %d outputs.", len(t.Inputs), len(t.Outputs))
	if g.coarse {
		h.Description += fmt.Sprintf(" Neighbours are grouped into %d rows and %d columns.", len(g.in), len(g.out))
	}
	h.Description += " The area of each square is the probability that a record of the row is written with the column; an empty cell cannot occur."
	for _, name := range g.out {
		h.Top = max(h.Top, top+6.2*float64(len([]rune(Cut(name, labelRunes)))-1))
	}
	h.Cell = min(34, (width-labelRoom-16)/float64(len(g.out)), 760/float64(len(g.in)))
	h.Right, h.Bottom = round(h.Left+h.Cell*float64(len(g.out))), round(h.Top+h.Cell*float64(len(g.in)))
	h.Height = int(h.Bottom) + 34
	var squares strings.Builder
	for i, name := range g.in {
		y := h.Top + h.Cell*(float64(i)+.5)
		h.Rows = append(h.Rows, tick{round(y + 4), Cut(name, labelRunes)})
		for k := range g.out {
			p := g.p[i][k]
			if !(p > 0) {
				continue
			}
			// The smallest square can still be seen.
			side := max(1.4, (h.Cell-1)*math.Sqrt(min(p, 1)))
			x := h.Left + h.Cell*(float64(k)+.5)
			fmt.Fprintf(&squares, "M%g %gh%gv%gh%gz", round(x-side/2), round(y-side/2), round(side), round(side), -round(side))
		}
	}
	for k, name := range g.out {
		h.Columns = append(h.Columns, tick{round(h.Left + h.Cell*(float64(k)+.5) + 4), Cut(name, labelRunes)})
	}
	h.Squares = squares.String()
	return inline("heat", h)
}

// Table implements Picture. It has the cells that are drawn.
func (t *Transitions) Table() Table {
	g := t.grouped()
	out := Table{Caption: "Probability that a record of the row is written with the column", Head: append([]string{"value"}, g.out...), Names: 1}
	for i, name := range g.in {
		cells := []string{name}
		for k := range g.out {
			if g.p[i][k] == 0 {
				cells = append(cells, "never")
			} else {
				cells = append(cells, percent(g.p[i][k]))
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	if g.coarse {
		out.Caption += ", values grouped; the mean of a group is over its records"
	}
	return out
}

type heat struct {
	frame
	Left, Right, Top, Bottom, Cell float64
	Rows, Columns                  []tick
	Squares                        string
}

// Grid is the path of the lines between the cells.
func (h *heat) Grid() string {
	var b strings.Builder
	for i := range len(h.Rows) + 1 {
		fmt.Fprintf(&b, "M%g %gH%g", h.Left, round(h.Top+h.Cell*float64(i)), h.Right)
	}
	for k := range len(h.Columns) + 1 {
		fmt.Fprintf(&b, "M%g %gV%g", round(h.Left+h.Cell*float64(k)), h.Top, h.Bottom)
	}
	return b.String()
}

// grouping is the matrix that is drawn.
type grouping struct {
	in, out []string
	p       [][]float64
	coarse  bool
}

func (t *Transitions) grouped() *grouping {
	rows, columns := spans(len(t.Inputs)), spans(len(t.Outputs))
	g := &grouping{in: names(t.Inputs, rows), out: names(t.Outputs, columns), coarse: len(rows) < len(t.Inputs) || len(columns) < len(t.Outputs)}
	p := make([]float64, len(t.Outputs))
	for _, r := range rows {
		sum, weight := make([]float64, len(columns)), 0.
		seen := make([]bool, len(columns))
		for x := r[0]; x < r[1]; x++ {
			w := t.Prior[x]
			if r[1]-r[0] == 1 {
				w = 1
			}
			weight += w
			t.Row(x, p)
			for k, c := range columns {
				all, some := sum[k], seen[k]
				for _, v := range p[c[0]:c[1]] {
					if v > 0 {
						all, some = all+w*v, true
					}
				}
				sum[k], seen[k] = all, some
			}
		}
		for k := range sum {
			if weight > 0 {
				sum[k] /= weight
			}
			if seen[k] && sum[k] == 0 {
				sum[k] = math.SmallestNonzeroFloat64 // it can occur, where a letter without records does
			}
		}
		g.p = append(g.p, sum)
	}
	return g
}

// Grouped is what is drawn: names of rows and columns, and the probability that
// a record of the row is written with the column, 0 only where that cannot be.
// It is drawn the same again.
func (t *Transitions) Grouped() (inputs, outputs []string, p [][]float64) {
	g := t.grouped()
	return g.in, g.out, g.p
}

// spans cuts 0..n into at most mostGroups pieces of nearly equal length.
func spans(n int) [][2]int {
	k := min(n, mostGroups)
	out := make([][2]int, k)
	for i := range out {
		out[i] = [2]int{i * n / k, (i + 1) * n / k}
	}
	return out
}

func names(label []string, spans [][2]int) []string {
	out := make([]string, len(spans))
	for i, s := range spans {
		if out[i] = label[s[0]]; s[1]-s[0] > 1 {
			out[i] = Cut(label[s[0]], 7) + " to " + Cut(label[s[1]-1], 7)
		}
	}
	return out
}

const heatSVG = `{{define "heat"}}{{template "open" .}}<path class="tp-grid" d="{{.Grid}}"/>
{{range .Columns}}<text transform="translate({{.At}} {{sub $.Top 6}}) rotate(-90)" font-size="11">{{.Text}}</text>
{{end}}{{range .Rows}}<text x="{{sub $.Left 6}}" y="{{.At}}" text-anchor="end" font-size="11">{{.Text}}</text>
{{end}}<path class="tp-m0" d="{{.Squares}}"/>
<text x="{{.Left}}" y="{{add .Bottom 20}}" font-size="12">rows: what was; columns: what is written; area: how likely</text>
</svg>
{{end}}`
