package estimate

import (
	"gonum.org/v1/gonum/mat"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/recovery"
)

// A Channel is a mechanism made ready for estimates. What can be estimated is decided
// in exact arithmetic; the estimates themselves are floats.
type Channel struct {
	law  *mechanism.Mechanism
	p    *mat.Dense // p_xy
	span *Span
}

// NewChannel takes 16 N M bytes and up to N^2 M steps.
func NewChannel(m *mechanism.Mechanism) *Channel {
	return &Channel{law: m, p: recovery.Chances(m), span: SpanOf(m)}
}

// Letters is N.
func (c *Channel) Letters() int { return c.law.Inputs() }

// Outputs is M.
func (c *Channel) Outputs() int { return c.law.Outputs() }

// Rank is that of the mechanism; where it is N every sum can be estimated.
func (c *Channel) Rank() int { return c.span.Rank() }

// Estimable reports whether the output tells the share of these letters together.
func (c *Channel) Estimable(letters []int) bool {
	return c.span.Rank() == c.Letters() || c.span.Holds(letters)
}

// possible reports whether some letter gives every output that was counted.
func (c *Channel) possible(s *Sample) bool {
	given := make([]bool, c.Outputs())
	for x := range c.Letters() {
		for _, y := range c.law.Row(x).Output {
			given[y] = true
		}
	}
	for y, n := range s.Count {
		if n > 0 && !given[y] {
			return false
		}
	}
	return true
}

// lumped is the mechanism of some letters with the outputs that were not seen taken for
// one, the last: what they have together is all that a sample says of them. It is the
// mechanism itself for all letters and outputs.
func (c *Channel) lumped(letters func(x int) bool, count []int64) *mechanism.Mechanism {
	place, outputs := make([]uint16, len(count)), 0
	for y, n := range count {
		if n > 0 {
			place[y] = uint16(outputs)
			outputs++
		}
	}
	last := uint16(outputs)
	var rows []mechanism.Row
	for x := range c.Letters() {
		if !letters(x) {
			continue
		}
		r := c.law.Row(x)
		var to []uint16
		var weight []int64
		rest := int64(0)
		for i, y := range r.Output {
			if count[y] == 0 {
				rest += r.At(i)
				continue
			}
			to, weight = append(to, place[y]), append(weight, r.At(i))
		}
		if rest > 0 {
			to, weight = append(to, last), append(weight, rest)
		}
		rows = append(rows, mechanism.WeightedRow(to, weight))
	}
	if outputs < len(count) {
		outputs++
	}
	m, err := mechanism.New(outputs, rows)
	if err != nil {
		panic(err) // the rows are sums of valid ones
	}
	return m
}
