package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// maxPairs bounds the table of (input, output) pairs that is counted; above,
// every record is looked up in its row.
const maxPairs = 1 << 22

// A tally is what the written file holds, counted beside the input.
type tally struct {
	rows    int64
	pairs   *estimate.Pairs // records by input and output; nil above maxPairs
	nulls   int64           // outside the alphabet, in both files
	output  []int64         // records by output letter
	private []int64         // records by input letter; without pairs only
	same    int64           // records written with the label they had
	value   float64         // sum of their utilities; 0 without pairs
}

// check reads the written file again, beside the input, unit by unit, and
// fails if any record was replaced by something the plan does not allow.
func check(ctx context.Context, o *Options, s *source, p *plan.Plan, a alphabets, written colfile.File) (*tally, []report.Check, error) {
	total := newTally(p)
	if err := sameShape(s, p, a, written); err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex
	var next atomic.Int64
	done := newMeter(o, "checking", s.rows)
	units := len(s.file.Units())
	group, ctx := errgroup.WithContext(ctx)
	for range min(threads(o), units) {
		group.Go(func() error {
			t := newTally(p)
			for unit := int(next.Add(1)) - 1; unit < units; unit = int(next.Add(1)) - 1 {
				if err := t.compare(ctx, s, p, a, written, unit, done); err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			total.merge(t)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	if total.rows != s.rows {
		return nil, nil, faultf(Internal, "", "the written file holds %d records, the input %d", total.rows, s.rows)
	}
	checks, err := total.judge(p, s)
	return total, checks, err
}

func newTally(p *plan.Plan) *tally {
	t := &tally{output: make([]int64, p.Outputs.Len())}
	if n, m := p.Inputs.Len(), p.Outputs.Len(); n*m <= maxPairs {
		t.pairs = estimate.NewPairs(n, m)
	} else {
		t.private = make([]int64, n)
	}
	return t
}

// sameShape compares rows and columns of input and output.
func sameShape(s *source, p *plan.Plan, a alphabets, written colfile.File) error {
	if got, want := fmt.Sprint(written.Units()), fmt.Sprint(s.file.Units()); got != want {
		return faultf(Internal, "", "the written file has row groups of %s rows, the input of %s", got, want)
	}
	var want []string
	for _, c := range s.fates(p, a) {
		if c.Fate != "dropped" {
			want = append(want, c.Name, c.Type)
		}
	}
	var got []string
	for i, c := range written.Columns() {
		if got = append(got, c.Name, c.Type); c.Name == p.Column && 2*i+1 < len(want) {
			want[2*i+1] = c.Type // may be text now, or have wider indices
		}
	}
	if !slices.Equal(got, want) {
		return faultf(Internal, "", "the written file has other columns than planned")
	}
	return nil
}

// compare reads one unit of both files side by side.
func (t *tally) compare(ctx context.Context, s *source, p *plan.Plan, a alphabets, written colfile.File, unit int, done *meter) error {
	next, stop := iter.Pull2(blocks(ctx, s.file, unit, a.in))
	defer stop()
	var in []int32
	err := written.Read(ctx, unit, []*colfile.Alphabet{a.to}, func(b colfile.Batch) error {
		out := b.Letters[0]
		done.add(len(out))
		for len(out) > 0 {
			for len(in) == 0 {
				var err error
				var ok bool
				if in, err, ok = next(); err != nil {
					return s.failed(err)
				} else if !ok {
					return faultf(Internal, "", "the written file holds more records than the input")
				}
			}
			n := min(len(in), len(out))
			if err := t.count(p, in[:n], out[:n]); err != nil {
				return err
			}
			in, out = in[n:], out[n:]
		}
		return nil
	})
	var known *Fault
	var damaged *colfile.InputError
	switch {
	case errors.Is(err, colfile.ErrUnseen):
		return faultf(Internal, "", "the written file holds a value that is no output")
	case !errors.As(err, &known) && errors.As(err, &damaged):
		return &Fault{Internal, "the written file cannot be read again: " + damaged.What, "check the disk", err}
	}
	return err
}

// blocks are the letters of a unit in row order; each is valid until the next.
func blocks(ctx context.Context, f colfile.File, unit int, a *colfile.Alphabet) iter.Seq2[[]int32, error] {
	return func(yield func([]int32, error) bool) {
		stopped := errors.New("stopped")
		err := f.Read(ctx, unit, []*colfile.Alphabet{a}, func(b colfile.Batch) error {
			if !yield(b.Letters[0], nil) {
				return stopped
			}
			return nil
		})
		if err != nil && err != stopped {
			yield(nil, err)
		}
	}
}

// count tallies records that were in[i] and are written as out[i].
func (t *tally) count(p *plan.Plan, in, out []int32) error {
	t.rows += int64(len(in))
	if t.pairs != nil {
		t.pairs.Add(in, out)
		return nil
	}
	for i, x := range in {
		y := out[i]
		if x < 0 || y < 0 {
			if x != y {
				return errForbidden
			}
			t.nulls++
			continue
		}
		if _, ok := slices.BinarySearch(p.Mechanism.Row(int(x)).Output, uint16(y)); !ok {
			return errForbidden
		}
		if p.SameLabel(int(x), int(y)) {
			t.same++
		}
		t.private[x]++
		t.output[y]++
	}
	return nil
}

func (t *tally) merge(u *tally) {
	t.rows += u.rows
	t.nulls += u.nulls
	t.same += u.same
	for y, n := range u.output {
		t.output[y] += n
	}
	for x, n := range u.private {
		t.private[x] += n
	}
	if t.pairs != nil {
		t.pairs.Merge(u.pairs)
	}
}

var errForbidden = &Fault{Class: Internal, What: "the written file holds a replacement that the plan forbids"}
