package records

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
	"github.com/tacet-privacy/tacet/pipeline/booking"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/joint"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// maxPairs bounds the table of (input, output) pairs that is counted; above,
// every record is looked up in its row.
const maxPairs = 1 << 22

// A Tally is what the written file holds, counted beside the input.
type Tally struct {
	Rows    int64
	pairs   *estimate.Pairs // records by input and output; nil above maxPairs
	nulls   int64           // outside the alphabet, in both files
	output  []int64         // records by output letter
	private []int64         // records by input letter; without pairs only
	same    int64           // records written with the label they had
	value   float64         // sum of their utilities; 0 without pairs
	valued  int64           // records in value
	Recall  *booking.Recall // nil where draws are fresh
	strata  *strataTally    // instead of pairs and private, where strata have mechanisms
}

// Check reads the written file again, beside the input, unit by unit, and
// fails if any record was replaced by something a plan does not allow. It
// leaves in parts what it counted, and in joint the combinations of letters
// where that is not nil.
func Check(ctx context.Context, o *options.Options, s *source.Input, parts []*Part, joint *joint.Crossing, written colfile.File) error {
	total := newTallies(parts)
	if err := sameShape(s, written); err != nil {
		return err
	}
	var mu sync.Mutex
	var next atomic.Int64
	done := options.NewMeter(o, "checking", s.Rows)
	units := len(s.File.Units())
	group, ctx := errgroup.WithContext(ctx)
	for range min(options.Threads(o), units) {
		group.Go(func() error {
			t, cross := newTallies(parts), joint.Empty()
			for unit := int(next.Add(1)) - 1; unit < units; unit = int(next.Add(1)) - 1 {
				if err := compareUnit(ctx, s, parts, t, cross, written, unit, done); err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for i := range parts {
				total[i].merge(t[i])
			}
			joint.Merge(cross)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, p := range parts {
		if err := p.judge(total[i]); err != nil {
			return err
		}
	}
	return nil
}

// judge keeps the tally and the verdict on it.
func (p *Part) judge(t *Tally) (err error) {
	if t.Rows != p.Source.Rows {
		return fault.New(fault.Internal, "", "the written file holds %d records, the input %d", t.Rows, p.Source.Rows)
	}
	if t.Recall != nil {
		if err := t.Recall.Settle(p.Plan); err != nil {
			return err
		}
	}
	p.Tally = t
	p.Checks, err = t.judge(p.Plan, p.Source)
	return err
}

// newTallies are those of all parts.
func newTallies(parts []*Part) []*Tally {
	var out []*Tally
	for _, p := range parts {
		out = append(out, newTally(p.Plan, p.Memo))
	}
	return out
}

func newTally(p *plan.Plan, m *booking.Memo) *Tally {
	t := &Tally{output: make([]int64, p.Outputs.Len()), Recall: booking.NewRecall(p, m)}
	if t.strata = newStrataTally(p); t.strata != nil {
		return t
	}
	if n, m := p.Inputs.Len(), p.Outputs.Len(); n*m <= maxPairs {
		t.pairs = estimate.NewPairs(n, m)
	} else {
		t.private = make([]int64, n)
	}
	return t
}

// sameShape compares rows and columns of input and output.
func sameShape(s *source.Input, written colfile.File) error {
	if got, want := fmt.Sprint(written.Units()), fmt.Sprint(s.File.Units()); got != want {
		return fault.New(fault.Internal, "", "the written file has row groups of %s rows, the input of %s", got, want)
	}
	var want []string
	for _, c := range s.Fates() {
		if c.Fate != "dropped" {
			want = append(want, c.Name, c.Type)
		}
	}
	var got []string
	for i, c := range written.Columns() {
		if got = append(got, c.Name, c.Type); slices.Contains(s.Names(), c.Name) && 2*i+1 < len(want) {
			want[2*i+1] = c.Type // may be text now, or have wider indices
		}
	}
	if !slices.Equal(got, want) {
		return fault.New(fault.Internal, "", "the written file has other columns than planned")
	}
	return nil
}

// compareUnit reads one unit of both files side by side, all parts at once.
func compareUnit(ctx context.Context, s *source.Input, parts []*Part, t []*Tally, cross *joint.Crossing, written colfile.File, unit int, done *options.Meter) error {
	letters := make([][]int32, len(parts))
	next, stop := iter.Pull2(blocks(ctx, s.File, unit, parts, t))
	defer stop()
	var in []block
	_, to := AllAlphabets(parts)
	err := written.Read(ctx, unit, to, func(b colfile.Batch) error {
		rows := len(b.Letters[0])
		done.Add(rows)
		for from := 0; from < rows; {
			for len(in) == 0 || len(in[0].letters) == 0 {
				var err error
				var ok bool
				if in, err, ok = next(); err != nil {
					return s.Failed(err)
				} else if !ok {
					return fault.New(fault.Internal, "", "the written file holds more records than the input")
				}
			}
			n := min(len(in[0].letters), rows-from)
			for i, p := range parts {
				if err := t[i].take(p.Plan, in[i].first(n), b.Letters[i][from:from+n]); err != nil {
					return err
				}
				letters[i], in[i] = in[i].letters[:n], in[i].after(n)
			}
			cross.Add(letters)
			from += n
		}
		return nil
	})
	var known *fault.Fault
	var damaged *colfile.InputError
	switch {
	case errors.Is(err, colfile.ErrUnseen):
		return fault.New(fault.Internal, "", "the written file holds a value that is no output")
	case !errors.As(err, &known) && errors.As(err, &damaged):
		return &fault.Fault{Class: fault.Internal, What: "the written file cannot be read again: " + damaged.What, Hint: "check the disk", Err: err}
	}
	return err
}

// A block is a run of rows of the input, with what must have become of them
// where draws are memoised.
type block struct {
	letters []int32
	drawing []booking.Drawing // nil where draws are fresh
	group   []int32           // of strata; nil where there are none
}

func (b block) first(n int) block {
	return block{b.letters[:n], b.drawing[:min(n, len(b.drawing))], b.group[:min(n, len(b.group))]}
}

func (b block) after(n int) block {
	return block{b.letters[n:], b.drawing[min(n, len(b.drawing)):], b.group[min(n, len(b.group)):]}
}

// blocks are the rows of a unit in order, one block for each part; they are
// valid until the next.
func blocks(ctx context.Context, f colfile.File, unit int, parts []*Part, t []*Tally) iter.Seq2[[]block, error] {
	return func(yield func([]block, error) bool) {
		stopped := errors.New("stopped")
		each := make([]block, len(parts))
		var group []int32
		of := parts[0].grouping()
		in, _ := AllAlphabets(parts)
		err := f.Read(ctx, unit, in, func(b colfile.Batch) error {
			for i := range parts {
				own := only(b, i)
				drawing, err := t[i].Recall.Again(&own)
				if err != nil {
					return err
				}
				each[i] = block{letters: own.Letters[0], drawing: drawing}
			}
			if of != nil {
				group = of.Append(group[:0], &b.Beside[parts[0].Options.StratumAt()])
				each[0].group = group
			}
			if !yield(each, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && err != stopped {
			yield(nil, err)
		}
	}
}

// take counts rows that were read and are written as out.
func (t *Tally) take(p *plan.Plan, b block, out []int32) error {
	if t.Recall != nil {
		if err := t.Recall.Take(b.drawing, b.letters, out); err != nil {
			return err
		}
	}
	if t.strata != nil {
		t.Rows += int64(len(out))
		return t.strata.count(b.group, b.letters, out)
	}
	return t.count(p, b.letters, out)
}

// count tallies records that were in[i] and are written as out[i].
func (t *Tally) count(p *plan.Plan, in, out []int32) error {
	t.Rows += int64(len(in))
	if t.pairs != nil {
		t.pairs.Add(in, out)
		return nil
	}
	for i, x := range in {
		y := out[i]
		if x < 0 || y < 0 {
			switch {
			case x == y:
				t.nulls++
			case t.Recall == nil: // else a record may be suppressed, which take has compared
				return errForbidden
			}
			continue
		}
		if _, ok := slices.BinarySearch(p.Mechanism.Row(int(x)).Output, uint16(y)); !ok && t.Recall == nil {
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

func (t *Tally) merge(u *Tally) {
	t.Rows += u.Rows
	t.nulls += u.nulls
	t.same += u.same
	t.Recall.Merge(u.Recall)
	t.strata.merge(u.strata)
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

var errForbidden = &fault.Fault{Class: fault.Internal, What: "the written file holds a replacement that the plan forbids"}
