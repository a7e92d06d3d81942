package figures

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Page writes docs/paper.md. The pictures it shows are Pictures.
func (a *Paper) Page(w io.Writer) error {
	p := &page{}
	p.say(intro)
	p.agreement(a.Agreement)
	p.say(example)
	p.floors(a)
	p.say(fmt.Sprintf(figure1, a.Lexical[1].Exponential.Leakage))
	p.counting(a.One)
	p.say(cyclic)
	p.cyclic(2, a.Two, oneLowText)
	p.cyclic(3, a.Three, fmt.Sprintf(threeLowText, a.Three[1].LargestBefore))
	p.flush()
	_, err := io.WriteString(w, p.text.String())
	return err
}

// A page is the text so far, and the rows of a table whose end is not there yet.
type page struct {
	text strings.Builder
	rows [][]string
	left int // columns to the left
}

func (p *page) say(s string) {
	p.flush()
	p.text.WriteString(strings.TrimPrefix(s, "\n") + "\n")
}

// table has right-aligned columns but for the first left ones.
func (p *page) table(left int, head ...string) {
	p.left = left
	p.row(head...)
}

func (p *page) row(cell ...string) { p.rows = append(p.rows, cell) }

// flush writes the table as it is to be read, in a block of code.
func (p *page) flush() {
	if len(p.rows) == 0 {
		return
	}
	width := make([]int, len(p.rows[0]))
	for _, r := range p.rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	p.text.WriteString("```\n")
	for _, r := range p.rows {
		var line strings.Builder
		for i, c := range r {
			if w := width[i] + 2*min(i, 1); i < p.left {
				fmt.Fprintf(&line, "%*s%-*s", w-width[i], "", width[i], c)
			} else {
				fmt.Fprintf(&line, "%*s", w, c)
			}
		}
		p.text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	p.text.WriteString("```\n")
	p.rows = nil
}

func (p *page) agreement(all []Comparison) {
	p.table(2, "what", "against", "points", "largest difference", "digits allow")
	for _, c := range all {
		p.row(c.What, c.Against, fmt.Sprint(c.Points), small(c.Largest), small(c.Tolerance))
	}
	p.say("")
}

func (p *page) floors(a *Paper) {
	p.table(1, "floor h", "worst value", "M* in paper", "M* here", "optimum", "proof from below")
	for _, q := range a.Floors {
		p.row(fmt.Sprint(q.Floor), number(q.Worst, 0), a.Counting.Safe[fmt.Sprint(q.Floor)], q.Safe.RatString(),
			q.Optimal.RatString(), q.Below.RatString())
	}
	p.say("")
	p.say(values)
	p.table(1, "value floor", "least factor", "proof from below", "epsilon")
	for _, q := range a.Values {
		p.row(number(q.Floor, 0), q.Optimal.RatString(), q.Below.RatString(), number(mechanism.Nats(q.Optimal), 4))
	}
	p.say("")
}

func (p *page) counting(all []CountingPoint) {
	p.table(1, "epsilon", "M*: worst", "mean", "exponential", "tuned", "k-RR", "optimum: worst", "mean",
		"by value: worst", "mean")
	for i := 0; i < len(all); i += 5 { // the pictures have every point
		q := all[i]
		p.row(q.Text,
			number(q.Safe.Worst, 0), number(q.Safe.Mean, 3),
			number(q.Exponential.Mean, 3), number(q.ExponentialTuned.Mean, 3), number(q.Response.Mean, 3),
			number(q.Optimal.Worst, 0), number(q.Optimal.Mean, 3),
			number(q.ByValue.Worst, 0), number(q.ByValue.Mean, 3))
	}
	p.say("")
}

func (p *page) cyclic(figure int, curves []Cyclic, text string) {
	p.say(text)
	head := []string{"p_min"}
	for _, c := range curves {
		h := fmt.Sprintf("h = %d: ", c.Floor)
		head = append(head, h+"M*", "program", "optimum", "as a factor")
	}
	p.table(1, head...)
	for i, x := range curves[0].PMin { // the pictures have every point
		if i%2 == 0 {
			continue
		}
		cell := []string{number(x, 2)}
		for _, c := range curves {
			cell = append(cell, nats(c.Safe[i]), number(c.PaperOptimal[i], 8), nats(c.Optimal[i]),
				bracket(c.Below[i], c.Optimal[i]))
		}
		p.row(cell...)
	}
	p.say("")
}

func nats(f *big.Rat) string { return number(mechanism.Nats(f), 8) }

// bracket is a fraction, or both ends where the proof leaves a gap.
func bracket(low, high *big.Rat) string {
	if low.Cmp(high) == 0 {
		return high.RatString()
	}
	return low.FloatString(10) + " .. " + high.FloatString(10)
}

// number has no negative zero.
func number(v float64, digits int) string {
	scale := math.Pow(10, float64(digits))
	if v = math.Round(v*scale) / scale; v == 0 {
		v = 0
	}
	return fmt.Sprintf("%.*f", digits, v)
}

func small(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", v)
}
