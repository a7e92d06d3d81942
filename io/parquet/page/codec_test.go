package page

import (
	"bytes"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
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
	for c, src := range map[format.CompressionCodec][]byte{
		format.Uncompressed: want, format.Snappy: snappy.Encode(nil, want), format.Gzip: zipped.Bytes(),
		format.Brotli: brotlied.Bytes(), format.Zstd: e.EncodeAll(want, nil),
	} {
		if err := meta.CheckCodec(c); err != nil {
			t.Error(err)
		}
		for range 2 { // pooled decoders too
			got := make([]byte, len(want))
			if err := decompress(c, got, src); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v", c, err)
			}
			for _, n := range []int{1, len(want) - 1, len(want) + 1} {
				if err := decompress(c, make([]byte, n, 2*len(want)), src); err == nil {
					t.Errorf("%s: %d bytes taken for %d", c, len(want), n)
				}
			}
			if err := decompress(c, got, src[:len(src)/2]); err == nil {
				t.Errorf("%s: half a page was taken", c)
			}
		}
	}
	for _, c := range []format.CompressionCodec{format.LZO, format.Lz4, format.Lz4Raw, 99} {
		if err := decompress(c, make([]byte, 5), want); err == nil || meta.CheckCodec(c) == nil {
			t.Errorf("%s was taken", c)
		}
	}
}
