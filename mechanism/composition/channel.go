package composition

import (
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Symbol numbers what may stand in the published column, over all channels
// of a series.
type Symbol = int32

// Null is a null, where null is no output of any channel.
const Null Symbol = -1

// A Channel is one independent draw per record.
type Channel struct {
	Law    *mechanism.Mechanism
	Letter []int32  // by letter of the series' prior, its row in Law; -1 where Law has none; nil for the same letters
	Symbol []Symbol // by output of Law, distinct and not negative; nil for the same numbers
	// Total is the most that all outputs of a record may tell together while its
	// letter stays the same; nil sets no limit. It belongs to the draw: once records
	// were published under a channel its total may no longer change.
	Total *mechanism.Epsilon
}

// A prepared channel has its columns over the letters of the support.
type prepared struct {
	Channel
	column [][]cell // by output
	output map[Symbol]int32
	low    float64 // e^total lies within low..high
	high   float64
}

// A cell is p(y|x) of the i-th letter of the support, as a float within a
// relative 4u and exactly.
type cell struct {
	i             int32
	p             float64
	weight, total int64
}

func (c cell) exact() *big.Rat { return big.NewRat(c.weight, c.total) }

func (s *Series) prepare(c Channel) (*prepared, error) {
	if c.Law == nil {
		return nil, fmt.Errorf("it has no law")
	}
	if c.Letter != nil && len(c.Letter) != s.letters || c.Letter == nil && c.Law.Inputs() != s.letters {
		return nil, fmt.Errorf("its letters are not those of the prior")
	}
	if c.Symbol != nil && len(c.Symbol) != c.Law.Outputs() {
		return nil, fmt.Errorf("it has %d symbols for %d outputs", len(c.Symbol), c.Law.Outputs())
	}
	p := &prepared{Channel: c, column: make([][]cell, c.Law.Outputs()), output: map[Symbol]int32{}}
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
	for y := range p.column {
		z := p.symbol(int32(y))
		if _, twice := p.output[z]; twice || z < 0 {
			return nil, fmt.Errorf("symbol %d of output %d is negative or stands twice", z, y)
		}
		p.output[z] = int32(y)
		s.symbols = max(s.symbols, z+1)
	}
	if c.Total != nil {
		p.low, p.high = enclose(c.Total.Factor())
	}
	return p, nil
}

func (p *prepared) symbol(y int32) Symbol {
	if p.Symbol == nil {
		return y
	}
	return p.Symbol[y]
}

// of is the column of a symbol, nil where the channel does not have it.
func (p *prepared) of(z Symbol) []cell {
	if y, ok := p.output[z]; ok {
		return p.column[y]
	}
	return nil
}
