package store

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// A block is what is asked for at once, and most are kept of an object.
const (
	block = 4 << 20
	most  = 12 // blocks
	ahead = 2  // blocks that are fetched before they are asked for
)

// An Object is read by ranges. It may be read by many goroutines.
type Object struct {
	ctx  context.Context
	url  string
	size int64
	tag  string
	same bool // its bytes are read only as long as they have the tag

	blocks shelf
	last   atomic.Int64 // the block read last
}

// Open finds an object. Reads end with ctx.
func Open(ctx context.Context, url string) (*Object, error) {
	e, err := Stat(ctx, url)
	return newObject(ctx, url, e, false), err
}

// OpenListed is Open for an object as a list has it. Where that has its tag nothing is asked
// for: a read fails once the object is another.
func OpenListed(ctx context.Context, url string, e Entry) (*Object, error) {
	if e.Tag == "" {
		return Open(ctx, url)
	}
	return newObject(ctx, url, e, true), nil
}

func newObject(ctx context.Context, url string, e Entry, same bool) *Object {
	o := &Object{ctx: ctx, url: url, size: e.Size, tag: e.Tag, same: same, blocks: shelf{most: most * block}}
	o.last.Store(-2) // what no block follows
	return o
}

// Stat is an object as it is now.
func Stat(ctx context.Context, url string) (Entry, error) {
	var reply struct {
		Outcome outcome
		Size    int64
		Tag     string
	}
	if err := call(ctx, "Stat", Plain(url), url, &reply); err != nil {
		return Entry{}, err
	}
	return Entry{Key(url), reply.Size, reply.Tag}, reply.Outcome.error(Plain(url))
}

// Free reports whether no object stands at an address; the bucket must be there. A
// store that does not tell a bucket's content is believed.
func Free(ctx context.Context, url string) (bool, error) {
	_, err := Stat(ctx, url)
	var refused *Error
	if !errors.As(err, &refused) || refused.Kind != Missing {
		return false, err
	}
	if _, err = List(ctx, url); errors.As(err, &refused) && refused.Kind == Denied {
		err = nil
	}
	return err == nil, err
}

// Size of the object when it was opened.
func (o *Object) Size() int64 { return o.size }

// Identity is the tag of the object as it is now, or of the bytes that are read.
func (o *Object) Identity() (string, error) {
	if o.same {
		return o.tag, nil
	}
	e, err := Stat(o.ctx, o.url)
	return e.Tag, err
}

// Close forgets what was read.
func (o *Object) Close() error {
	o.blocks.clear()
	return nil
}

// ReadAt reads from the blocks.
func (o *Object) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		at := off + int64(n)
		if at >= o.size {
			return n, io.EOF
		}
		f, from := (*fetched)(nil), at%block
		if o.same && o.size <= Small {
			f, from = atHand.take(o.tag+" "+o.url, o.size, func() ([]byte, error) { return o.read(0, o.size) }), at
		} else {
			f = o.fetch(at / block)
		}
		<-f.done // at the latest when ctx ends
		if f.err != nil {
			return n, f.err
		}
		n += copy(b[n:], f.bytes[from:])
	}
	return n, nil
}

// fetch gives the block, and begins those behind it where the reader goes on from
// the one before.
func (o *Object) fetch(at int64) *fetched {
	follows := o.last.Swap(at) == at-1
	f := o.take(at)
	for next := at + 1; follows && next <= at+ahead && next*block < o.size; next++ {
		o.take(next)
	}
	return f
}

func (o *Object) take(at int64) *fetched {
	size := min(block, o.size-at*block)
	return o.blocks.take(at, size, func() ([]byte, error) { return o.read(at*block, size) })
}

func (o *Object) read(off, length int64) ([]byte, error) {
	asked := struct {
		URL, Tag       string
		Offset, Length int64
	}{URL: o.url, Offset: off, Length: length}
	if o.same {
		asked.Tag = o.tag
	}
	var reply struct {
		Outcome outcome
		Bytes   []byte
	}
	if err := call(o.ctx, "Read", Plain(o.url), asked, &reply); err != nil {
		return nil, err
	}
	if err := reply.Outcome.error(Plain(o.url)); err != nil {
		return nil, err
	}
	if int64(len(reply.Bytes)) != length {
		return nil, &Error{Kind: Broken, Code: "fewer bytes than it has", URL: Plain(o.url)}
	}
	return reply.Bytes, nil
}
