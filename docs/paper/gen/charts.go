package main

import (
	"gonum.org/v1/plot/vg/draw"

	"github.com/tacet-privacy/tacet/docs/paper/gen/figures"
)

var (
	safe        = look{blue, nil, draw.SquareGlyph{}, 2.6, 3, 0}
	optimal     = look{orange, dashes, draw.CircleGlyph{}, 3, 3, 0}
	byValue     = look{green, dots, draw.TriangleGlyph{}, 3, 3, 1}
	exponential = look{purple, dashDots, draw.PyramidGlyph{}, 3, 3, 2}
	tuned       = look{purple, nil, draw.CrossGlyph{}, 3, 3, 1}
	response    = look{grey, longShort, draw.PlusGlyph{}, 3.4, 3, 2}
	printed     = look{black, nil, draw.RingGlyph{}, 4.6, 1, 0}
)

// charts are the pictures by name: figures.Pictures.
func charts(a *figures.Paper) map[string]chart {
	return map[string]chart{
		"figure1-worst": worst(a),
		"figure1-mean":  mean(a),
		"figure2":       cyclic(a.Two, "Figure 2: one low, three high", 0, 1.7, []float64{0, .25, .5, .75, 1}),
		"figure3":       cyclic(a.Three, "Figure 3: three low, one high", 0, 5.2, []float64{0, .5, 1, 1.5, 2, 2.5, 3}),
	}
}

// curve is one outcome of the counting query over epsilon, as far as the
// mechanism keeps noise where noisy is set.
func curve(a *figures.Paper, name string, l look, noisy bool, of func(figures.CountingPoint) float64) series {
	s := series{name: name, look: l}
	for _, q := range a.One {
		if noisy && q.Free {
			break
		}
		s.x, s.y = append(s.x, q.Epsilon), append(s.y, of(q))
	}
	return s
}

var nats = []float64{.5, .75, 1, 1.25, 1.5, 1.75, 2}

func worst(a *figures.Paper) chart {
	s := []series{
		curve(a, "exponential mechanism and k-RR", response, true,
			func(q figures.CountingPoint) float64 { return q.Exponential.Worst }),
		curve(a, "utility-safe M*", safe, false, func(q figures.CountingPoint) float64 { return q.Safe.Worst }),
		curve(a, "optimum, rank floor", optimal, false, func(q figures.CountingPoint) float64 { return q.Optimal.Worst }),
		curve(a, "optimum, value floor", byValue, false, func(q figures.CountingPoint) float64 { return q.ByValue.Worst }),
	}
	for i := range s {
		s[i].step = true
	}
	paper := series{name: "M* as printed", look: printed, points: true}
	for _, q := range a.Counting.Figure1.Safe {
		paper.x, paper.y = append(paper.x, q[0]), append(paper.y, q[1])
	}
	return chart{title: "Figure 1: worst value that can occur, counting query", x: "epsilon (nats)", y: "worst value",
		series: append(s, paper), low: -40, high: 20,
		xs: nats, ys: []float64{-40, -30, -20, -10, 0}}
}

func mean(a *figures.Paper) chart {
	flat := curve(a, "utility-safe M*", safe, false, func(q figures.CountingPoint) float64 { return q.Safe.Mean })
	flat.step = true
	return chart{title: "Figure 1, continued: expected utility, counting query", x: "epsilon (nats)",
		y:   "expected utility",
		low: -9, high: 5,
		xs: nats, ys: []float64{-8, -6, -4, -2, 0},
		series: []series{
			curve(a, "exponential mechanism at the guaranteed level", exponential, true,
				func(q figures.CountingPoint) float64 { return q.Exponential.Mean }),
			curve(a, "exponential mechanism tuned to leak epsilon", tuned, true,
				func(q figures.CountingPoint) float64 { return q.ExponentialTuned.Mean }),
			curve(a, "k-RR (leaks epsilon)", response, true, func(q figures.CountingPoint) float64 { return q.Response.Mean }),
			flat,
			curve(a, "optimum, rank floor", optimal, false, func(q figures.CountingPoint) float64 { return q.Optimal.Mean }),
			curve(a, "optimum, value floor", byValue, false, func(q figures.CountingPoint) float64 { return q.ByValue.Mean }),
		}}
}

func cyclic(all []figures.Cyclic, title string, low, high float64, ys []float64) chart {
	c := chart{title: title + ", four letters in a cycle", x: "p_min", y: "epsilon (nats)", low: low, high: high,
		xs: []float64{.02, .04, .06, .08, .1, .12, .14, .16, .18, .2}, ys: ys}
	looks := [][2]look{{safe, optimal}, {{blue, dashDots, draw.SquareGlyph{}, 4.4, 1, 0},
		{orange, dots, draw.PyramidGlyph{}, 2.6, 1, 0}}}
	for i, y := range all {
		h := map[int]string{2: "h = 2: ", 3: "h = 3: "}[y.Floor]
		s, o := looks[i][0], looks[i][1]
		s.every, o.every = 1, 1
		s.radius, o.radius = 4.4, 2.6 // they often lie on each other
		c.series = append(c.series,
			series{name: h + "utility-safe M*", x: y.PMin, y: figures.Nats(y.Safe), look: s},
			series{name: h + "optimum, proven", x: y.PMin, y: figures.Nats(y.Optimal), look: o},
			series{name: h + "linear program as printed", x: y.PMin, y: y.PaperOptimal, points: true,
				look: look{black, nil, []draw.GlyphDrawer{draw.RingGlyph{}, draw.PlusGlyph{}}[i], 6.4, 1, 0}})
	}
	return c
}
