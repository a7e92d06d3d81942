package studio

import (
	"fmt"
	"math"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline"
)

// An atlas is a picture of values by their places, in units of its view.
type atlas struct {
	Wide, High float64
	points     [][2]float64
}

const atlasWidth = 720

// mapOf draws the places of the values, nil where an order has none in two dimensions.
// Degrees are drawn as they are, shortened by the cosine of the middle latitude.
func mapOf(b *pipeline.Built) *atlas {
	if b == nil || b.Places == nil || len(b.Inputs.Label) == 0 {
		return nil
	}
	m := &atlas{Wide: atlasWidth}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for x := range b.Inputs.Label {
		c := b.Places.Coordinates(x)
		var p [2]float64
		switch len(c) {
		case 2:
			p = [2]float64{c[0], c[1]}
		case 3:
			p = [2]float64{math.Atan2(c[1], c[0]) * 180 / math.Pi, math.Asin(max(-1, min(1, c[2]))) * 180 / math.Pi}
		default:
			return nil
		}
		m.points = append(m.points, p)
		for i := range p {
			low[i], high[i] = min(low[i], p[i]), max(high[i], p[i])
		}
	}
	across := 1.
	if b.Unit == "km" {
		across = max(.1, math.Cos((low[1]+high[1])*math.Pi/360))
	}
	const margin = 12
	scale := (atlasWidth - 2*margin) / max(across*(high[0]-low[0]), high[1]-low[1], 1e-9)
	m.High = math.Ceil((high[1]-low[1])*scale) + 2*margin
	for i, p := range m.points {
		m.points[i] = [2]float64{math.Round(margin + (p[0]-low[0])*across*scale), math.Round(margin + (high[1]-p[1])*scale)}
	}
	return m
}

// at is where a value lies, nil where there is no picture.
func (m *atlas) at(x int) []float64 {
	if m == nil || x < 0 {
		return nil
	}
	return m.points[x][:]
}

// Dots is a path with a dot at every place.
func (m *atlas) Dots() string {
	var b strings.Builder
	seen := map[[2]float64]bool{}
	for _, p := range m.points {
		if !seen[p] {
			seen[p] = true
			fmt.Fprintf(&b, "M%g %gh0", p[0], p[1])
		}
	}
	return b.String()
}
