package arrow

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

func compressed(t *testing.T, c codec, b []byte, length int64) []byte {
	t.Helper()
	out := bytes.NewBuffer(binary.LittleEndian.AppendUint64(nil, uint64(length)))
	switch c {
	case lz4Frame:
		w := lz4.NewWriter(out)
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	case zstandard:
		w, err := zstd.NewWriter(out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestDecompress(t *testing.T) {
	for _, c := range []codec{lz4Frame, zstandard} {
		for _, n := range []int{1, 100, 1 << 20, 20 << 20} {
			b := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
			got, err := c.decompress(nil, compressed(t, c, b, int64(n)))
			if err != nil || !bytes.Equal(got, b) {
				t.Fatalf("codec %d, %d bytes: %d came back, error %v", c, n, len(got), err)
			}
			for _, wrong := range []int64{0, int64(n) - 1, int64(n) + 1, 1 << 40, -2} {
				if _, err := c.decompress(nil, compressed(t, c, b, wrong)); err == nil {
					t.Errorf("codec %d: %d bytes pass for %d", c, n, wrong)
				}
			}
		}
		if got, err := c.decompress(nil, compressed(t, none, nil, rawPrefix)); err != nil || len(got) != 0 {
			t.Errorf("codec %d: stored buffer gives %d bytes, error %v", c, len(got), err)
		}
		if _, err := c.decompress(nil, make([]byte, 7)); err == nil {
			t.Errorf("codec %d: a buffer without its length passes", c)
		}
	}
}

// A buffer that claims to be large costs no more than what is there.
func TestDecompressDoesNotBelieveTheLength(t *testing.T) {
	for _, c := range []codec{lz4Frame, zstandard} {
		b := compressed(t, c, []byte("short"), maxBuffer)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := c.decompress(nil, b); err == nil {
			t.Fatal("a short buffer passes for 2 GiB")
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
			t.Errorf("codec %d: %d MiB allocated", c, used>>20)
		}
	}
}
