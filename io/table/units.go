package table

import (
	"context"
	"sync"
)

// EachUnit calls f for the units 0..n-1 from several goroutines, each of which
// has a number of its own, below threads. Units are begun in order and none is
// begun after an error. The error of the first unit that fails is returned, so
// that it does not depend on threads.
func EachUnit(ctx context.Context, n, threads int, f func(worker, unit int) error) error {
	var (
		mu     sync.Mutex
		next   int
		failed = n
		first  error
		work   sync.WaitGroup
	)
	begin := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if failed < n || next == n || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for worker := range min(threads, n) {
		work.Go(func() {
			for {
				unit, ok := begin()
				if !ok {
					return
				}
				if err := f(worker, unit); err != nil {
					mu.Lock()
					if unit < failed {
						failed, first = unit, err
					}
					mu.Unlock()
				}
			}
		})
	}
	work.Wait()
	if first != nil {
		return first
	}
	return ctx.Err()
}
