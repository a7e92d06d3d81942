package main

import (
	"bytes"
	"image/color"
	"os"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A chart is one picture. Every series has a colour, a dash and a marker of
// its own, so that none of them carries the meaning alone.
type chart struct {
	title, x, y string
	series      []series
	low, high   float64   // of the y axis; the legend, top left, gets the room above the curves
	xs, ys      []float64 // ticks
}

type series struct {
	name   string
	x, y   []float64
	look   look
	points bool // markers without a line: what the paper prints
	step   bool // constant up to the next point
}

// A look is how a series is drawn: a marker at every so-many points, counted
// from one of its own so that markers of close curves stay apart.
type look struct {
	color  color.Color
	dash   []vg.Length
	glyph  draw.GlyphDrawer
	radius vg.Length
	every  int
	from   int
}

// The colours are those of Okabe and Ito, told apart by colour-blind readers.
var (
	black     = color.RGBA{0, 0, 0, 255}
	blue      = color.RGBA{0, 114, 178, 255}
	orange    = color.RGBA{213, 94, 0, 255}
	green     = color.RGBA{0, 130, 95, 255}
	purple    = color.RGBA{170, 80, 140, 255}
	grey      = color.RGBA{110, 110, 110, 255}
	dashes    = []vg.Length{6, 3}
	dots      = []vg.Length{1.5, 3}
	dashDots  = []vg.Length{7, 3, 1.5, 3}
	longShort = []vg.Length{12, 3, 4, 3}
)

func (c chart) save(path string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.title, c.x, c.y
	p.BackgroundColor = color.White
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label,
		&p.Y.Tick.Label, &p.Legend.TextStyle} {
		s.Font.Typeface, s.Font.Variant = "Liberation", "Sans"
		s.Font.Size = 11
	}
	p.Title.TextStyle.Font.Size, p.Title.Padding = 13, 8
	p.X.Label.Padding, p.Y.Label.Padding = 4, 4
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
	p.Add(grid)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding, p.Legend.ThumbnailWidth = 2, 32
	p.Legend.XOffs, p.Legend.YOffs = 8, -4
	for _, s := range c.series {
		if err := s.add(p); err != nil {
			return err
		}
	}
	p.Y.Min, p.Y.Max = c.low, c.high
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks(c.xs), ticks(c.ys)
	return write(p, path)
}

func ticks(at []float64) plot.ConstantTicks {
	var t plot.ConstantTicks
	for _, v := range at {
		t = append(t, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return t
}

// write leaves a white margin and names fonts to fall back to.
func write(p *plot.Plot, path string) error {
	const width, height = 16 * vg.Centimeter, 10.5 * vg.Centimeter
	svg := vgsvg.New(width, height)
	all := draw.New(svg)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	p.Draw(draw.Crop(all, 8, -20, 6, -8))
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return err
	}
	out := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	return os.WriteFile(path, out, 0o666)
}

func (s series) add(p *plot.Plot) error {
	var all, marked plotter.XYs
	for i := range s.x {
		at := plotter.XY{X: s.x[i], Y: s.y[i]}
		all = append(all, at)
		if (i+s.look.from)%s.look.every == 0 {
			marked = append(marked, at)
		}
	}
	line, err := plotter.NewLine(all)
	if err != nil {
		return err
	}
	if s.step {
		line.StepStyle = plotter.PostStep
	}
	line.Color, line.Width, line.Dashes = s.look.color, 1.4, s.look.dash
	marks, err := plotter.NewScatter(marked)
	if err != nil {
		return err
	}
	marks.Color, marks.Shape, marks.Radius = s.look.color, s.look.glyph, s.look.radius
	if s.points {
		p.Add(marks)
		p.Legend.Add(s.name, marks)
		return nil
	}
	p.Add(line, marks)
	p.Legend.Add(s.name, line, marks)
	return nil
}
