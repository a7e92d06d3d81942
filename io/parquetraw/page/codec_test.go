package page

import (
	"bytes"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// A page that is shorter or longer than its header says is refused, whatever
// its codec.
func TestCodecsFillExactlyWhatIsPromised(t *testing.T) {
	want := bytes.Repeat([]byte("what a page may hold "), 50)
	var zipped, brotlied bytes.Buffer
	z, b := gzip.NewWriter(&zipped), brotli.NewWriter(&brotlied)
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{z, b} {
		if _, err := w.Write(want); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for c, src := range map[Codec][]byte{
		Uncompressed: want, Snappy: snappy.Encode(nil, want), Gzip: zipped.Bytes(), Brotli: brotlied.Bytes(), Zstd: e.EncodeAll(want, nil),
	} {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
		for range 2 { // pooled decoders too
			got := make([]byte, len(want))
			if err := c.decompress(got, src); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v", c, err)
			}
			for _, n := range []int{1, len(want) - 1, len(want) + 1} {
				if err := c.decompress(make([]byte, n, 2*len(want)), src); err == nil {
					t.Errorf("%s: %d bytes taken for %d", c, len(want), n)
				}
			}
			if err := c.decompress(got, src[:len(src)/2]); err == nil {
				t.Errorf("%s: half a page was taken", c)
			}
		}
	}
	for _, c := range []Codec{LZO, LZ4, LZ4Raw, 99} {
		if err := c.decompress(make([]byte, 5), want); err == nil || c.Check() == nil {
			t.Errorf("%s was taken", c)
		}
	}
}
