package document

import (
	"context"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A Tally counts records. With an input they are counted by pair of letters;
// without, by output letter alone.
type Tally struct {
	Outputs  int
	In, Out  []int64  // by letter
	InNulls  int64    // nulls outside the input alphabet
	OutNulls int64    // nulls outside the output alphabet
	public   int64    // of them both, in one row
	Strange  [2]int64 // records of input and output with a value that is no letter
	Torn     int64    // nulls outside the alphabets that were not null in the other file
	Rows     int64

	pairs *pairs
}

// NewTally has counted none of the rows of a file.
func NewTally(inputs, outputs int, rows int64) *Tally {
	return &Tally{Outputs: outputs, In: make([]int64, inputs), Out: make([]int64, outputs),
		pairs: newPairs(inputs, outputs, rows)}
}

// Each visits the pairs that occur, of input x in ascending order of y.
func (t *Tally) Each(f func(x, y int, n int64)) {
	for x := range t.In {
		t.pairs.row(x, func(y int, n int64) { f(x, y, n) })
	}
}

// Row visits the pairs of one input that occur, in ascending order of y.
func (t *Tally) Row(x int, f func(y int, n int64)) { t.pairs.row(x, f) }

// Pair counts a record of two letters, by input and as a pair.
func (t *Tally) Pair(x, y int32) {
	t.In[x]++
	t.pairs.add(x, y)
}

// Add counts rows; in is nil without an input. isNull tells the output's null.
func (t *Tally) Add(in, out []int32, isNull func(int32) bool) {
	t.Rows += int64(len(out))
	for i, y := range out {
		switch {
		case y >= 0:
			t.Out[y]++
		case y == files.Null:
			t.OutNulls++
		default:
			t.Strange[1]++
		}
		if in == nil {
			continue
		}
		x := in[i]
		switch {
		case x >= 0:
			t.In[x]++
		case x == files.Null:
			t.InNulls++
		default:
			t.Strange[0]++
		}
		switch {
		case x >= 0 && y >= 0:
			t.pairs.add(x, y)
		case x == files.Null && isNull(y):
			t.public++
		case x == files.Null || y == files.Null:
			t.Torn++
		}
	}
}

// Merge adds what u counted.
func (t *Tally) Merge(u *Tally) {
	plus := func(a, b []int64) {
		for i, n := range b {
			a[i] += n
		}
	}
	plus(t.In, u.In)
	plus(t.Out, u.Out)
	t.pairs.merge(u.pairs)
	t.InNulls += u.InNulls
	t.OutNulls += u.OutNulls
	t.public += u.public
	t.Torn += u.Torn
	t.Rows += u.Rows
	t.Strange[0] += u.Strange[0]
	t.Strange[1] += u.Strange[1]
}

// FirstError is one of several joined ones, so that a message stays a line.
func FirstError(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return FirstError(many.Unwrap()[0])
	}
	return err
}

// Unit counts one row group or record batch of both files.
func (t *Tally) Unit(ctx context.Context, f *Files, u int, from, to *files.Letters) error {
	sides := []Side{{f.Out, to}}
	if f.In != nil {
		sides = append(sides, Side{f.In, from})
	}
	return Abreast(ctx, u, sides, func(block [][]int32) error {
		if f.In == nil {
			block = [][]int32{block[0], nil}
		}
		t.Add(block[1], block[0], to.IsNull)
		return nil
	})
}
