package pipeline

import (
	"context"
	"maps"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/estimate/audit"
	"github.com/tacet-privacy/tacet/io/colfile"
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

// A crossing counts the combinations of letters of a record. They are numbered
// in mixed radix, digit 0 being a null that is no letter.
type crossing struct {
	size   []uint64 // by column, one more than its letters
	all    uint64   // product of them
	dense  []int64
	sparse map[uint64]int64
}

// newCrossing refuses a table that memory cannot hold, before it is counted.
func newCrossing(parts []*part, rows int64) (*crossing, error) {
	c := &crossing{all: 1}
	fits := true
	for _, p := range parts {
		n := uint64(p.a.in.Len()) + 1
		over, product := bits.Mul64(c.all, n)
		fits = fits && over == 0
		c.size, c.all = append(c.size, n), product
	}
	const hint = "merge letters, leave a column out, or run on a larger machine"
	if !fits {
		return nil, faultf(Environment, hint, "the combinations of letters of %d columns are more than 2^64", len(parts))
	}
	need := int64(min(c.all, uint64(rows))) * cellBytes
	if c.all <= jointDense {
		need += int64(c.all) * 8
	} else {
		need += int64(min(c.all, uint64(rows))) * sparseBytes
	}
	if have := memory(); need > have {
		return nil, faultf(Environment, hint, "the combinations of letters of %d columns need about %d MiB of memory, %d MiB are free", len(parts), need>>20, have>>20)
	}
	return c, nil
}

// empty is a table of the same combinations, without a record.
func (c *crossing) empty() *crossing {
	e := &crossing{size: c.size, all: c.all}
	if c.all <= jointDense {
		e.dense = make([]int64, c.all)
	} else {
		e.sparse = map[uint64]int64{}
	}
	return e
}

// add counts records, column by column.
func (c *crossing) add(letters [][]int32, number []uint64) {
	if c.dense != nil && len(letters) == 2 {
		dense, n, b := c.dense, int(c.size[1]), letters[1]
		for i, x := range letters[0] {
			dense[int(x+1)*n+int(b[i]+1)]++
		}
		return
	}
	number = number[:len(letters[0])]
	for i, x := range letters[0] {
		number[i] = uint64(x + 1)
	}
	for k, column := range letters[1:] {
		n := c.size[k+1]
		for i, x := range column {
			number[i] = number[i]*n + uint64(x+1)
		}
	}
	if c.dense != nil {
		for _, k := range number {
			c.dense[k]++
		}
		return
	}
	for _, k := range number {
		c.sparse[k]++
	}
}

func (c *crossing) merge(d *crossing) {
	for k, n := range d.dense {
		c.dense[k] += n
	}
	for k, n := range d.sparse {
		c.sparse[k] += n
	}
}

// cells are the combinations that occur, in the order of their numbers.
func (c *crossing) cells() []audit.Cell {
	var numbers []uint64
	for k, n := range c.dense {
		if n > 0 {
			numbers = append(numbers, uint64(k))
		}
	}
	if c.dense == nil {
		numbers = slices.AppendSeq(make([]uint64, 0, len(c.sparse)), maps.Keys(c.sparse))
		slices.Sort(numbers)
	}
	letters := make([]int32, len(numbers)*len(c.size))
	out := make([]audit.Cell, len(numbers))
	for i, k := range numbers {
		cell := audit.Cell{Letter: letters[i*len(c.size):][:len(c.size)], Count: c.sparse[k]}
		if c.dense != nil {
			cell.Count = c.dense[k]
		}
		for j := len(c.size) - 1; j >= 0; j-- {
			cell.Letter[j] = int32(k%c.size[j]) - 1
			k /= c.size[j]
		}
		out[i] = cell
	}
	return out
}

// cross counts the combinations of letters of all parts in a pass of its own.
// What it returns does not depend on the number of threads.
func cross(ctx context.Context, o *Options, s *input, parts []*part) ([]audit.Cell, error) {
	total, err := newCrossing(parts, s.rows)
	if err != nil {
		return nil, err
	}
	units := len(s.file.Units())
	workers := max(1, min(threads(o), units))
	if total.all <= jointDense {
		workers = max(1, min(workers, jointArrays/int(total.all)))
	}
	done := newMeter(o, "counting combinations", s.rows)
	in, _ := alphabetsIn(parts)
	var mu sync.Mutex
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error {
			own := total.empty()
			var number []uint64
			for unit := int(next.Add(1)) - 1; unit < units; unit = int(next.Add(1)) - 1 {
				err := s.file.Read(ctx, unit, in, func(b colfile.Batch) error {
					n := len(b.Letters[0])
					if done.add(n); len(number) < n {
						number = make([]uint64, n)
					}
					own.add(b.Letters, number)
					return nil
				})
				if err != nil {
					return s.failed(err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if total.dense == nil && total.sparse == nil {
				total = own
			} else {
				total.merge(own)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return total.cells(), s.unchanged()
}
