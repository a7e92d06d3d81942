package verify

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// A tally counts records. With an input they are counted by pair of letters;
// without, by output letter alone.
type tally struct {
	outputs  int
	dense    []int64          // by input and output; nil where that is too large
	sparse   map[uint64]int64 // instead of dense
	in, out  []int64          // by letter
	inNulls  int64            // nulls outside the input alphabet
	outNulls int64            // nulls outside the output alphabet
	public   int64            // of them both, in one row
	strange  [2]int64         // records of input and output with a value that is no letter
	torn     int64            // nulls outside the alphabets that were not null in the other file
	rows     int64
}

// denseCells bounds the table of pairs, 8 bytes each.
const denseCells = 1 << 24

func newTally(inputs, outputs int) *tally {
	t := &tally{outputs: outputs, in: make([]int64, inputs), out: make([]int64, outputs)}
	if inputs*outputs <= denseCells {
		t.dense = make([]int64, inputs*outputs)
	} else {
		t.sparse = map[uint64]int64{}
	}
	return t
}

// pair is the number of records with input x and output y.
func (t *tally) pair(x, y int) int64 {
	if t.dense != nil {
		return t.dense[x*t.outputs+y]
	}
	return t.sparse[uint64(x)<<32|uint64(y)]
}

// each visits the pairs that occur, of input x in ascending order of y.
func (t *tally) each(f func(x, y int, n int64)) {
	if t.dense != nil {
		for i, n := range t.dense {
			if n > 0 {
				f(i/t.outputs, i%t.outputs, n)
			}
		}
		return
	}
	keys := make([]uint64, 0, len(t.sparse))
	for k := range t.sparse {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		f(int(k>>32), int(k&(1<<32-1)), t.sparse[k])
	}
}

// add counts rows; in is nil without an input. isNull tells the output's null.
func (t *tally) add(in, out []int32, isNull func(int32) bool) {
	t.rows += int64(len(out))
	for i, y := range out {
		switch {
		case y >= 0:
			t.out[y]++
		case y == cells.Null:
			t.outNulls++
		default:
			t.strange[1]++
		}
		if in == nil {
			continue
		}
		x := in[i]
		switch {
		case x >= 0:
			t.in[x]++
		case x == cells.Null:
			t.inNulls++
		default:
			t.strange[0]++
		}
		switch {
		case x >= 0 && y >= 0 && t.dense != nil:
			t.dense[int(x)*t.outputs+int(y)]++
		case x >= 0 && y >= 0:
			t.sparse[uint64(x)<<32|uint64(y)]++
		case x == cells.Null && isNull(y):
			t.public++
		case x == cells.Null || y == cells.Null:
			t.torn++
		}
	}
}

func (t *tally) merge(u *tally) {
	plus := func(a, b []int64) {
		for i, n := range b {
			a[i] += n
		}
	}
	plus(t.dense, u.dense)
	plus(t.in, u.in)
	plus(t.out, u.out)
	for k, n := range u.sparse {
		t.sparse[k] += n
	}
	t.inNulls += u.inNulls
	t.outNulls += u.outNulls
	t.public += u.public
	t.torn += u.torn
	t.rows += u.rows
	t.strange[0] += u.strange[0]
	t.strange[1] += u.strange[1]
}

// compare reads input and output side by side, unit by unit.
func (v *verifier) compare(ctx context.Context, f *files) error {
	to, err := cells.NewLetters(f.out.Type(), v.plan.Outputs)
	if err != nil {
		v.add("alphabet", false, "the outputs of the plan are no letters of the written column: %v", err)
		return nil
	}
	v.scan(f, to)
	var from *cells.Letters
	units := f.out.Units()
	if f.in != nil {
		if from, err = cells.NewLetters(f.in.Type(), v.plan.Inputs); err != nil {
			v.add("counts", false, "the inputs of the plan are no letters of the column: %v", err)
			return nil
		}
		if !slices.Equal(f.in.Units(), units) {
			v.add("row groups", false, "the output has row groups or record batches of other sizes than the input: records cannot be compared")
			return nil
		}
		v.add("row groups", true, "%d row groups or record batches, of as many rows in both files", len(units))
	}
	total := newTally(len(v.plan.Inputs), len(v.plan.Outputs))
	workers := min(runtime.GOMAXPROCS(0), len(units), 1+denseCells/max(1, len(total.dense)))
	var next atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	for range workers {
		group.Go(func() {
			t := newTally(len(v.plan.Inputs), len(v.plan.Outputs))
			err := func() error {
				for u := int(next.Add(1)) - 1; u < len(units); u = int(next.Add(1)) - 1 {
					if err := t.unit(ctx, f, u, from, to); err != nil {
						return err
					}
				}
				return nil
			}()
			mu.Lock()
			defer mu.Unlock()
			total.merge(t)
			failed = errors.Join(failed, err)
		})
	}
	group.Wait()
	if failed != nil {
		return firstError(failed)
	}
	v.pairs = total
	return nil
}

// firstError is one of several joined ones, so that a message stays a line.
func firstError(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return firstError(many.Unwrap()[0])
	}
	return err
}

func (t *tally) unit(ctx context.Context, f *files, u int, from, to *cells.Letters) error {
	out, err := f.out.Open(u, to)
	if err != nil {
		return f.out.fault(err)
	}
	var in cells.Reader
	if f.in != nil {
		if in, err = f.in.Open(u, from); err != nil {
			return f.in.fault(err)
		}
	}
	x, y := make([]int32, 4096), make([]int32, 4096)
	for {
		n, err := full(out, y)
		if err != nil {
			return f.out.fault(err)
		}
		if in != nil {
			m, err := full(in, x)
			if err != nil {
				return f.in.fault(err)
			}
			if m != n {
				return errorf("write the file again", "%s: unit %d holds other rows than its head says", f.out.path, u+1)
			}
		}
		if n == 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		if in != nil {
			t.add(x[:n], y[:n], to.IsNull)
		} else {
			t.add(nil, y[:n], to.IsNull)
		}
	}
}

// full reads as many letters as dst has room for, fewer only at the end.
func full(r cells.Reader, dst []int32) (n int, err error) {
	for n < len(dst) {
		k, err := r.Next(dst[n:])
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += k
	}
	return n, nil
}
