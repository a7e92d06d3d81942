package page

import (
	"fmt"
	"html/template"
	"math"
)

// Caps is how far belief in each value can rise, for an observer who knows
// how common each value is and sees one output.
type Caps struct {
	Values []Cap // the commonest first
}

// A Cap is one value. All three are probabilities.
type Cap struct {
	Label   string
	Prior   float64 // before
	Cap     float64 // min(1, e^epsilon Prior): no output exceeds it
	Reached float64 // the largest that some output gives; NaN where it is not told
}

// Title implements Picture.
func (c *Caps) Title() string { return "How sure one output can make an observer" }

// SVG implements Picture.
func (c *Caps) SVG(id string) (template.HTML, error) {
	sure, told := 0, false
	var rows []row
	for _, v := range c.Values {
		if v.Cap >= 1 {
			sure++
		}
		told = told || !math.IsNaN(v.Reached)
		rows = append(rows, row{v.Label, 100 * v.Prior, 100 * v.Cap, 100 * v.Reached, atMostLabel(v.Cap)})
	}
	f := frame{ID: id, Name: c.Title(), Width: width, Description: fmt.Sprintf(
		"For each of %d values how likely it is before, and the most it can be after one output is seen. For %d of them "+
			"that is 100 %%: one output may confirm them.", len(rows), sure)}
	b := newBars(f, "probability that a record holds the value, in percent", 100, rows, nil)
	names := [][2]string{{"bar", "before"}, {"outline", "cap: never more"}}
	if told {
		names = append(names, [2]string{"mark", "most that is reached"})
	}
	b.legend(names...)
	if n := len(rows); n > mostBars {
		b.more(fmt.Sprintf("The first %d of %d; the table has them all.", mostBars, n))
	}
	return b.svg()
}

// Table implements Picture.
func (c *Caps) Table() Figures {
	t := Figures{Caption: "Probability of each value before, and the most that one output can make it",
		Head: []string{"value", "before", "cap", "reached"}, Names: 1}
	for _, v := range c.Values {
		t.Rows = append(t.Rows, []string{v.Label, percentLabel(v.Prior), atMostLabel(v.Cap), atMostLabel(v.Reached)})
	}
	return t
}
