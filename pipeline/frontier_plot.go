package pipeline

import (
	"bytes"
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/picture"
)

// picture draws epsilon against the floor: the three designs, and what no
// mechanism goes below where that is not the optimum itself.
func (f *Frontier) picture() ([]byte, error) {
	c := picture.Chart{Title: "What each floor costs", X: "floor: the worst rank that may occur, of " + fmt.Sprint(f.Of), Y: "epsilon (nats)"}
	if f.By == "value" {
		c.X = "floor: the worst utility that may occur"
		if f.Unit != "" {
			c.X += ", in " + f.Unit
		}
	}
	if f.Column != "" {
		c.Title += ": column " + f.Column
	}
	safe, flat := picture.Series{Name: "safe", Step: true}, picture.Series{Name: "flat", Step: true}
	optimal, lower := picture.Series{Name: "optimal", Step: true}, picture.Series{Name: "proven lower bound", Step: true}
	open := 0
	for i := range f.Points {
		p := &f.Points[i]
		x := p.Value
		if f.By == "rank" {
			x = float64(p.Rank)
		}
		safe.Points = append(safe.Points, picture.Point{X: x, Y: p.Safe.Nats})
		if p.Flat != nil {
			flat.Points = append(flat.Points, picture.Point{X: x, Y: p.Flat.Nats})
		}
		optimal.Points = append(optimal.Points, picture.Point{X: x, Y: p.To})
		lower.Points = append(lower.Points, picture.Point{X: x, Y: p.From})
		if p.Open {
			open++
		}
	}
	last := &f.Points[len(f.Points)-1]
	c.Description = fmt.Sprintf("Epsilon in nats of the utility-safe, the flat and the optimal design at %d floors. At the best floor they need %.4g, the optimum %.4g.",
		len(f.Points), last.Safe.Nats, last.To)
	if c.Series = []picture.Series{optimal, flat, safe}; open > 0 {
		c.Series = append(c.Series, lower)
		c.Description += fmt.Sprintf(" At %d floors the least epsilon is only known to lie above the lower bound.", open)
	} else {
		c.Series[0].Name = "optimal = proven lower bound"
	}
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
