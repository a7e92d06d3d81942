package main

import (
	"context"
	"sync"
	"time"

	"gocloud.dev/blob"
)

// What may be asked at most, and how often a broken answer is asked for again.
const (
	mostBytes = 16 << 20
	tries     = 5
	wait      = 60 * time.Second // for one range
)

// A Store is what tacet calls. Its methods and their types are the protocol: fields
// are matched by name.
type Store struct {
	ctx context.Context // lives longer than any call: what is withdrawn needs one

	mu      sync.Mutex
	buckets map[string]*blob.Bucket
	uploads map[int64]*upload
	last    int64
}

// An Outcome says what became of a call; Kind is "" where it was done.
type Outcome struct {
	Kind string // of the kinds in fault.go
	Code string // of the store, such as NoSuchBucket; never its text, which may hold addresses with keys in them
}

func newStore(ctx context.Context) *Store {
	return &Store{ctx: ctx, buckets: map[string]*blob.Bucket{}, uploads: map[int64]*upload{}}
}

// Stat is what is known of an object.
func (s *Store) Stat(url string, reply *struct {
	Outcome
	Size int64
	Tag  string
}) error {
	at, err := s.at(url)
	if err != nil {
		reply.Outcome = at.outcome(err)
		return nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, wait)
	defer cancel()
	a, err := at.bucket.Attributes(ctx, at.key)
	if err != nil {
		reply.Outcome = at.outcome(err)
		return nil
	}
	reply.Size, reply.Tag = a.Size, a.ETag+" "+a.ModTime.UTC().Format(time.RFC3339Nano)
	return nil
}

// An Entry is one object below an address.
type Entry struct {
	Key  string // of the bucket
	Size int64
}

// List are the objects whose keys begin with that of url, in order of their keys. A list
// that breaks off is asked for again.
func (s *Store) List(url string, reply *struct {
	Outcome
	Entries []Entry
}) error {
	at, err := s.at(url)
	for try := 0; err == nil && try < tries; try++ {
		if reply.Entries, err = at.list(s.ctx); err == nil || !at.again(err) {
			break
		}
		if try < tries-1 {
			err = nil
			time.Sleep(time.Duration(1<<try) * 100 * time.Millisecond)
		}
	}
	reply.Outcome = at.outcome(err)
	return nil
}

// Remove takes an object away. One that is not there is removed.
func (s *Store) Remove(url string, reply *Outcome) error {
	at, err := s.at(url)
	if err == nil {
		ctx, cancel := context.WithTimeout(s.ctx, wait)
		defer cancel()
		err = at.bucket.Delete(ctx, at.key)
	}
	if *reply = at.outcome(err); reply.Kind == missing {
		*reply = Outcome{}
	}
	return nil
}

// A Range is a part of an object.
type Range struct {
	URL            string
	Offset, Length int64
}

// Read are the bytes of a range, fewer where the object ends before. An answer that
// breaks off is asked for again from there on.
func (s *Store) Read(asked Range, reply *struct {
	Outcome
	Bytes []byte
}) error {
	at, err := s.at(asked.URL)
	if err != nil || asked.Length <= 0 || asked.Length > mostBytes {
		reply.Outcome = at.outcome(err)
		return nil
	}
	b := make([]byte, asked.Length)
	var done int
	for try := range tries {
		var n int
		n, err = at.read(s.ctx, b[done:], asked.Offset+int64(done))
		done += n
		if err == nil || !at.again(err) {
			break
		}
		time.Sleep(time.Duration(1<<try) * 100 * time.Millisecond)
	}
	if err != nil {
		reply.Outcome = at.outcome(err)
		return nil
	}
	reply.Bytes = b[:done]
	return nil
}
