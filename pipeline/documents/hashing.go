package documents

import "context"

// A Hashing computes the hash of a file beside other work.
type Hashing struct {
	stop context.CancelFunc
	done chan struct{}
	sum  string
	err  error
}

// Begin starts Sum.
func Begin(ctx context.Context, how string, f Sized) *Hashing {
	ctx, stop := context.WithCancel(ctx)
	h := &Hashing{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(h.done)
		h.sum, h.err = Sum(ctx, how, f)
	}()
	return h
}

// Wait is the hash, once it is there.
func (h *Hashing) Wait() (string, error) {
	<-h.done
	return h.sum, h.err
}

// Stop ends the work. The file is not read any more when it returns.
func (h *Hashing) Stop() {
	h.stop()
	<-h.done
}
