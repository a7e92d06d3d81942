package main

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/s3blob"    // s3://
)

// atOnce is how many connections to a store are kept: as many as tacet asks at once.
const atOnce = 64

func init() { awshttp.DefaultHTTPTransportMaxIdleConnsPerHost = atOnce }

// A place is an object of a bucket.
type place struct {
	scheme string
	bucket *blob.Bucket
	key    string
}

// at is the place of an address; its bucket is opened once.
func (s *Store) at(address string) (place, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return place{}, errAddress
	}
	scheme, key := u.Scheme, strings.TrimPrefix(u.Path, "/")
	u.Path, u.RawPath = "", ""
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[u.String()]
	if b == nil {
		if b, err = blob.OpenBucket(s.ctx, u.String()); err != nil {
			return place{}, errors.Join(errAddress, err)
		}
		s.buckets[u.String()] = b
	}
	return place{scheme, b, key}, nil
}

// list are the objects from the place on down.
func (p place) list(ctx context.Context) (all []Entry, err error) {
	list := p.bucket.List(&blob.ListOptions{Prefix: p.key})
	for {
		o, err := list.Next(ctx)
		switch {
		case err == io.EOF: // itself: an answer that was cut wraps one
			return all, nil
		case err != nil:
			return nil, err
		case !o.IsDir:
			var own types.Object
			tag := ""
			if o.As(&own) {
				tag = aws.ToString(own.ETag)
			}
			all = append(all, Entry{o.Key, o.Size, tag})
		}
	}
}

// read fills b from an offset on. The object may end before; where a tag is given, it must
// have that.
func (p place) read(ctx context.Context, b []byte, off int64, tag string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	r, err := p.bucket.NewRangeReader(ctx, p.key, off, int64(len(b)), &blob.ReaderOptions{
		BeforeRead: func(as func(any) bool) error {
			var asked *s3.GetObjectInput
			if tag != "" && as(&asked) {
				asked.IfMatch = aws.String(tag)
			}
			return nil
		}})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.ErrUnexpectedEOF) && off+int64(n) == r.Size() {
		err = nil
	}
	return n, err
}
