package pipeline

import (
	"context"
	"errors"
	"math"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// shuffle puts the input, in memory, in a random order, where that was asked for. From
// here on the file that is drawn, written and checked is the shuffled one.
func shuffle(ctx context.Context, o *request.Release, s *count.Input, run *rerun, all parts) error {
	if !o.Observed.Shuffled {
		return nil
	}
	if s.Given.Tree {
		return fault.New(fault.Usage, "leave --shuffle out: the rows of each file stay in their order", "--shuffle is for "+
			"one file, and %s is a folder", o.Input)
	}
	order, err := run.order(o.TestSeed, all)
	if err != nil {
		return err
	}
	if s.Rows > math.MaxUint32 {
		return fault.New(fault.Input, "shuffle the file with another program first, and leave --shuffle out",
			"%s has more rows than --shuffle can order", o.Input)
	}
	s.Tell("shuffling", 0, s.Rows)
	in, err := s.File.Shuffled(ctx, draw.Order(order, int(s.Rows)), count.Memory()/2)
	var large *table.TooLargeError
	if errors.As(err, &large) {
		return fault.New(fault.Environment, "leave --shuffle out and shuffle the file first"+shuffling(o.Input)+
			", or use a machine with more memory", "%s: %v", o.Input, large)
	}
	if err != nil {
		return s.Failed(err)
	}
	if err := s.Unchanged(); err != nil {
		return err
	}
	return s.Swap(ctx, in)
}
