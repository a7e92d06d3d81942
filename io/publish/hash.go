package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Sized is what can be hashed.
type Sized interface {
	io.ReaderAt
	Size() int64
}

// Sum is the hex SHA-256 of a file, empty where how is "none".
func Sum(ctx context.Context, how string, f Sized) (string, error) {
	if how == "none" {
		return "", nil
	}
	return sum(ctx, io.NewSectionReader(f, 0, f.Size()), min(f.Size(), sumRead))
}

// sumRead is how much is read at once, in bytes.
const sumRead = 1 << 20

// SumOf is the hex SHA-256 of what a reader gives.
func SumOf(ctx context.Context, r io.Reader) (string, error) { return sum(ctx, r, sumRead) }

func sum(ctx context.Context, r io.Reader, room int64) (string, error) {
	h := sha256.New()
	if _, err := io.CopyBuffer(h, stopping(ctx, r), make([]byte, max(room, 1))); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Digest reads a SHA-256 in hex.
func Digest(text string) (sum [sha256.Size]byte, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(sum) {
		return sum, fmt.Errorf("%q is not a SHA-256 hash", text)
	}
	return [sha256.Size]byte(b), nil
}

// stopping is r, ending with ctx.
func stopping(ctx context.Context, r io.Reader) io.Reader { return &stoppable{ctx, r} }

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
