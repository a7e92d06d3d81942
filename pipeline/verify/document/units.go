package document

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// EachUnit reads units by some workers at once, each into a tally that it begins,
// and merges the tallies one after another.
func EachUnit[T any](units int, begin func() T, read func(own T, unit int) error, merge func(T)) error {
	var next atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	for range min(runtime.GOMAXPROCS(0), units) {
		group.Go(func() {
			own := begin()
			var err error
			for u := int(next.Add(1)) - 1; u < units && err == nil; u = int(next.Add(1)) - 1 {
				err = read(own, u)
			}
			mu.Lock()
			defer mu.Unlock()
			merge(own)
			failed = errors.Join(failed, err)
		})
	}
	group.Wait()
	if failed == nil {
		return nil
	}
	return FirstError(failed)
}
