package optimum

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// margins are the relative amounts by which the float solver stays below the
// factor, so that rounding to integers does not cross it. Below the least factor there is
// nothing, at it only exact flows keep it, and above it prices are better determined.
var (
	margins     = []float64{1e-9, 0, 3e-8, 1e-6}
	edgeMargins = []float64{0, -1e-7}
)

const below = 1e-9 // the least such amount for the limit

// A program is the linear program of a pattern at a factor. Where there are no
// weights, letters of the same outputs are one row and outputs of the same letters
// one column: the mean of rows serves all of them with the same output law, and
// a column that is parted as the shares are shifts no more than the whole.
type program struct {
	interior.Problem
	row    []int32   // by place in letter
	joint  []int64   // the counts of each row
	output [][]int   // by column
	share  []float64 // by column
	flat   []bool
	w      [][]float64
}

// program is nil where some letter has no output left. Outputs are classed in
// integers at the factor itself, the solver stays below.
func (k *Pattern) program(t *big.Rat, at float64) *program {
	var live []int
	for y := range k.Column {
		if k.live(y, t) {
			live = append(live, y)
		}
	}
	b := &program{row: make([]int32, len(k.Letter))}
	n := float64(k.Prior.Total())
	served := make([][]byte, len(k.Letter))
	for c, y := range live {
		for _, i := range k.Column[y] {
			served[i] = strconv.AppendInt(append(served[i], ' '), int64(c), 36)
		}
	}
	first := make(map[string]int32)
	for i, key := range served {
		if key == nil {
			return nil
		}
		r, ok := first[string(key)]
		if !ok || k.weights != nil {
			r = int32(len(b.Prob))
			first[string(key)] = r
			b.Prob, b.joint = append(b.Prob, 0), append(b.joint, 0)
		}
		b.row[i] = r
		b.Prob[r] += float64(k.Count[i]) / n
		b.joint[r] += k.Count[i]
	}
	known := make(map[string]int)
	for _, y := range live {
		var rows []int32
		var key []byte
		for _, i := range k.Column[y] {
			rows = append(rows, b.row[i])
		}
		slices.Sort(rows)
		rows = slices.Compact(rows)
		for _, r := range rows {
			key = strconv.AppendInt(append(key, ' '), int64(r), 36)
		}
		c, ok := known[string(key)]
		if !ok || k.weights != nil {
			c = len(b.Column)
			known[string(key)] = c
			b.Column = append(b.Column, rows)
			b.output, b.share = append(b.output, nil), append(b.share, 0)
			b.flat = append(b.flat, at*float64(k.Mass[y])/n-1 <= 2e-9)
			if k.weights != nil {
				b.w = append(b.w, k.cell[y])
			} else {
				b.w = append(b.w, make([]float64, len(rows)))
			}
		}
		b.output[c] = append(b.output[c], y)
		b.share[c] += float64(k.share[y]) / n
	}
	return b
}

// draft is a proposal for the columns of a program as one for all outputs.
func (k *Pattern) draft(b *program, p [][]float64) Draft {
	d := Draft{Pattern: k, Cell: make([][]float64, len(k.Column))}
	n := float64(k.Prior.Total())
	for c, cell := range p {
		if cell == nil {
			continue
		}
		for f, y := range b.output[c] {
			part := 1.0
			switch {
			case b.share[c] > 0:
				part = float64(k.share[y]) / n / b.share[c]
			case f > 0:
				part = 0
			}
			if part == 0 {
				continue
			}
			d.Cell[y] = make([]float64, len(k.Column[y]))
			for f, i := range k.Column[y] {
				at, _ := slices.BinarySearch(b.Column[c], b.row[i])
				d.Cell[y][f] = part * cell[at]
			}
		}
	}
	return d
}

// prices are those of the rows by place in letter; nil where there are none.
func (b *program) prices(y []float64) []float64 {
	if y == nil {
		return nil
	}
	out := make([]float64, len(b.row))
	for i, r := range b.row {
		out[i] = y[r]
	}
	return out
}

// solve runs the float solver below the factor and the limit, margin by margin, until next
// to nothing is open.
func (s *search) solve(ctx context.Context) {
	tf, found := rounded(s.t), false
	if math.IsInf(tf, 0) || s.t.Cmp(one) < 0 {
		return
	}
	list := margins
	if s.edge {
		list = edgeMargins
	}
	for _, margin := range list {
		b := s.program(s.t, tf*(1-margin))
		if b == nil || ctx.Err() != nil {
			return
		}
		var q *interior.Shares
		if s.stands != nil {
			q = &interior.Shares{Share: b.share, Least: s.limit == nil}
		}
		if s.limit != nil {
			q.Limit = rounded(s.limit) * (1 - max(margin, below))
		}
		out := interior.Best(ctx, b.Problem, tf*(1-margin), b.flat, b.w, interior.Options{Shares: q})
		if a := b.prices(out.Y); a != nil {
			s.prove(a)
		}
		if out.P != nil && !(found && s.edge) {
			d := s.draft(b, out.P)
			if s.limit != nil && s.limit.Sign() == 0 {
				s.offer(s.invariant(s.t, &d))
			}
			if s.left() > Gap/10 {
				found = s.settle(d) || found
			}
		}
		if s.left() <= Gap/10 || found && !s.hard() {
			return
		}
	}
}

// hard reports whether a mechanism that is within its limits may still be far from the best
// one: at the least factor, or where shares are to be kept.
func (s *search) hard() bool { return s.edge || s.stands != nil }

// settle offers what integers make of a draft, the plainest first, and reports whether any
// of it is within the limits. At the least factor of a support, or just at a jump, only exact
// flows are.
func (s *search) settle(d Draft) (found bool) {
	q := d.Law()
	totals := Totals
	if s.stands != nil {
		totals = Totals[len(Totals)-1:] // two limits are seldom met by less
	}
	for _, least := range Faint {
		e := d.Without(q, least)
		for _, total := range totals {
			if s.offer(e.Table(total)) {
				found = true
				break
			}
		}
		if found && s.left() <= tight {
			return true
		}
	}
	if found && !s.hard() {
		return true
	}
	return s.offer(d.Exact(s.t)) || found
}

// even gives every letter its outputs in proportion to their shares. Where
// letters of common outputs have all of them in common, as at the levels of a
// tree, it has shift 0 at the least factor.
func (k *Pattern) even() *mechanism.Mechanism {
	row := make([]mechanism.Row, k.Prior.Letters())
	for x := range row {
		row[x] = mechanism.Proportional(k.Support.AppendRow(nil, x), k.Prior, k.stands)
	}
	m, err := mechanism.NewReduced(len(k.Column), row)
	if err != nil {
		return nil
	}
	return m
}

// invariant has an output law in proportion to the shares, and cells near a
// draft's, if that is not nil: a flow. It is nil where there is none, or where looking for it takes
// long.
func (k *Pattern) invariant(t *big.Rat, near *Draft) *mechanism.Mechanism {
	const room = 1 << 18 // cells
	n := k.Prior.Total()
	if k.Cells() > room || n > 1<<30 {
		return nil
	}
	// Fine enough for the cells, and a multiple of the denominator where it fits.
	unit := (math.MaxInt64/2 + 1) / (n * n)
	if d := t.Denom(); d.IsInt64() && d.Int64() <= unit {
		unit -= unit % d.Int64()
	}
	g := make([]int64, len(k.share))
	for y, c := range k.share {
		g[y] = c * unit
	}
	c := newTransport(k, g, t)
	if c == nil || !c.fill(near) {
		return nil
	}
	return c.mechanism()
}
