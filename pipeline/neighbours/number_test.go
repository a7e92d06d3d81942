package neighbours

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestWideKey compares the order of wide numbers with that of math/big.
func TestWideKey(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 10))
	random := func() (n *big.Int, b []byte) {
		b = make([]byte, 1+rng.IntN(20))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		if len(b) > 8 && rng.IntN(2) == 0 { // a small number in many bytes
			fill := byte(-(rng.IntN(2)))
			for i := range len(b) - 3 {
				b[i] = fill
			}
		}
		n = new(big.Int).SetBytes(b)
		if b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return n, b
	}
	for range 100_000 {
		x, a := random()
		y, b := random()
		got, want := cmp.Compare(wideKey(a), wideKey(b)), x.Cmp(y)
		small := x.BitLen() < 55 && y.BitLen() < 55
		if got == -want && want != 0 || small && got != want {
			t.Fatalf("%x and %x compare as %d, want %d", a, b, got, want)
		}
	}
	for n := int64(-1000); n < 1000; n++ {
		a, b := binary.BigEndian.AppendUint64(nil, uint64(n)), binary.BigEndian.AppendUint64(nil, uint64(n+1))
		if wideKey(a) >= wideKey(b) || wideKey(a) != wideKey(a[6:]) {
			t.Fatalf("%d does not come before %d, or depends on its length", n, n+1)
		}
	}
}
