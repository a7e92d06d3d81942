package composition

import (
	"fmt"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Channel is one independent draw per record.
type Channel struct {
	Law    *mechanism.Mechanism
	Letter []int32 // by letter of the series' prior, its row in Law; -1 where Law has none; nil for the same letters
	// Total is the most that all outputs of a record may tell together while its
	// letter stays the same; nil sets no limit. It belongs to the draw: once records
	// were published under a channel its total may no longer change.
	Total *mechanism.Epsilon
}

// A prepared channel has its columns over the letters of the support.
type prepared struct {
	Channel
	column [][]cell // by output
	total  float64  // e^total, about
}

// A cell is p(y|x) of the i-th letter of the support, as a float within a
// relative 4u and exactly.
type cell struct {
	i             int32
	p             float64
	weight, total int64
}

func (s *Series) prepare(c Channel) (*prepared, error) {
	if c.Law == nil {
		return nil, fmt.Errorf("it has no law")
	}
	if c.Letter != nil && len(c.Letter) != s.letters || c.Letter == nil && c.Law.Inputs() != s.letters {
		return nil, fmt.Errorf("its letters are not those of the prior")
	}
	p := &prepared{Channel: c, column: make([][]cell, c.Law.Outputs())}
	for i, x := range s.support {
		row := x
		if c.Letter != nil {
			row = c.Letter[x]
		}
		if int(row) >= c.Law.Inputs() {
			return nil, fmt.Errorf("letter %d has no row %d", x, row)
		}
		if row < 0 {
			continue
		}
		r := c.Law.Row(int(row))
		for j, y := range r.Output {
			w := r.At(j)
			p.column[y] = append(p.column[y], cell{int32(i), float64(w) / float64(r.Total), w, r.Total})
		}
	}
	if c.Total != nil {
		p.total, _ = c.Total.Factor().Float64()
	}
	return p, nil
}
