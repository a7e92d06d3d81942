package main

import (
	"context"
	"errors"
	neturl "net/url"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
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
	var a *blob.Attributes
	err = at.tried(func() (err error) {
		ctx, cancel := context.WithTimeout(s.ctx, wait)
		defer cancel()
		a, err = at.bucket.Attributes(ctx, at.key)
		return err
	})
	if err != nil {
		reply.Outcome = at.outcome(err)
		return nil
	}
	if reply.Size, reply.Tag = a.Size, a.ETag; at.scheme != "s3" { // whose lists have the same tag
		reply.Tag += " " + a.ModTime.UTC().Format(time.RFC3339Nano)
	}
	return nil
}

// An Entry is one object below an address.
type Entry struct {
	Key  string // of the bucket
	Size int64
	Tag  string // as Stat has it; "" where the list has none
}

// List are the objects whose keys begin with that of url, in order of their keys. A list
// that breaks off is asked for again.
func (s *Store) List(url string, reply *struct {
	Outcome
	Entries []Entry
}) error {
	at, err := s.at(url)
	if err == nil {
		err = at.tried(func() (err error) { reply.Entries, err = at.list(s.ctx); return err })
	}
	reply.Outcome = at.outcome(err)
	return nil
}

// Remove takes objects of a bucket away. One that is not there is removed.
func (s *Store) Remove(urls []string, reply *Outcome) error {
	for some := range slices.Chunk(urls, mostKeys) {
		if *reply = s.remove(some); reply.Kind != "" {
			break
		}
	}
	return nil
}

// remove takes as many objects away as one question names, where the store takes several.
func (s *Store) remove(urls []string) Outcome {
	var at place
	var all []types.ObjectIdentifier
	for _, url := range urls {
		var err error
		if at, err = s.at(url); err != nil {
			return at.outcome(err)
		}
		all = append(all, types.ObjectIdentifier{Key: aws.String(at.key)})
	}
	u, err := neturl.Parse(urls[0])
	if err != nil {
		return at.outcome(errAddress)
	}
	var client *s3.Client
	if at.bucket.As(&client) {
		return at.outcome(at.tried(func() error {
			ctx, cancel := context.WithTimeout(s.ctx, wait)
			defer cancel()
			out, err := client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: aws.String(u.Host),
				Delete: &types.Delete{Objects: all, Quiet: aws.Bool(true)}})
			if err == nil && len(out.Errors) > 0 {
				err = errLeft
			}
			return err
		}))
	}
	for _, o := range all {
		err := at.tried(func() error {
			ctx, cancel := context.WithTimeout(s.ctx, wait)
			defer cancel()
			return at.bucket.Delete(ctx, *o.Key)
		})
		if o := at.outcome(err); o.Kind != "" && o.Kind != missing {
			return o
		}
	}
	return Outcome{}
}

// mostKeys is how many objects one question takes away.
const mostKeys = 1000

var errLeft = errors.New("some objects were not taken away")

// A Range is a part of an object, which must have the tag where one is given.
type Range struct {
	URL            string
	Offset, Length int64
	Tag            string
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
	err = at.tried(func() error {
		n, err := at.read(s.ctx, b[done:], asked.Offset+int64(done), asked.Tag)
		done += n
		return err
	})
	if err != nil {
		if reply.Outcome = at.outcome(err); asked.Tag != "" && (reply.Kind == exists || reply.Kind == missing) {
			reply.Kind = changed
		}
		return nil
	}
	reply.Bytes = b[:done]
	return nil
}
