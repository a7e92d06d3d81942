package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// sized is what can be hashed.
type sized interface {
	io.ReaderAt
	Size() int64
}

// sum is the hex SHA-256 of a file, empty with --hash none.
func (o *Options) sum(ctx context.Context, f sized) (string, error) {
	if o.Hash == "none" {
		return "", nil
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(h, &stoppable{ctx, io.NewSectionReader(f, 0, f.Size())}, make([]byte, 1<<20)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}
