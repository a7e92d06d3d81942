package written

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
)

// Compare reads input and output side by side, unit by unit.
func Compare(ctx context.Context, v *subject.View, f *pair.Files) error {
	to, err := cells.NewLetters(f.Out.Type(), v.Plan.Outputs)
	if err != nil {
		v.Add("alphabet", false, "the outputs of the plan are no letters of the written column: %v", err)
		return nil
	}
	scan(v, f, to)
	var from *cells.Letters
	units := f.Out.Units()
	if f.In != nil {
		if from, err = cells.NewLetters(f.In.Type(), v.Plan.Inputs); err != nil {
			v.Add("counts", false, "the inputs of the plan are no letters of the column: %v", err)
			return nil
		}
		if !slices.Equal(f.In.Units(), units) {
			v.Add("row groups", false, "the output has row groups or record batches of other sizes than the input: records cannot be compared")
			return nil
		}
		v.Add("row groups", true, "%d row groups or record batches, of as many rows in both files", len(units))
	}
	total := pair.NewTally(len(v.Plan.Inputs), len(v.Plan.Outputs))
	workers := min(runtime.GOMAXPROCS(0), len(units), 1+pair.DenseCells/max(1, len(total.Dense)))
	var next atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	for range workers {
		group.Go(func() {
			t := pair.NewTally(len(v.Plan.Inputs), len(v.Plan.Outputs))
			err := func() error {
				for u := int(next.Add(1)) - 1; u < len(units); u = int(next.Add(1)) - 1 {
					if err := t.Unit(ctx, f, u, from, to); err != nil {
						return err
					}
				}
				return nil
			}()
			mu.Lock()
			defer mu.Unlock()
			total.Merge(t)
			failed = errors.Join(failed, err)
		})
	}
	group.Wait()
	if failed != nil {
		return pair.FirstError(failed)
	}
	v.Pairs = total
	return nil
}
