package splice

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
)

// target is a file on disk, with or without kernel copies.
type target struct {
	*os.File
	kernel bool
}

func (t target) Fd() (uintptr, bool) { return t.File.Fd(), t.kernel }

// Copies of adjacent buffers become one, but bytes between them that are not
// zero, or that stand apart, never come along.
func TestPlacedCopiesNoGaps(t *testing.T) {
	const size = 3 * smallCopy
	for _, gap := range []int{0, 8, 56, maxGap, maxGap + 8, 4096} {
		for _, fill := range []byte{0, 'x'} {
			for _, kernel := range []bool{true, false} {
				input := bytes.Repeat([]byte("secret! "), 100) // before the first buffer
				var b Batch
				var want []byte
				for i, n := range []int{size, size - 5, 100, size + 1, 7, size} {
					if i == 3 {
						b.Columns = append(b.Columns, Column{Buffers: []Part{{New: []byte("fresh")}}})
						want = append(want, "fresh"...)
						want = append(want, make([]byte, 64-len("fresh"))...)
					}
					buffer := bytes.Repeat([]byte{'a' + byte(i)}, n)
					b.Columns = append(b.Columns,
						Column{Buffers: []Part{{Copy: batch.Span{Offset: int64(len(input)), Len: int64(n)}}}})
					input = append(input, buffer...)
					input = append(input, bytes.Repeat([]byte{fill}, (64-n%64)%64+gap)...)
					want = append(want, buffer...)
					want = append(want, make([]byte, (64-n%64)%64)...)
				}
				dir := t.TempDir()
				path := filepath.Join(dir, "in")
				if err := os.WriteFile(path, input, 0o600); err != nil {
					t.Fatal(err)
				}
				in, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				out, err := os.Create(filepath.Join(dir, "out"))
				if err != nil {
					t.Fatal(err)
				}
				b.Codec = batch.None
				w := &Writer{in: &batch.File{In: in}, out: target{out, kernel}, align: 64}
				p := w.Batch(&b)
				if err := p.Write(context.Background()); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(out.Name())
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got[len(p.meta):], want) {
					t.Fatalf("gap of %d bytes %q, kernel copies %v: the body differs", gap, fill, kernel)
				}
				in.Close()
				out.Close()
			}
		}
	}
}

// FuzzOpen reads heads of files that may be anything.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("ARROW1\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00ARROW1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := batch.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for i := range file.Batches {
			if _, err := file.Batch(i); err != nil {
				return
			}
		}
	})
}
