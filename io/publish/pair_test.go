package publish

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

// TestSumPair: two files of any lengths have the hashes that they have alone, with
// and without instructions for them.
func TestSumPair(t *testing.T) {
	able := pairs
	defer func() { pairs = able }()
	ctx, rng := context.Background(), rand.New(rand.NewPCG(18, 2))
	sizes := []int{0, 1, 55, 56, 63, 64, 65, 127, 128, 1000, pairRead - 1, pairRead, pairRead + 1, 2*pairRead + 64,
		700_001}
	for _, pairs = range []bool{able, false} {
		for trial := range 150 {
			var file [2]*bytes.Reader
			var want [2]string
			for side := range file {
				b := make([]byte, sizes[(trial*(1+side)+rng.IntN(2)*rng.IntN(len(sizes)))%len(sizes)])
				for i := range b {
					b[i] = byte(rng.Uint32())
				}
				file[side] = bytes.NewReader(b)
				sum, err := SumOf(ctx, bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				want[side] = sum
			}
			first, second, err := SumPair(ctx, "sha256", file[0], file[1])
			if err != nil || first != want[0] || second != want[1] {
				t.Fatalf("files of %d and %d bytes: %s and %s, %v; want %v", file[0].Size(), file[1].Size(), first, second,
					err, want)
			}
		}
	}
	none := bytes.NewReader(nil)
	if first, second, err := SumPair(ctx, "none", none, none); first+second != "" || err != nil {
		t.Errorf("without a hash: %q, %q, %v", first, second, err)
	}
}

// torn is a file that is shorter than it was.
type torn struct{ *bytes.Reader }

func (torn) Size() int64 { return 1 << 20 }

// TestSumPairEnds: a file that cannot be read to its end has no hash, nor has one
// when the run is over.
func TestSumPairEnds(t *testing.T) {
	whole := bytes.NewReader(make([]byte, 1<<20))
	short := torn{bytes.NewReader(make([]byte, 1000))}
	for _, f := range [][2]Sized{{whole, short}, {short, whole}} {
		if _, _, err := SumPair(context.Background(), "sha256", f[0], f[1]); pairs && !errors.Is(err, io.EOF) {
			t.Errorf("a file that ends too soon: %v", err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := SumPair(ctx, "sha256", whole, whole); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
