package draw

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkKeyed reports ns/record for making the id and drawing, by the
// length of ids in bytes. Letters are uniform.
func BenchmarkKeyed(b *testing.B) {
	for _, kind := range []string{"uniform", "alias"} {
		for _, n := range []int{4, 229, 1000} {
			m := random(rand.New(rand.NewPCG(1, uint64(n))), n, kind == "alias", 1<<32)
			for _, size := range []int{8, 11, 36} {
				b.Run(fmt.Sprintf("rows=%s/N=%d/id=%d", kind, n, size), func(b *testing.B) {
					benchKeyed(b, NewKeyed(someKey(1), binding("a"), m), m.Inputs(), size)
				})
			}
		}
	}
}

// BenchmarkKeyedInteger makes ids of int64 and names the record, too.
func BenchmarkKeyedInteger(b *testing.B) {
	m := random(rand.New(rand.NewPCG(1, 2)), 229, true, 1<<32)
	d, n, id := NewKeyed(someKey(1), binding("a"), m).Drawer(), NewNames(someKey(1), Record, "p", "a").Namer(), ID{}
	b.ReportAllocs()
	for i := int64(10_000_000); b.Loop(); i++ {
		id.Reset()
		id.Int(i)
		d.Draw(&id, int32(i%229))
		n.Name(&id)
	}
}

func benchKeyed(b *testing.B, k *Keyed, letters, size int) {
	const batch = 4096
	rng := rand.New(rand.NewPCG(2, 3))
	letter, text := make([]int32, batch), make([][]byte, batch)
	for i := range letter {
		letter[i] = int32(rng.IntN(letters))
		text[i] = []byte(fmt.Sprintf("%0*d", size, i))
		if size > 20 {
			text[i] = []byte(strings.Repeat("0", size-20) + fmt.Sprintf("%020d", rng.Uint64()))
		}
	}
	d, id := k.Drawer(), ID{}
	b.ReportAllocs()
	for b.Loop() {
		for i, x := range letter {
			id.Reset()
			id.Part(text[i])
			letter[i] = x
			d.Draw(&id, x)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/record")
}
