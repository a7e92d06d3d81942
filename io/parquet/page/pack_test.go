package page

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/bitpack"
)

// packSlowly is the definition: bit i of value k is bit k*width+i.
func packSlowly(value []uint16, width uint) []byte {
	b := make([]byte, packedSize(len(value), width))
	for k, v := range value {
		for i := range width {
			at := uint(k)*width + i
			b[at/8] |= byte(v>>i&1) << (at % 8)
		}
	}
	return b
}

func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for width := range uint(maxWidth + 1) {
		for _, n := range []int{0, 8, 16, 24, 64, 72, 4096} {
			for _, fill := range []func() uint16{
				func() uint16 { return uint16(r.Uint32()) & (1<<width - 1) },
				func() uint16 { return 1<<width - 1 },
				func() uint16 { return 0 },
			} {
				value, src := make([]uint16, n), make([]byte, 2*n)
				for i := range value {
					value[i] = fill()
					binary.LittleEndian.PutUint16(src[2*i:], value[i])
				}
				dst := bytes.Repeat([]byte{0xa5}, packedSize(n, width)+packSlack)
				pack(dst, src, width)
				if want := packSlowly(value, width); !bytes.Equal(dst[:len(want)], want) {
					t.Fatalf("width %d, %d values: packed bytes differ", width, n)
				}
				got := make([]int32, n)
				if width > 0 && n > 0 {
					bitpack.Unpack(got, append(dst[:packedSize(n, width):packedSize(n, width)], make([]byte, 64)...),
						width)
				}
				for i := range got {
					if got[i] != int32(value[i]) {
						t.Fatalf("width %d: value %d of %d reads back as %d, was %d", width, i, n, got[i], value[i])
					}
				}
			}
		}
	}
}

func TestIndexWidth(t *testing.T) {
	for n, want := range map[int]uint{0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 256: 8, 257: 9, 65535: 16, 65536: 16} {
		if got := indexWidth(n); got != want {
			t.Errorf("%d entries take %d bits, want %d", n, got, want)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	src := make([]byte, 2*pageRows)
	dst := make([]byte, 2*pageRows+packSlack)
	for _, width := range []uint{1, 3, 6, 8, 9, 12, 16} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			for range b.N {
				pack(dst, src, width)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pageRows, "ns/value")
		})
	}
}
