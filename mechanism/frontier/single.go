package frontier

import (
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// single reports whether several letters have records and every output that one
// of them gives is given by it alone: the output is the input, up to names. row
// are the outputs of a letter.
func (t *Floors) single(records mechanism.Prior, row func(x int) []uint16) bool {
	letters, given := 0, make([]bool, t.ladder.outputs)
	for x := range t.ladder.best {
		if records.Count(x) == 0 {
			continue
		}
		letters++
		for _, y := range row(x) { // two letters of one output come up within as many cells as there are outputs
			if given[y] {
				return false
			}
			given[y] = true
		}
	}
	return letters > 1
}

// tell fills in what a candidate tells at the extremes.
func (s *survey) tell(c *Candidate, row func(x int) []uint16) {
	records := s.prior
	if s.opt.Records != nil {
		records = *s.opt.Records
	}
	c.Single = s.single(records, row)
	c.Nothing = records.Total() > 0 && c.Factor.Cmp(big.NewRat(1, 1)) == 0
}

// cut are the outputs of a letter that has at most m, the best.
func (l *ladder) cut(m int) func(x int) []uint16 {
	return func(x int) []uint16 { return l.best[x][:min(m, len(l.best[x]))] }
}
