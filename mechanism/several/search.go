package several

import (
	"cmp"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// affords reports whether a program stays within limit bytes, 0 meaning 4 GiB.
func affords(t *task, limit int64) bool {
	need, n := int64(0), int64(len(t.letter))
	for _, rows := range t.column {
		pairs := 0
		for _, u := range t.under {
			pairs += len(u) + 1
		}
		need += int64(len(rows)) * int64(8*(20+2*pairs))
	}
	return need+24*n*n <= cmp.Or(limit, 4<<30)
}

// A search has a pattern for rounding beside its task.
type search struct {
	*task
	all     []mechanism.Prior
	pattern *optimum.Pattern
}

func newSearch(p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support) *search {
	t := newTask(p, also, s)
	// A letter that is possible under another prior alone counts a little.
	count := p.Counts()
	for _, x := range t.letter {
		count[x] = max(count[x], 1)
	}
	union, err := mechanism.NewPrior(count)
	if err != nil {
		union = p
	}
	return &search{t, append([]mechanism.Prior{p}, also...), optimum.NewPattern(union, s)}
}

// fits reports whether m is a mechanism of the support.
func (s *search) fits(m *mechanism.Mechanism) bool { return s.pattern.Fits(m) }

// draft is a proposal, rows divided by their sums; nil where that fails.
func (s *search) draft(cell [][]float64) *optimum.Draft {
	sum := make([]float64, len(s.letter))
	for y, c := range cell {
		for f := range c {
			c[f] = math.Max(0, c[f])
			sum[s.column[y][f]] += c[f]
		}
	}
	for y, c := range cell {
		for f := range c {
			if c[f] /= sum[s.column[y][f]]; math.IsNaN(c[f]) || math.IsInf(c[f], 0) {
				return nil
			}
		}
	}
	if len(s.pattern.Letter) != len(s.letter) {
		return nil
	}
	return &optimum.Draft{Pattern: s.pattern, Cell: cell}
}

// levelAt marks the outputs of which just the whole mass will do for f.
func (s *search) levelAt(f *big.Rat) []bool {
	level := make([]bool, len(s.column))
	for y := range level {
		if rows, _, k := s.live(y, f); k >= 0 && len(rows) == len(s.column[y]) {
			level[y] = true
		}
	}
	return level
}
