package frontier

import (
	"context"
	"sync/atomic"
)

// A stopper checks the context every so many cells in loops over all cells of an order,
// so that small orders never notice. Loops that
// it breaks leave what they made unfinished, and err says so. The nil stopper
// never ends.
type stopper struct {
	ctx   context.Context
	late  bool                    // a deadline does not end it
	tell  func(done, total int64) // of cells; nil where nobody is told
	total int64
	cells atomic.Int64
	ended atomic.Bool
}

// cancelled is a stopper that a deadline does not end.
func cancelled(ctx context.Context) *stopper {
	if ctx.Done() == nil {
		return nil
	}
	return &stopper{ctx: ctx, late: true}
}

// lookCells is some tenths of a second of the slowest loop, which sorts rows.
const lookCells = 1 << 21

// over counts cells that are about to be looked at, and reports whether they
// should not be.
func (s *stopper) over(cells int) bool {
	if s == nil {
		return false
	}
	done := s.cells.Add(int64(cells))
	if done/lookCells != (done-int64(cells))/lookCells {
		if s.tell != nil {
			s.tell(min(done, s.total), s.total)
		}
		if err := s.ctx.Err(); err != nil && !(s.late && err == context.DeadlineExceeded) {
			s.ended.Store(true)
		}
	}
	return s.ended.Load()
}

// err is why loops were broken, nil where none was.
func (s *stopper) err() error {
	if s == nil || !s.ended.Load() {
		return nil
	}
	return s.ctx.Err()
}
