package page

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// What is written is read back, whatever the width of an index.
func TestWriterIsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const rows = 3001
	for width := range 16 {
		for _, optional := range []bool{false, true} {
			n := 1<<width + 1
			code, letter := textCoding(optional, n), make([]int32, rows)
			for i := range letter {
				letter[i] = int32(r.IntN(n))
				if optional && i%7 == 0 {
					letter[i] = []int32{-1, int32(n)}[i%2]
				}
			}
			out := &memory{}
			w, err := NewWriter(out, 0, rows, code)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Write(letter), w.Close()); err != nil {
				t.Fatal(err)
			}
			x := openTexts(out.b[:w.Size], rows, optional)
			got := make([]int32, rows)
			if k, err := x.Next(got); err != nil || k != rows {
				t.Fatalf("%d entries: %d of %d rows, %v", n, k, rows, err)
			}
			for i, c := range got {
				null := letter[i] < 0 || letter[i] == int32(n)
				if null != (c == Null) || !null && string(x.Bytes(int(c))) != fmt.Sprintf("value %05d",
					n-1-int(letter[i])) {
					t.Fatalf("%d entries, optional %v: row %d with letter %d has code %d", n, optional, i, letter[i], c)
				}
			}
			x.Close()
		}
	}
}
