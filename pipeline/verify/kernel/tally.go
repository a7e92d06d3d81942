package kernel

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

const (
	// abreastRows is how many rows are read at once.
	abreastRows = 4096
	// mostCells bounds a table of pairs; beyond, those that occur are kept.
	mostCells = 1 << 22
)

// A Tally counts records. With an input they are counted by group and pair of letters;
// without, by output letter alone.
type Tally struct {
	In       [][]int64 // by group and letter; nil without an input
	Out      []int64   // by letter
	InNulls  int64     // nulls outside the input alphabet
	OutNulls int64     // nulls outside the output alphabet
	Strange  [3]int64  // records of input and output with a value that is no letter, and in no group
	Torn     int64     // nulls outside the alphabets that were not null in the other file
	Rows     int64

	table []int64          // by group, input and output
	pairs map[uint64]int64 // where the table would be too large
	keys  []uint64         // of pairs, in ascending order, once they were asked for
}

// NewTally has counted none of the rows of a file.
func NewTally(groups, inputs, outputs int) *Tally {
	t := &Tally{Out: make([]int64, outputs)}
	for range groups {
		t.In = append(t.In, make([]int64, inputs))
	}
	if cells := groups * inputs * outputs; cells <= mostCells {
		t.table = make([]int64, cells)
	} else {
		t.pairs = map[uint64]int64{}
	}
	return t
}

// Add counts a record of input x, output y and group g; isNull tells the output's null.
func (t *Tally) Add(g int, x, y int32, isNull func(int32) bool) {
	if g < 0 || g >= len(t.In) {
		t.Strange[2]++
		return
	}
	switch {
	case x >= 0:
		t.In[g][x]++
	case x == files.Null:
		t.InNulls++
	default:
		t.Strange[0]++
	}
	switch {
	case x >= 0 && y >= 0:
		t.Pair(g, x, y, 1)
	case x == files.Null && isNull(y):
	case x == files.Null || y == files.Null:
		t.Torn++
	}
}

// Pair counts n records as pairs of letters alone.
func (t *Tally) Pair(g int, x, y int32, n int64) {
	key := (uint64(g)*uint64(len(t.In[g]))+uint64(x))*uint64(len(t.Out)) + uint64(y)
	if t.pairs == nil {
		t.table[key] += n
	} else {
		t.pairs[key] += n
	}
}

// Written counts an output.
func (t *Tally) Written(y int32) {
	switch t.Rows++; {
	case y >= 0:
		t.Out[y]++
	case y == files.Null:
		t.OutNulls++
	default:
		t.Strange[1]++
	}
}

// Each visits the pairs that occur, in ascending order.
func (t *Tally) Each(f func(g, x, y int, n int64)) {
	for g := range t.In {
		t.Of(g, func(x, y int, n int64) { f(g, x, y, n) })
	}
}

// Of visits the pairs of a group that occur, in ascending order.
func (t *Tally) Of(g int, f func(x, y int, n int64)) {
	m := uint64(len(t.Out))
	size := uint64(len(t.In[g])) * m
	from := uint64(g) * size
	if t.pairs == nil {
		for i, n := range t.table[from : from+size] {
			if n > 0 {
				f(i/int(m), i%int(m), n)
			}
		}
		return
	}
	if len(t.keys) != len(t.pairs) {
		t.keys = slices.Sorted(maps.Keys(t.pairs))
	}
	at, _ := slices.BinarySearch(t.keys, from)
	for ; at < len(t.keys) && t.keys[at] < from+size; at++ {
		f(int((t.keys[at]-from)/m), int(t.keys[at]%m), t.pairs[t.keys[at]])
	}
}

// Letters are the records of the input by letter, in all groups.
func (t *Tally) Letters() []int64 {
	if t.In == nil {
		return nil
	}
	all := slices.Clone(t.In[0])
	for _, g := range t.In[1:] {
		for x, n := range g {
			all[x] += n
		}
	}
	return all
}

// merge adds what u counted.
func (t *Tally) merge(u *Tally) {
	plus := func(a, b []int64) {
		for i, n := range b {
			a[i] += n
		}
	}
	for g := range t.In {
		plus(t.In[g], u.In[g])
	}
	plus(t.Out, u.Out)
	plus(t.table, u.table)
	plus(t.Strange[:], u.Strange[:])
	for key, n := range u.pairs {
		t.pairs[key] += n
	}
	t.InNulls += u.InNulls
	t.OutNulls += u.OutNulls
	t.Torn += u.Torn
	t.Rows += u.Rows
}

// A Side is a column that is read by its letters.
type Side struct {
	Of *File
	By *files.Letters
}

// abreast reads columns of a unit side by side, and visits their letters in blocks of rows.
func abreast(ctx context.Context, unit int, sides []Side, visit func(block [][]int32) error) error {
	readers, block := make([]files.Reader, len(sides)), make([][]int32, len(sides))
	for i, s := range sides {
		var err error
		if readers[i], err = s.Of.Open(unit, s.By); err != nil {
			return s.Of.Fault(err)
		}
		block[i] = make([]int32, abreastRows)
	}
	for ctx.Err() == nil {
		rows := 0
		for i, r := range readers {
			n, err := r.Next(block[i][:abreastRows])
			if err != nil {
				return sides[i].Of.Fault(err)
			}
			if i > 0 && n != rows {
				return Errorf("write the files again", "unit %d of a file holds other rows than its head says", unit+1)
			}
			block[i], rows = block[i][:n], n
		}
		if rows == 0 {
			return nil
		}
		if err := visit(block); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// eachBlock reads sides abreast, see eachUnit.
func eachBlock[T any](ctx context.Context, units int, sides []Side, begin func() T,
	visit func(own T, unit int, block [][]int32) error, merge func(T)) error {
	return eachUnit(units, begin, func(own T, u int) error {
		return abreast(ctx, u, sides, func(block [][]int32) error { return visit(own, u, block) })
	}, merge)
}

// eachUnit visits units by some workers at once, each into what it begins, and merges these one
// after another.
func eachUnit[T any](units int, begin func() T, visit func(own T, unit int) error, merge func(T)) error {
	var next atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	for range min(runtime.GOMAXPROCS(0), units) {
		group.Go(func() {
			own := begin()
			var err error
			for u := int(next.Add(1)) - 1; u < units && err == nil; u = int(next.Add(1)) - 1 {
				err = visit(own, u)
			}
			mu.Lock()
			defer mu.Unlock()
			merge(own)
			if failed == nil {
				failed = err
			}
		})
	}
	group.Wait()
	return failed
}
