package page

import (
	"fmt"
	"math"
	"strconv"
)

// A Frontier is what every floor costs: epsilon of both designs against
// the floor, with the chosen point and the bound that no mechanism goes below.
type Frontier struct {
	Column string // may be empty
	By     string // "rank", "value" or "level"
	Of     int    // M, or the best level
	Unit   string // of utilities, may be empty
	Floors []Floor

	Limited     []Series // what limits of the shift cost, drawn faintly
	LimitedName string
	Asked       *Point // floor and epsilon that were asked for; may be nil
	Chosen      *Point // floor and epsilon in nats; may be nil
}

// A Floor is one point of the curves, in nats; NaN where there is none.
type Floor struct {
	Floor float64 // rank, or value

	Safe, Optimal float64 // rounded up
	Lower         float64 // the certified bound, rounded down

	Unchanged, Nothing bool // the optimal design publishes the values as they are, up to names; it tells nothing
}

// Title is what a heading or caption says.
func (f *Frontier) Title() string {
	if f.Column == "" {
		return "What each floor costs"
	}
	return "What each floor costs: column " + Cut(f.Column, 60)
}

// Chart is the frontier as a chart.
func (f *Frontier) Chart() *Chart {
	c := &Chart{Name: f.Title(), X: "floor: the worst rank that may occur, of " + strconv.Itoa(f.Of), Y: "epsilon (nats)",
		Mark: f.Chosen}
	switch {
	case f.By == "level":
		c.X = levelAxis(f.Of)
	case f.By == "value":
		c.X = "floor: the worst utility that may occur"
		if f.Unit != "" {
			c.X += ", in " + f.Unit
		}
	}
	c.Faint, c.FaintName, c.Asked = f.Limited, f.LimitedName, f.Asked
	safe := Series{Name: "safe", Step: true}
	optimal, lower := Series{Name: "optimal", Step: true}, Series{Name: "proven lower bound", Step: true}
	open := 0
	for _, p := range f.Floors {
		safe.Points = append(safe.Points, Point{p.Floor, p.Safe})
		optimal.Points = append(optimal.Points, Point{p.Floor, p.Optimal})
		lower.Points = append(lower.Points, Point{p.Floor, p.Lower})
		if apart(p) {
			open++
		}
	}
	c.Description = fmt.Sprintf("Epsilon in nats of the utility-safe and the optimal design at %d floors.", len(f.Floors))
	if len(f.Floors) > 0 {
		last := f.Floors[len(f.Floors)-1]
		c.Description += fmt.Sprintf(" At the best floor the utility-safe design needs %s, the optimum %s.",
			nats(last.Safe), nats(last.Optimal))
	}
	c.Zones = f.zones()
	for _, z := range c.Zones {
		c.Description += fmt.Sprintf(" From floor %s to %s %s.", figure(z.First), figure(z.Last), z.Words)
	}
	if c.Above = f.unchangedFrom(); c.Above != nil {
		c.Description += fmt.Sprintf(" From epsilon %s on, a run without a floor publishes the values as they are.",
			nats(*c.Above))
	}
	if f.Chosen != nil && finite(*f.Chosen) {
		c.Description += fmt.Sprintf(" The ring is at floor %s, epsilon %s.", figure(f.Chosen.X), nats(f.Chosen.Y))
	}
	if c.Series = []Series{optimal, safe}; open > 0 {
		c.Series = append(c.Series, lower)
		c.Description += fmt.Sprintf(" At %d floors the least epsilon is only known to lie above the lower bound.", open)
	} else {
		c.Series[0].Name = "optimal = proven lower bound"
	}
	return c
}

// unchangedFrom is the epsilon from which on a run without a floor takes the best floor,
// at which the values are published as they are; nil where that does not happen.
func (f *Frontier) unchangedFrom() *float64 {
	if n := len(f.Floors); n > 0 && f.Floors[n-1].Unchanged {
		return &f.Floors[n-1].Optimal
	}
	return nil
}

// zones are the floors at which the optimal design is at an extreme.
func (f *Frontier) zones() (out []Zone) {
	for _, k := range []struct {
		is          func(Floor) bool
		name, words string
	}{
		{func(p Floor) bool { return p.Nothing }, "tells nothing", "the optimal design tells nothing about the input"},
		{func(p Floor) bool { return p.Unchanged }, "unchanged",
			"the optimal design publishes the values as they are, up to their names"},
	} {
		var zone *Zone
		for i, p := range f.Floors {
			switch {
			case !k.is(p):
				zone = nil
				continue
			case zone == nil:
				from := p.Floor
				if i > 0 { // a floor costs what it costs from the one before on
					from = f.Floors[i-1].Floor
				}
				out = append(out, Zone{From: from, First: p.Floor, Name: k.name, Words: k.words, Bad: p.Unchanged})
				zone = &out[len(out)-1]
			}
			zone.Last = p.Floor
		}
	}
	return out
}

// apart reports whether the bracket of a floor is open in the digits shown.
func apart(p Floor) bool {
	return !(math.Abs(p.Optimal-p.Lower) <= 1e-6) && !math.IsNaN(p.Optimal+p.Lower)
}

// levelAxis names the axis of floors that are levels.
func levelAxis(of int) string {
	return fmt.Sprintf("floor: level, from 0 (any value at all) to %d (the same value)", of)
}

// logarithm of a factor, 0 where it is none.
func logarithm(fraction string) float64 { return math.Log(max(1, value(fraction))) }
