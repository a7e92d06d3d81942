package frontier

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// A line is the order of so many letters by distance, which counts the rows
// that are read of it.
type line struct {
	letters int
	rows    *atomic.Int64
	read    func(n int64) // after each
}

func (l line) Inputs() int  { return l.letters }
func (l line) Outputs() int { return l.letters }

func (l line) Row(x int, rank []uint16, value []float64) {
	lo, hi, next := x, x+1, l.letters
	for next > 0 {
		y := lo
		if lo < 0 || hi < l.letters && hi-x < x-lo {
			y = hi
			hi++
		} else {
			lo--
		}
		if rank != nil {
			rank[y] = uint16(next)
		}
		if value != nil {
			value[y] = -float64(max(x-y, y-x))
		}
		next--
	}
	l.read(l.rows.Add(1))
}

// A search of a large order ends soon after its context does, whether rows are
// still read or floors are walked, and tells how far it is until then.
func TestSearchEndsWithContext(t *testing.T) {
	const letters = 3000 // 9 million cells
	counts := make([]int64, letters)
	for x := range counts {
		counts[x] = int64(1 + x%7)
	}
	p := mechtest.Prior(counts...)
	for _, byValue := range []bool{false, true} {
		for _, after := range []int64{1, letters / 2, letters - 1} {
			ctx, cancel := context.WithCancel(context.Background())
			o := line{letters, &atomic.Int64{}, func(n int64) {
				if n == after {
					cancel()
				}
			}}
			told := atomic.Int64{}
			_, err := Search(ctx, p, o, Options{ByValue: byValue, Progress: func(done, total int64) { told.Add(1) }})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("by value %v: %v", byValue, err)
			}
			if rows, most := o.rows.Load(), after+2*lookCells/letters+32; rows > most {
				t.Errorf("by value %v: %d rows were read, at most %d may be after a context that ended at %d", byValue, rows, most,
					after)
			}
			if told.Load() == 0 {
				t.Error("nobody is told how far it is")
			}
		}
		// Where rows are read, what walks over all floors ends, too.
		ctx, cancel := context.WithCancel(context.Background())
		o := line{letters, &atomic.Int64{}, func(int64) {}}
		calls := 0
		begun := time.Now()
		_, err := Search(ctx, p, o, Options{ByValue: byValue, Workers: 1, Progress: func(done, total int64) {
			if calls++; done > letters*letters*5/4 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("by value %v: %v after %v", byValue, err, time.Since(begun))
		}
		cancel()
	}
	// A small order is searched to its end, whatever the context.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c, err := Search(ctx, mechtest.Prior(1, 2, 3), line{3, &atomic.Int64{}, func(int64) {}}, Options{})
	if err != nil || len(c.Points) != 3 || !c.Stopped {
		t.Errorf("%+v, %v", c, err)
	}
}

var _ mechanism.Order = line{}
