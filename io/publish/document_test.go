package publish

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
)

// TestReads: a file that reads back shorter, longer or otherwise than what was
// written is noticed, also at the ends of blocks.
func TestReads(t *testing.T) {
	for _, size := range []int{0, 1, 1<<18 - 1, 1 << 18, 1<<18 + 1, 3 << 18} {
		want := bytes.Repeat([]byte("tacet"), size)[:size]
		reads := func(r io.Reader) bool {
			is, err := same(r, bytes.NewReader(want))
			return is && err == nil
		}
		if !reads(iotest.HalfReader(bytes.NewReader(want))) {
			t.Errorf("%d bytes are not found as they were written", size)
		}
		if reads(bytes.NewReader(append(bytes.Clone(want), 'x'))) {
			t.Errorf("a byte after %d is not noticed", size)
		}
		if size == 0 {
			continue
		}
		if reads(bytes.NewReader(want[:size-1])) {
			t.Errorf("the loss of the last of %d bytes is not noticed", size)
		}
		other := bytes.Clone(want)
		other[size-1] ^= 1
		if reads(bytes.NewReader(other)) {
			t.Errorf("a change of the last of %d bytes is not noticed", size)
		}
		if reads(iotest.ErrReader(iotest.ErrTimeout)) {
			t.Error("a file that cannot be read is taken for written")
		}
	}
}
