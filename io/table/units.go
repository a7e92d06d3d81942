package table

import (
	"context"
	"errors"
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

// errBefore is a unit before that failed, whose error is the one that is returned.
var errBefore = errors.New("a unit before failed")

// EachInTurn is EachUnit for work whose end must keep the order of the units: turn waits until
// those before are done, and fails where one of them did.
func EachInTurn(ctx context.Context, n, threads int, f func(unit int, turn func() error) error) error {
	done := make([]chan bool, n+1) // of every unit, whether all before it were done
	for i := range done {
		done[i] = make(chan bool, 1)
	}
	done[0] <- true
	return EachUnit(ctx, n, threads, func(_, unit int) error {
		turn := sync.OnceValue(func() error {
			if !<-done[unit] {
				return errBefore
			}
			return nil
		})
		err := f(unit, turn)
		if err == nil {
			err = turn()
		}
		done[unit+1] <- err == nil
		return err
	})
}
