package pipeline

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// shuffle puts the input, in memory, in a random order, where that was asked for. From
// here on the file that is drawn, written and checked is the shuffled one.
func (r *release) shuffle(ctx context.Context) error {
	if !r.o.Observed.Shuffled {
		return nil
	}
	if r.s.Given.Tree {
		return fault.New(fault.Usage, "leave --shuffle out: the rows of each file stay in their order", "--shuffle is for "+
			"one file, and %s is a folder", r.o.Input)
	}
	most := r.o.Memory
	if most == 0 {
		most = count.Memory() / 2
	}
	order, err := r.rowOrder()
	if err != nil {
		return err
	}
	if r.s.Rows > math.MaxUint32 {
		return fault.New(fault.Input, "shuffle the file with another program first, and leave --shuffle out",
			"%s has more rows than --shuffle can order", r.o.Input)
	}
	r.s.Tell("shuffling", 0, r.s.Rows)
	in, err := r.s.File.Shuffled(ctx, draw.Order(order, int(r.s.Rows)), most)
	var large *table.TooLargeError
	if errors.As(err, &large) {
		return fault.New(fault.Environment, "allow more with --memory "+roundedUp(large.Need)+
			", or leave --shuffle out and shuffle the file first"+shuffling(r.o.Input), "%s: %v", r.o.Input, large)
	}
	if err != nil {
		return r.s.Failed(err)
	}
	if err := r.s.Unchanged(); err != nil {
		return err
	}
	return r.s.Swap(ctx, in)
}

// rowOrder is the stream that orders the rows: by the run key, or by one that is made
// here and never printed or stored, or, for tests, by a seed.
func (r *release) rowOrder() (*draw.Source, error) {
	runs := r.parts[0].Runs
	switch {
	case r.o.TestSeed != nil:
		return draw.TestOrderStream(*r.o.TestSeed), nil
	case runs == nil:
		return draw.OrderStream(draw.NewKey()), nil
	}
	var plans [][32]byte
	for _, p := range r.parts {
		hash, err := hex.DecodeString(p.Plan.Hash)
		if err != nil || len(hash) != 32 {
			return nil, fmt.Errorf("the plan of column %q has no hash", p.Plan.Column)
		}
		plans = append(plans, [32]byte(hash))
	}
	return runs[0].Order(plans...), nil
}

// roundedUp is a size as --memory takes it.
func roundedUp(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%dMiB", bytes>>20+1)
	}
	return fmt.Sprintf("%dGiB", bytes>>30+1)
}
