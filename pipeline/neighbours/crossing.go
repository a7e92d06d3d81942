package neighbours

import (
	"context"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

const (
	// jointDense is how many combinations of letters are counted in an array;
	// beyond, those that occur are looked up.
	jointDense = 16 << 20
	// jointArrays bounds the arrays of all goroutines, in combinations.
	jointArrays = 32 << 20
	// sparseBytes is about what a combination that occurs takes while it is
	// counted and kept, and cellBytes what it takes later.
	sparseBytes, cellBytes = 128, 64
)

// A Crossing counts the combinations of letters of a record. They are numbered
// in mixed radix, digit 0 being a null that is no letter.
type Crossing struct {
	size   []uint64 // by column, one more than its letters
	all    uint64   // product of them
	count  *estimate.Counter
	number []uint64 // of a batch
}

// NewCrossing is over these letters of the columns, and over groups of their plans where
// there are strata. It refuses a table that memory cannot hold, before it is counted.
func NewCrossing(in []*table.Alphabet, groups []int, rows int64) (*Crossing, error) {
	c := &Crossing{all: 1}
	fits := true
	add := func(letters int) {
		over, product := bits.Mul64(c.all, uint64(letters)+1)
		fits = fits && over == 0
		c.size, c.all = append(c.size, uint64(letters)+1), product
	}
	for _, a := range in {
		add(a.Len())
	}
	for _, n := range groups {
		add(n)
	}
	const hint = "merge values, leave a column out, or run on a larger machine"
	if !fits {
		return nil, fault.New(fault.Environment, hint, "the combinations of values of %d columns are more than 2^64",
			len(in))
	}
	need := int64(min(c.all, uint64(rows))) * cellBytes
	if c.all <= jointDense {
		need += int64(c.all) * 8
	} else {
		need += int64(min(c.all, uint64(rows))) * sparseBytes
	}
	if have := count.Memory(); need > have {
		return nil, fault.New(fault.Environment, hint,
			"the combinations of values of %d columns need about %d MiB of memory, and %d MiB are free", len(in), need>>20,
			have>>20)
	}
	return c, nil
}

// add counts records, column by column.
func (c *Crossing) add(letters [][]int32) {
	number := c.number[:0]
	for _, x := range letters[0] {
		number = append(number, uint64(x+1))
	}
	for k, column := range letters[1:] {
		n := c.size[k+1]
		for i, x := range column {
			number[i] = number[i]*n + uint64(x+1)
		}
	}
	c.count.Add(number)
	c.number = number
}

// cells are the combinations that occur, in the order of their numbers.
func (c *Crossing) cells() (out []judge.Cell) {
	var letters []int32
	wide := len(c.size)
	for k, n := range c.count.All {
		letters = slices.Grow(letters, wide)[:len(letters)+wide]
		for j := range wide {
			at := wide - 1 - j
			letters[len(letters)-1-j] = int32(k%c.size[at]) - 1
			k /= c.size[at]
		}
		out = append(out, judge.Cell{Count: n})
	}
	for i := range out {
		out[i].Letter = letters[i*wide:][:wide:wide]
	}
	return out
}

// Cross counts the combinations of letters of all parts in a pass of its own.
// What it returns does not depend on the number of threads.
func (total *Crossing) Cross(ctx context.Context, s *count.Input, in []*table.Alphabet,
	by []*count.Grouper) ([]judge.Cell, error) {
	units := len(s.File.Units())
	workers := max(1, min(s.Workers(), units))
	if total.all <= jointDense {
		workers = max(1, min(workers, jointArrays/int(total.all)))
	}
	done := s.Meter("counting combinations", s.Rows)
	own := make([]*Crossing, workers)
	for k := range own {
		own[k] = &Crossing{size: total.size, all: total.all, count: estimate.NewCounter(total.all, jointDense)}
	}
	err := table.EachUnit(ctx, units, workers, func(worker, unit int) error {
		groups, letters := count.GroupsBy(by), make([][]int32, len(total.size))
		return s.File.Read(ctx, unit, in, func(b table.Batch) error {
			done.Add(len(b.Letters[0]))
			copy(letters, b.Letters)
			if err := groups.Read(letters[len(in):], &b, s.StratumAt()); err != nil {
				return err
			}
			own[worker].add(letters)
			return nil
		})
	})
	if err != nil {
		return nil, s.Failed(err)
	}
	for _, c := range own[1:] {
		own[0].count.Merge(c.count)
	}
	return own[0].cells(), s.Unchanged()
}
