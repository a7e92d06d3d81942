package publish

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"testing"
)

// memory is an Output without a descriptor.
type memory struct {
	b    []byte
	fail error // of the next write
}

func (m *memory) WriteAt(b []byte, off int64) (int, error) {
	if m.fail != nil {
		return 0, m.fail
	}
	if grow := int(off) + len(b) - len(m.b); grow > 0 {
		m.b = append(m.b, make([]byte, grow)...)
	}
	return copy(m.b[off:], b), nil
}

func (m *memory) Truncate(int64) error { return m.fail }

func (m *memory) Fd() (uintptr, bool) { return 0, false }

var _ Output = &memory{}

// folders are on different file systems where the machine has them, between
// which the kernel may refuse to copy.
func folders(t *testing.T) []string {
	dirs := []string{t.TempDir()}
	if dir, err := os.MkdirTemp("/dev/shm", "copy"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		dirs = append(dirs, dir)
	}
	return dirs
}

func TestCopy(t *testing.T) {
	content := make([]byte, 3*copyBuffer+77)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(content)
	runs := []Run{{0, 5, 0}, {0, 0, 1}, {1000, 1, copyBuffer - 1}, {7, copyBuffer, 2*copyBuffer + 70}}
	want := &memory{b: make([]byte, 3*copyBuffer+70)}
	for _, r := range runs {
		copy(want.b[r.To:], content[r.From:r.From+r.Size])
	}
	for _, from := range folders(t) {
		must(t, os.WriteFile(from+"/in", content, 0o600))
		in, err := os.Open(from + "/in")
		must(t, err)
		defer in.Close()
		for _, to := range folders(t) {
			set := NewSet()
			out, err := set.Add(Target{Path: to + "/out"})
			must(t, err)
			for _, run := range runs {
				must(t, run.Copy(context.Background(), out, in, in))
			}
			must(t, out.Close())
			read, err := out.Reopen()
			must(t, err)
			got, err := io.ReadAll(read)
			if err != nil || !bytes.Equal(got, want.b) {
				t.Errorf("copied bytes differ, %v", err)
			}
			read.Close()
			must(t, set.Abort())
		}
	}
	byHand := &memory{}
	for _, run := range runs {
		must(t, run.Copy(context.Background(), byHand, bytes.NewReader(content), nil))
	}
	if !bytes.Equal(byHand.b, want.b) {
		t.Error("bytes read and written differ")
	}
}

func TestCopyErrors(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/in", make([]byte, 1000), 0o600))
	in, err := os.Open(dir + "/in")
	must(t, err)
	defer in.Close()
	set := NewSet()
	defer set.Abort()
	out, err := set.Add(Target{Path: dir + "/out"})
	must(t, err)
	long := Run{500, 0, 501}
	if err := long.Copy(context.Background(), out, in, in); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("behind the end: %v", err)
	}
	full := &memory{fail: errors.New("no space")}
	if err := (Run{0, 0, 10}).Copy(context.Background(), full, in, in); !errors.Is(err, full.fail) {
		t.Errorf("full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (Run{0, 0, 10}).Copy(ctx, out, in, in); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
