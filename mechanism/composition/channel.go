package composition

import (
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Symbol numbers what may stand in the published column, over all channels
// of a series.
type Symbol = int32

// Symbols that are no outputs.
const (
	Null Symbol = -1 // a null, where null is no output of any channel
	None Symbol = -2 // nothing was published yet
)

// A Channel is one independent draw per record.
type Channel struct {
	Law    *mechanism.Mechanism
	Letter []int32  // by letter of the series' prior, its row in Law; -1 where Law has none; nil for the same letters
	Symbol []Symbol // by output of Law, distinct and not negative; nil for the same numbers
	Rule   *Rule    // nil publishes every draw
}

// Over says what is published where a draw would pass the total.
type Over uint8

// The ways.
const (
	Repeat   Over = iota // what was published last
	Suppress             // Rule.Suppressed
	Refuse               // nothing: the night does not take place
)

// A Rule keeps the factor of every record within a total, for as long as its
// letter stays the same. It belongs to the draw: once records were published
// under a channel its rule may no longer change.
type Rule struct {
	Total      mechanism.Epsilon
	Over       Over
	Suppressed Symbol // for Suppress: Null, or the symbol of a null that is an output
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
	if r := c.Rule; r != nil {
		if r.Over > Refuse || r.Over == Suppress && r.Suppressed < Null {
			return nil, fmt.Errorf("its rule names no symbol")
		}
		s.symbols = max(s.symbols, r.Suppressed+1)
		p.low, p.high = enclose(r.Total.Factor())
	}
	return p, nil
}

func (p *prepared) symbol(y int32) Symbol {
	if p.Symbol == nil {
		return y
	}
	return p.Symbol[y]
}
