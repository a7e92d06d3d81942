package page

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/snappy"
)

// TestSnappyBegin: any beginning of a block is what the library decodes, and no damaged
// block is read beyond its end.
func TestSnappyBegin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		plain := make([]byte, rng.IntN(100_000))
		for i := range plain {
			if plain[i] = byte(rng.IntN(4)); i > 100 && rng.IntN(3) > 0 {
				plain[i] = plain[i-1-rng.IntN(100)]
			}
		}
		src := snappy.Encode(nil, plain)
		_, size := binary.Uvarint(src)
		dst := make([]byte, rng.IntN(len(plain)+1))
		if !snappyBegin(dst, src[size:]) || !bytes.Equal(dst, plain[:len(dst)]) {
			t.Fatalf("the first %d of %d bytes differ", len(dst), len(plain))
		}
		if len(plain) > 0 && snappyBegin(make([]byte, len(plain)+1), src[size:]) {
			t.Fatal("more bytes than there are")
		}
		for range 20 {
			src[size+rng.IntN(max(1, len(src)-size))%max(1, len(src)-size)] = byte(rng.Uint32())
			snappyBegin(make([]byte, len(plain)), src[size:len(src)-rng.IntN(len(src)-size+1)])
		}
	}
}
