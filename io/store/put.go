package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// A Target is where an object shall stand.
type Target struct {
	URL    string
	Create bool // refuses to replace what stands there; the store decides
}

// Put writes an object whole, or not at all. One of a single block is written again where
// the store breaks off.
func Put(ctx context.Context, to Target, r io.Reader) error {
	var first bytes.Buffer
	_, err := io.CopyN(&first, r, block)
	if err == nil {
		return put(ctx, to, io.MultiReader(&first, r), block)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	for try := range tries {
		err = put(ctx, to, bytes.NewReader(first.Bytes()), first.Len()+1)
		var refused *Error
		if !errors.As(err, &refused) || refused.Kind != Broken || try == tries-1 || ctx.Err() != nil {
			break
		}
		time.Sleep(time.Duration(1<<try) * 100 * time.Millisecond)
	}
	return err
}

// tries is how often a small object is written at most.
const tries = 5

// put writes what r gives, so many bytes at once.
func put(ctx context.Context, to Target, r io.Reader, size int) (err error) {
	plain := Plain(to.URL)
	var begun struct {
		Outcome outcome
		ID      int64
	}
	if err := call(ctx, "Begin", plain, to, &begun); err != nil {
		return err
	}
	if err := begun.Outcome.error(plain); err != nil {
		return err
	}
	committed := false
	defer func() {
		if err != nil && !committed { // what went up is withdrawn, whatever became of ctx
			err = errors.Join(err, call(context.WithoutCancel(ctx), "Abort", plain, begun.ID, &outcome{}))
		}
	}()
	piece := struct {
		ID    int64
		Bytes []byte
	}{ID: begun.ID}
	buffer := make([]byte, size)
	for {
		n, readErr := io.ReadFull(r, buffer)
		if piece.Bytes = buffer[:n]; n > 0 {
			if err := done(ctx, "Write", plain, piece); err != nil {
				return err
			}
		}
		if errors.Is(readErr, io.EOF) || errors.Is(readErr, io.ErrUnexpectedEOF) {
			break
		}
		if readErr != nil {
			return readErr
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	committed = true
	return done(context.WithoutCancel(ctx), "Commit", plain, begun.ID)
}

// mostCopied is what a store copies at once, in bytes.
const mostCopied = 5 << 30

// Copy puts an object, as it was listed, where none stands, too, without its bytes passing here; ok is false where the
// store cannot.
func Copy(ctx context.Context, from string, e Entry, to string) (ok bool, err error) {
	if e.Tag == "" || e.Size > mostCopied {
		return false, nil
	}
	asked := struct{ From, To, Tag string }{from, to, e.Tag}
	err = done(ctx, "Copy", Plain(to), asked)
	var refused *Error
	if errors.As(err, &refused) && refused.Kind == unable {
		return false, nil
	}
	return true, err
}

// Remove takes objects of one bucket away, those that are there.
func Remove(ctx context.Context, urls ...string) error {
	if len(urls) == 0 {
		return nil
	}
	return done(ctx, "Remove", Plain(urls[0]), urls)
}

// An Entry is an object below an address.
type Entry struct {
	Key  string // in the bucket
	Size int64
	Tag  string // that of its bytes; "" where the list has none
}

// List are the objects whose keys begin with that of the address, in their order.
func List(ctx context.Context, url string) ([]Entry, error) {
	var reply struct {
		Outcome outcome
		Entries []Entry
	}
	if err := call(ctx, "List", Plain(url), url, &reply); err != nil {
		return nil, err
	}
	return reply.Entries, reply.Outcome.error(Plain(url))
}
