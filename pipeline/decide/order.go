package decide

import (
	"context"
	"errors"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Order reads the utility spec for the letters of the domain. The letter that rare values
// became is worth in every output what the worst-off of them gets, so that a floor by value is
// kept for each of them, and none becomes what its own row forbids; values for which the order
// has no row are judged by that of the letter.
func Order(ctx context.Context, asked request.Order, d *count.Domain) (r *utility.Result, err error) {
	in, err := d.Ordered(asked)
	if err != nil {
		return nil, err
	}
	err = Interruptible(ctx, func() error {
		made, err := utility.Build(asked.Spec, in)
		if err == nil && d.Merged != nil {
			made, err = withMerged(asked.Spec, in, d, made)
		}
		r = made
		return err
	})
	return r, err
}

// withMerged is the order r of the letters, with the rows that it has of merged values in that
// of their letter. Its outputs stay: no rare value is published because the order knows it.
func withMerged(spec string, in utility.Input, d *count.Domain, r *utility.Result) (*utility.Result, error) {
	if in.Outputs == nil && !r.OwnOutputs() {
		if in.Outputs = r.Outputs.Label; r.Outputs.Null && !r.NullRule {
			in.Outputs = slices.Concat(in.Outputs, []string{""})
		}
	}
	merged := d.Merged
	in.Letters.Label = slices.Concat(d.Letters.Label, merged)
	wide, err := utility.Build(spec, in)
	if missing, ok := errors.AsType[*utility.MissingError](err); ok {
		merged = nil
		for i, l := range d.Merged {
			if !slices.Contains(missing.Letters, len(d.Letters.Label)+i) {
				merged = append(merged, l)
			}
		}
		if merged == nil {
			return r, nil
		}
		in.Letters.Label = slices.Concat(d.Letters.Label, merged)
		wide, err = utility.Build(spec, in)
	}
	switch {
	case err != nil:
		return nil, err
	case wide.Outputs.Null != r.Outputs.Null || !slices.Equal(wide.Outputs.Label, r.Outputs.Label):
		return nil, fault.New(fault.Input, "list the outputs with --labels", "the order has other outputs for merged values")
	case d.Letters.Len()*r.Order.Outputs() > tableCells:
		return nil, fault.New(fault.Input, "merge values before the run", "an order of %d by %d values is too large for "+
			"--other", d.Letters.Len(), r.Order.Outputs())
	}
	rows := make([][]int, d.Letters.Len())
	for x := range d.Letters.Label {
		rows[x] = []int{x}
	}
	if d.Letters.Null {
		rows[len(rows)-1] = []int{len(in.Letters.Label)}
	}
	other := slices.Index(d.Letters.Label, d.Rare.Other)
	for i := range merged {
		rows[other] = append(rows[other], len(d.Letters.Label)+i)
	}
	wide.Order, wide.Inputs, wide.Places = mechanism.Tabulate(leastOf{wide.Order, rows}), d.Letters, nil
	wide.Ties, wide.Lowest = mechanism.Tied(wide.Order), lowestOf(wide.Order)
	return wide, nil
}

// A leastOf order has for every letter the least utility of several rows of another order.
type leastOf struct {
	mechanism.Order
	rows [][]int
}

// Inputs is the number of letters.
func (l leastOf) Inputs() int { return len(l.rows) }

// Row has the values, and the ranks that follow from them.
func (l leastOf) Row(x int, rank []uint16, value []float64) {
	least, own := make([]float64, l.Outputs()), make([]float64, l.Outputs())
	for i, at := range l.rows[x] {
		l.Order.Row(at, nil, own)
		for y, v := range own {
			if i == 0 || v < least[y] {
				least[y] = v
			}
		}
	}
	if rank != nil {
		mechanism.Rank(least, rank)
	}
	if value != nil {
		copy(value, least)
	}
}
