package decide

import "context"

// Interruptible does work that opens, reads and writes nothing, and gives the
// error of ctx as soon as that ends: orders of thousands of letters take seconds
// in places that look at no context. The work then goes on beside, and nobody
// reads what it comes to; so it must change nothing that is read after an error.
// Where it panics, this does.
func Interruptible(ctx context.Context, work func() error) error {
	done, broken := make(chan error, 1), make(chan any, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				broken <- r
			}
		}()
		done <- work()
	}()
	select {
	case r := <-broken:
		panic(r)
	case <-ctx.Done():
		return ctx.Err()
	case err := <-done:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
}
