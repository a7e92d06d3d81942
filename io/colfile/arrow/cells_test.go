package arrow

import (
	"reflect"
	"testing"

	"github.com/tacet-privacy/tacet/io/arrowraw/format"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
)

// A column does not depend on how its rows are appended.
func TestColumnWriterInParts(t *testing.T) {
	for _, code := range []format.Code{format.Utf8, format.LargeUtf8, format.Utf8View, format.Bool, format.Date} {
		values := []letter.Value{{Bytes: "of 12 bytes,", Int: 1}, {Bytes: "and of more of them"}}
		cells := newColumnCells(format.Type{Code: code}, values)
		for _, first := range []int{0, 1, 7, 8, 9, 20, 40} { // row of the first null
			letters := make([]int32, 40)
			for row := range letters {
				letters[row] = int32(row % 2)
				if row == first || row > first && row%5 == 2 {
					letters[row] = int32(2 - row%2*3) // null, by its letter or as -1
				}
			}
			whole := cells.newColumn(40, 2)
			whole.append(letters, allBelow(letters, 2))
			for _, size := range []int{1, 3, 8, 13} {
				parts := cells.newColumn(40, 2)
				for from := 0; from < 40; from += size {
					part := letters[from:min(from+size, 40)]
					parts.append(part, allBelow(part, 2))
				}
				if !reflect.DeepEqual(whole.column(), parts.column()) {
					t.Fatalf("type %d, first null in row %d: other bytes in parts of %d", code, first, size)
				}
			}
		}
	}
}

func TestAllBelow(t *testing.T) {
	for n := range 20 {
		letter := make([]int32, n)
		for i := range letter {
			letter[i] = int32(i % 3)
		}
		if !allBelow(letter, 3) {
			t.Fatalf("%d letters below 3 are not", n)
		}
		for i := range letter {
			for _, wrong := range []int32{3, -1, 1<<31 - 1, -1 << 31} {
				was := letter[i]
				if letter[i] = wrong; allBelow(letter, 3) {
					t.Fatalf("letter %d of %d is %d, and that is below 3", i, n, wrong)
				}
				letter[i] = was
			}
		}
	}
}
