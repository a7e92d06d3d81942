package interior

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A memory is the last steps of a limited-memory quasi-Newton method and how the
// gradient changed along them [Nocedal 1980].
type memory struct {
	step, change [][]float64
	inner        []float64 // step . change
}

// restart forgets what is known of another function.
func (m *memory) restart() { m.step, m.change, m.inner = nil, nil, nil }

// learn takes in a step; one along which the gradient did not grow is of no use.
func (m *memory) learn(step, change []float64) {
	const depth = 10
	v := floats.Dot(step, change)
	if !(v > 1e-14*floats.Norm(step, 2)*floats.Norm(change, 2)) {
		return
	}
	if len(m.step) == depth {
		m.step, m.change, m.inner = m.step[1:], m.change[1:], m.inner[1:]
	}
	m.step, m.change, m.inner = append(m.step, step), append(m.change, change), append(m.inner, v)
}

// direction is minus the inverse Hessian times gradient, about.
func (m *memory) direction(gradient []float64) []float64 {
	d := floats.ScaleTo(make([]float64, len(gradient)), -1, gradient)
	k := len(m.step)
	alpha := make([]float64, k)
	for i := k - 1; i >= 0; i-- {
		alpha[i] = floats.Dot(m.step[i], d) / m.inner[i]
		floats.AddScaled(d, -alpha[i], m.change[i])
	}
	if k > 0 {
		floats.Scale(m.inner[k-1]/floats.Dot(m.change[k-1], m.change[k-1]), d)
	}
	for i := range m.step {
		beta := floats.Dot(m.change[i], d) / m.inner[i]
		floats.AddScaled(d, alpha[i]-beta, m.step[i])
	}
	return d
}

// A climb is the ascent on the dual at fixed t: it makes
//
//	F(a) = log sum P_i r_i - sum P_i a_i,  r the sums of the rows,
//
// least, whose gradient is P_i (r_i / sum P r - 1). F is convex, does not change when
// all a_i grow alike, and is bounded below where t is feasible.
type climb struct {
	*scaled
	memory
	value    float64
	gradient []float64 // by sqrt(P_i) a_i
	root     []float64 // sqrt(P_i)
}

func newClimb(s *scaled) *climb {
	c := &climb{scaled: s, root: make([]float64, len(s.Prob)), gradient: make([]float64, len(s.Prob))}
	for i, p := range s.Prob {
		c.root[i] = math.Sqrt(p)
	}
	return c
}

// begin looks at where a stands, at another t.
func (c *climb) begin() {
	c.restart()
	c.pass()
	c.value = c.look(c.gradient)
}

// look is F after a pass, and its gradient.
func (c *climb) look(gradient []float64) float64 {
	whole, worth := 0.0, 0.0
	for i, p := range c.Prob {
		whole += p * c.sum[i]
		worth += p * c.a[i]
	}
	for i, r := range c.root {
		gradient[i] = r * (c.sum[i]/whole - 1)
	}
	return math.Log(whole) - worth
}

// advance is one step. It reports false where none is better.
func (c *climb) advance() bool {
	from := append([]float64(nil), c.a...)
	d := c.direction(c.gradient)
	slope := floats.Dot(d, c.gradient)
	if !(slope < 0) {
		c.restart()
		d = c.direction(c.gradient)
		slope = floats.Dot(d, c.gradient)
	}
	length := 1.0
	if most := c.steepest(d); most*length > 50 {
		length = 50 / most
	}
	gradient, to := make([]float64, len(from)), make([]float64, len(from))
	for range 12 {
		for i, v := range d {
			to[i] = from[i] + length*v/c.root[i]
		}
		c.move(to)
		c.pass()
		if value := c.look(gradient); value <= c.value+1e-4*length*slope {
			floats.Scale(length, d)
			c.learn(d, floats.SubTo(make([]float64, len(d)), gradient, c.gradient))
			c.value, c.gradient = value, gradient
			return true
		}
		length /= 3
	}
	c.move(from)
	c.pass()
	c.restart()
	return false
}

// steepest is the largest change of an a_i.
func (c *climb) steepest(d []float64) float64 {
	most := 0.0
	for i, v := range d {
		most = max(most, math.Abs(v)/c.root[i])
	}
	return most
}

// balance divides every row by its sum: a step that never makes F larger.
func (c *climb) balance() {
	to := make([]float64, len(c.a))
	for i, v := range c.sum {
		to[i] = c.a[i] - math.Log(max(v, 1e-300))
	}
	c.move(to)
	c.pass()
	c.value = c.look(c.gradient)
}
