package files

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRecent: what is remembered is what would be looked up, whatever takes its room.
func TestRecent(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 6))
	var labels []Label
	for i := range 3000 {
		labels = append(labels, Label{Text: fmt.Sprint(i)})
	}
	for _, text := range []string{"", "a\x00", "a", "1234567", "12345678"} {
		labels = append(labels, Label{Text: text})
	}
	for _, c := range []struct {
		typ    Type
		labels []Label
	}{{Type{Kind: Text}, labels}, {Type{Kind: Integer, Bits: 64}, labels[:3000]}} {
		l, err := NewLetters(c.typ, c.labels)
		if err != nil {
			t.Fatal(err)
		}
		look := (&parquetReader{letters: l}).look(4096)
		if look == nil {
			t.Fatal("nothing is remembered")
		}
		for range 200_000 {
			x := rng.IntN(len(c.labels) + 50)
			label := fmt.Sprint(x + 7000)
			if x < len(c.labels) {
				label = c.labels[x].Text
			}
			got, want := look.bytes([]byte(label), l), l.bytes([]byte(label))
			if c.typ.Kind == Integer {
				got, want = look.num(int64(x), l), l.num(int64(x))
			}
			if got != want {
				t.Fatalf("%q has letter %d, want %d", label, got, want)
			}
		}
	}
	var texts []string
	if (&parquetReader{letters: NewTexts(Type{Kind: Text}, &texts)}).look(4096) != nil {
		t.Error("ids are remembered, of which each has a place of its own")
	}
}
