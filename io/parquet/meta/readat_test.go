package meta

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

func TestFull(t *testing.T) {
	r := strings.NewReader("0123456789")
	for _, c := range []struct {
		at   int64
		n    int
		want error
	}{{0, 10, nil}, {3, 4, nil}, {10, 0, nil}, {7, 3, nil}, {7, 4, io.ErrUnexpectedEOF}, {10, 1, io.ErrUnexpectedEOF},
		{20, 1, io.ErrUnexpectedEOF}} {
		b := make([]byte, c.n)
		if err := ReadFull(r, b, c.at); !errors.Is(err, c.want) ||
			err == nil && string(b) != "0123456789"[c.at:][:c.n] {
			t.Errorf("%d bytes at %d: %q, %v", c.n, c.at, b, err)
		}
	}
	for have, want := range map[error]error{nil: io.ErrUnexpectedEOF, io.EOF: io.ErrUnexpectedEOF,
		iotest.ErrTimeout: iotest.ErrTimeout} {
		if err := ReadFull(failing{have}, make([]byte, 1), 0); err != want {
			t.Errorf("%v became %v", have, err)
		}
	}
}
