package page

import (
	"fmt"
	"math"
	"slices"
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
	all := []Series{{Name: "optimal"}, {Name: "safe"}, {Name: "proven lower bound"}}
	open := 0
	for _, p := range f.Floors {
		for i, epsilon := range []float64{p.Optimal, p.Safe, p.Lower} {
			all[i].Points = append(all[i].Points, Point{p.Floor, epsilon})
		}
		if apart(p) {
			open++
		}
	}
	if open == 0 {
		all = all[:2]
		all[0].Name = "optimal = proven lower bound"
	}
	c := newChart(slices.Concat(all, f.Limited), f.By != "value", f.Chosen, f.Asked)
	c.draw(all)
	for _, limited := range f.Limited {
		c.Faint = append(c.Faint, c.path(limited))
	}
	c.Name, c.XName, c.YName = f.Title(), labelled(f.axis(), 80), "epsilon (nats)"
	c.FaintName = labelled(f.LimitedName, 50)
	c.Asked, c.Ring = c.ring(f.Asked), c.ring(f.Chosen)
	c.Description = fmt.Sprintf("Epsilon in nats of the utility-safe and the optimal design at %d floors.", len(f.Floors))
	if len(f.Floors) > 0 {
		last := f.Floors[len(f.Floors)-1]
		c.Description += fmt.Sprintf(" At the best floor the utility-safe design needs %s, the optimum %s.",
			nats(last.Safe), nats(last.Optimal))
	}
	f.addZones(c)
	if from := f.unchangedFrom(); from != nil {
		c.Above = new(round(c.y(*from)))
		c.Description += fmt.Sprintf(" From epsilon %s on, a run without a floor publishes the values as they are.",
			nats(*from))
	}
	if c.Ring != nil {
		c.Description += fmt.Sprintf(" The ring is at floor %s, epsilon %s.", figure(f.Chosen.X), nats(f.Chosen.Y))
	}
	if open > 0 {
		c.Description += fmt.Sprintf(" At %d floors the least epsilon is only known to lie above the lower bound.", open)
	}
	c.Description = labelled(c.Description, 2000)
	return c
}

// axis names what floors are.
func (f *Frontier) axis() string {
	switch {
	case f.By == "level":
		return fmt.Sprintf("floor: level, from 0 (any value at all) to %d (the same value)", f.Of)
	case f.By == "value" && f.Unit != "":
		return "floor: the worst utility that may occur, in " + f.Unit
	case f.By == "value":
		return "floor: the worst utility that may occur"
	}
	return "floor: the worst rank that may occur, of " + strconv.Itoa(f.Of)
}

// unchangedFrom is the epsilon from which on a run without a floor takes the best floor,
// at which the values are published as they are; nil where that does not happen.
func (f *Frontier) unchangedFrom() *float64 {
	if n := len(f.Floors); n > 0 && f.Floors[n-1].Unchanged {
		return &f.Floors[n-1].Optimal
	}
	return nil
}

// addZones are the floors at which the optimal design is at an extreme: a floor costs what it costs from
// the one before on.
func (f *Frontier) addZones(c *Chart) {
	for _, k := range []struct {
		is          func(Floor) bool
		name, words string
	}{
		{func(p Floor) bool { return p.Nothing }, "tells nothing", "the optimal design tells nothing about the input"},
		{func(p Floor) bool { return p.Unchanged }, "unchanged",
			"the optimal design publishes the values as they are, up to their names"},
	} {
		for i := 0; i < len(f.Floors); i++ {
			first := i
			for i < len(f.Floors) && k.is(f.Floors[i]) {
				i++
			}
			if i == first {
				continue
			}
			last := f.Floors[i-1].Floor
			from, to := round(c.x(f.Floors[max(0, first-1)].Floor)), round(c.x(last))
			c.Zones = append(c.Zones, zone{from, max(2, round(to-from)), k.name, to > c.Middle(), f.Floors[first].Unchanged})
			c.Description += fmt.Sprintf(" From floor %s to %s %s.", figure(f.Floors[first].Floor), figure(last), k.words)
		}
	}
}

// apart reports whether the bracket of a floor is open in the digits shown.
func apart(p Floor) bool {
	return !(math.Abs(p.Optimal-p.Lower) <= 1e-6) && !math.IsNaN(p.Optimal+p.Lower)
}

// logarithm of a factor, 0 where it is none.
func logarithm(fraction string) float64 { return math.Log(max(1, value(fraction))) }
