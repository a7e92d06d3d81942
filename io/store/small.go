package store

import (
	"context"

	"golang.org/x/sync/errgroup"
)

const (
	// Small objects are read whole and stay at hand when they are closed, keptBytes of them
	// in all: every pass over many files asks for each once more.
	Small     = 1 << 20
	keptBytes = 64 << 20
	// AtOnce is how many small objects are asked for at once: a store is waited for.
	AtOnce = 64
)

var atHand = shelf{most: keptBytes}

// Fetch asks for small objects that will be read soon, many at once. Errors come when they
// are read.
func Fetch(ctx context.Context, objects []Named) {
	var all errgroup.Group
	all.SetLimit(AtOnce)
	room := int64(keptBytes)
	for _, n := range objects {
		if n.Tag == "" || n.Size == 0 || n.Size > Small {
			continue
		}
		if room -= n.Size; room < 0 {
			break
		}
		all.Go(func() error {
			if o, err := OpenListed(ctx, n.URL, n.Entry); err == nil {
				_, _ = o.ReadAt(make([]byte, 1), 0)
			}
			return nil
		})
	}
	_ = all.Wait()
}

// A Named is an object that was listed, with its address.
type Named struct {
	URL string
	Entry
}
