package book

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// How long a file is left alone after it was written to, since within one tick
// of its clock it may be written to again unseen, and how often a ledger is
// read that a run writes to.
const (
	tick  = 20 * time.Millisecond
	tries = 250
)

// A look is how the database and its log lie there; nil where they do not.
type look [2]fs.FileInfo

func lookAt(path string) (l look) {
	for i, suffix := range []string{"", "-wal"} {
		if st, err := os.Stat(path + suffix); err == nil {
			l[i] = st
		}
	}
	return l
}

// steady reads until database and log lie there after it as they did before: a
// run that writes meanwhile leaves a part of one state and a part of another,
// which looks like a broken chain.
func steady(ctx context.Context, path string, read func() (*Book, error)) (*Book, error) {
	for range tries {
		before := lookAt(path)
		if before.old() {
			b, err := read()
			if before.same(lookAt(path)) || ctx.Err() != nil {
				return b, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(tick):
		}
	}
	return nil, &Error{"is written to again and again: read it when no run uses it"}
}

// old reports whether neither was written to within the last tick. A time to
// come is that of another clock, and says nothing.
func (l look) old() bool {
	for _, st := range l {
		if st == nil {
			continue
		}
		if since := time.Since(st.ModTime()); since >= 0 && since < tick {
			return false
		}
	}
	return true
}

func (l look) same(o look) bool {
	for i, st := range l {
		if (st == nil) != (o[i] == nil) {
			return false
		}
		if st != nil && !(os.SameFile(st, o[i]) && st.Size() == o[i].Size() && st.ModTime().Equal(o[i].ModTime())) {
			return false
		}
	}
	return true
}
