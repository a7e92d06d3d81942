package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	return sumOf(ctx, io.NewSectionReader(f, 0, f.Size()))
}

// sumOf is the hex SHA-256 of what a reader gives.
func sumOf(ctx context.Context, r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.CopyBuffer(h, &stoppable{ctx, r}, make([]byte, 1<<20)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digest reads a SHA-256 in hex.
func digest(text string) (sum [sha256.Size]byte, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(sum) {
		return sum, fmt.Errorf("%q is no SHA-256", text)
	}
	return [sha256.Size]byte(b), nil
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
