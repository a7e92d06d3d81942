package releases

import (
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
)

// numbers are cells by code.
type numbers []int64

func (n numbers) Int(code int) int64 { return n[code] }
func (n numbers) Bytes(int) []byte   { panic("numbers have no bytes") }
func (n numbers) values() table.Values {
	return table.Values{Type: table.CellType{Form: table.IntegerCells}, Source: n}
}

// TestHead: records of two whole numbers share a head where both are equal, and
// nowhere else; another key gives others.
func TestHead(t *testing.T) {
	const side = 300
	of := func(key byte) []Head {
		m := &Memo{names: draw.NewNames(draw.KeyOf([32]byte{key}), draw.Record, "", "x"), named: []int{0, 1}}
		h := m.Hand()
		var a, b numbers
		for i := range 2 * side * side {
			a, b = append(a, int64(i/side%side)-5), append(b, int64(i%side)-5)
		}
		batch := &table.Batch{Letters: [][]int32{make([]int32, len(a))}, Beside: []table.Values{a.values(), b.values()}}
		for i := range a {
			batch.Beside[0].Code, batch.Beside[1].Code = append(batch.Beside[0].Code, int32(i)), append(batch.Beside[1].Code,
				int32(i))
		}
		heads := slices.Clone(h.heads(batch))
		batch.Beside[0].Whole = a
		if !slices.Equal(heads, h.heads(batch)) {
			t.Fatal("heads depend on how numbers are read")
		}
		return heads
	}
	one, other := of(1), of(2)
	seen := map[Head]bool{}
	for i, head := range one[:side*side] {
		if seen[head] || head != one[side*side+i] || head == other[i] {
			t.Fatalf("record %d: head %x, again %x, by another key %x, of another record: %t", i, head, one[side*side+i],
				other[i], seen[head])
		}
		seen[head] = true
	}
}
