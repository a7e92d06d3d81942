package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
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
	return SumOf(ctx, io.NewSectionReader(f, 0, f.Size()))
}

// rooms are what files are read into. Most files of a report are far smaller, so that to clear a new
// one would take longer than to hash a file.
var rooms = sync.Pool{New: func() any { return new([1 << 20]byte) }}

// SumOf is the hex SHA-256 of what a reader gives.
func SumOf(ctx context.Context, r io.Reader) (string, error) {
	room := rooms.Get().(*[1 << 20]byte)
	defer rooms.Put(room)
	h := sha256.New()
	if _, err := io.CopyBuffer(h, stopping(ctx, r), room[:]); err != nil {
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
