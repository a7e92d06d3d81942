package count

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// crossedCells bounds the cells of mechanisms that a table of two columns goes through.
const crossedCells = 100_000_000

// A Crossing is the records by the values of another column, which stays as it is and
// decides nothing.
type Crossing struct {
	By    string
	Parts []mechanism.Prior // none is empty
}

// Cross counts the records of a study by another column, for which it was opened.
func (w *Study) Cross(ctx context.Context, by string) (*Crossing, error) {
	d, c := w.Domain, w.Domain.Counted
	if err := c.Tabulate(ctx, w.Source); err != nil {
		return nil, err
	}
	n := d.Letters.Len()
	if len(c.Table.Name)*n*n > crossedCells {
		return nil, fault.New(fault.Input, "name a column of fewer values", "column %q has too many values for a table "+
			"with %d values", by, n)
	}
	x := &Crossing{By: by}
	for _, count := range c.Table.Count {
		part, err := mechanism.NewPrior(count[:n]) // public nulls stand last, and are no letter
		if err != nil {
			return nil, err
		}
		if part.Total() > 0 {
			x.Parts = append(x.Parts, part)
		}
	}
	c.Strata, c.Table = plan.Spec{}, nil
	return x, nil
}

// Off is how far a table of the other column and the published one is off, as shares of
// all records: shift is the most that any set of cells is, exactly, and cell the most that
// one is.
func (x *Crossing) Off(m *mechanism.Mechanism, stands []int) (shift *big.Rat, cell float64) {
	var parts []mechanism.Part
	n := 0.
	for _, part := range x.Parts {
		n += float64(part.Total())
		parts = append(parts, mechanism.Part{Mechanism: m, Prior: part})
	}
	for _, part := range x.Parts {
		off := make([]float64, part.Letters())
		for x := range off {
			off[x] = float64(part.Count(x))
		}
		for y, q := range m.OutputLaw(part) {
			if q *= float64(part.Total()); stands[y] >= 0 {
				off[stands[y]] -= q
			} else {
				off = append(off, q)
			}
		}
		for _, v := range off {
			cell = max(cell, math.Abs(v)/n)
		}
	}
	return mechanism.JointShift(parts, stands), cell
}
