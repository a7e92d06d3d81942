package page

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
)

// Leakage is what each output tells, against what was promised.
type Leakage struct {
	Outputs []Output // most first
	Target  float64  // epsilon promised, in nats; NaN where it is not drawn
}

// An Output is one output that can occur.
type Output struct {
	Label   string
	Nats    float64 // rounded up
	Factor  string  // e^Nats, exact, "p/q"
	Support int     // letters that may give it
	Share   float64 // of the records written; NaN where it is not told
}

// Title implements Picture.
func (l *Leakage) Title() string { return "What each output tells" }

// SVG implements Picture.
func (l *Leakage) SVG(id string) (template.HTML, error) {
	f := frame{ID: id, Name: l.Title(), Width: width,
		Description: fmt.Sprintf("Leakage in nats of the %d outputs that can occur.", len(l.Outputs))}
	var rows []row
	hi := 0.
	for _, o := range l.Outputs {
		hi = max(hi, o.Nats)
		rows = append(rows, row{o.Label, o.Nats, math.NaN(), math.NaN(), natsLabel(o.Nats)})
	}
	if len(l.Outputs) > 0 {
		f.Description += fmt.Sprintf(" The most is %s, of output %s; the least of those shown %s.",
			natsLabel(l.Outputs[0].Nats), Cut(l.Outputs[0].Label, 60), natsLabel(rows[min(len(rows), mostBars)-1].value))
	}
	var limit *float64
	names := [][2]string{{"bar", "leakage"}}
	if !math.IsNaN(l.Target) {
		limit = &l.Target
		f.Description += fmt.Sprintf(" The line is the promise, %s.", figure(l.Target))
		names = append(names, [2]string{"limit", "promised: " + figure(l.Target)})
	}
	b := newBars(f, "leakage (nats)", hi, rows, limit)
	b.legend(names...)
	if n := len(rows); n > mostBars {
		b.more(fmt.Sprintf("The %d that tell most of %d; the table has them all.", mostBars, n))
	}
	return b.svg()
}

// Table implements Picture.
func (l *Leakage) Table() Figures {
	t := Figures{Caption: "Leakage of each output", Head: []string{"output", "leakage (nats)", "factor",
		"values that may give it", "share of records"}, Names: 1}
	for _, o := range l.Outputs {
		t.Rows = append(t.Rows, []string{o.Label, natsLabel(o.Nats), o.Factor, strconv.Itoa(o.Support),
			percentLabel(o.Share)})
	}
	return t
}
