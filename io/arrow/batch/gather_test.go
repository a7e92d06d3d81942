package batch

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// Gather is Ints, then the table.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, bits := range []int{8, 16, 32, 64} {
		for _, signed := range []bool{true, false} {
			for _, letters := range []int{0, 1, 100, 200, 300, 40000} {
				table := make([]int32, letters)
				for i := range table {
					table[i] = r.Int32()
				}
				a := &Array{Len: 500, typ: IntType(bits, signed), valid: make([]byte, 63)}
				for row := range a.Len {
					k := r.Int64N(int64(letters) + 1)
					if row%50 == 7 {
						k = -k
					}
					if row%3 == 0 {
						a.valid[row/8] |= 1 << (row % 8)
					} else {
						a.Nulls++
					}
					a.fixed = append(a.fixed, binary.LittleEndian.AppendUint64(nil, uint64(k))[:bits/8]...)
				}
				for _, nulls := range []bool{true, false} {
					if !nulls {
						a.valid, a.Nulls = nil, 0
					}
					got, index, want := make([]int32, 480), make([]int64, 480), make([]int32, 480)
					a.Ints(index, 20)
					for i, k := range index {
						switch {
						case a.Null(20 + i):
							want[i] = -7
						case k >= 0 && k < int64(letters):
							want[i] = table[k]
						default:
							want[i] = Outside
						}
					}
					inside := a.Gather(got, 20, table, -7)
					if !slices.Equal(got, want) || inside == slices.Contains(want, Outside) {
						t.Fatalf("%d bits, signed %v, %d letters, nulls %v: inside %v, or other letters", bits, signed,
							letters, nulls, inside)
					}
				}
			}
		}
	}
}
