package main

import (
	"context"
	"errors"
	"io"

	"gocloud.dev/blob"
)

// partSize is that of the parts in which large objects go up, and partsAtOnce how
// many are on their way.
const (
	contentType = "application/octet-stream"
	partSize    = 16 << 20
	partsAtOnce = 3
)

// An upload is an object on its way. Nobody sees it before it is whole.
type upload struct {
	place
	to   *io.PipeWriter
	stop context.CancelFunc
	done chan struct{}
	err  error // once done
}

// errAbandoned ends an upload that is not wanted any more.
var errAbandoned = errors.New("abandoned")

// A Target is where an object shall stand.
type Target struct {
	URL    string
	Create bool // fails where something stands there already
}

// Begin starts an upload and gives its number.
func (s *Store) Begin(asked Target, reply *struct {
	Outcome
	ID int64
}) error {
	at, err := s.at(asked.URL)
	if err != nil {
		reply.Outcome = at.outcome(err)
		return nil
	}
	from, to := io.Pipe()
	ctx, stop := context.WithCancel(s.ctx)
	u := &upload{place: at, to: to, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(u.done)
		defer stop()
		u.err = at.bucket.Upload(ctx, at.key, from, &blob.WriterOptions{IfNotExist: asked.Create,
			ContentType: contentType, BufferSize: partSize, MaxConcurrency: partsAtOnce})
		from.CloseWithError(errors.Join(u.err, io.ErrClosedPipe))
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.uploads[s.last], reply.ID = u, s.last
	return nil
}

// A Piece is what follows in an upload.
type Piece struct {
	ID    int64
	Bytes []byte
}

// Write adds to an upload.
func (s *Store) Write(p Piece, reply *Outcome) error {
	u := s.upload(p.ID, false)
	if u == nil {
		*reply = Outcome{Kind: broken, Code: "no such upload"}
		return nil
	}
	if _, err := u.to.Write(p.Bytes); err != nil {
		<-u.done
		*reply = u.outcome(errors.Join(u.err, err))
	}
	return nil
}

// Commit ends an upload: the object is there when it returns without a fault.
func (s *Store) Commit(id int64, reply *Outcome) error {
	u := s.upload(id, true)
	if u == nil {
		*reply = Outcome{Kind: broken, Code: "no such upload"}
		return nil
	}
	u.to.Close()
	<-u.done
	*reply = u.outcome(u.err)
	return nil
}

// Abort withdraws an upload, and its parts.
func (s *Store) Abort(id int64, reply *Outcome) error {
	if u := s.upload(id, true); u != nil {
		u.abandon()
	}
	return nil
}

// abandon ends an upload by an error of what it reads. Its context ends before only
// where the library would take what it has read so far for the whole; where parts
// went up, a context that ended could not withdraw them.
func (u *upload) abandon() {
	if u.scheme == "gs" {
		u.stop()
	}
	u.to.CloseWithError(errAbandoned)
	<-u.done
}

// abandon withdraws all that is on its way.
func (s *Store) abandon() {
	s.mu.Lock()
	var ids []int64
	for id := range s.uploads {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		_ = s.Abort(id, &Outcome{})
	}
}

// upload finds one; the last call that needs it takes it out.
func (s *Store) upload(id int64, last bool) *upload {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uploads[id]
	if last {
		delete(s.uploads, id)
	}
	return u
}
