package splice

import (
	"reflect"
	"testing"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// A column does not depend on how its rows are appended.
func TestColumnWriterInParts(t *testing.T) {
	for _, code := range []batch.Code{batch.Utf8, batch.LargeUtf8, batch.Utf8View, batch.Bool, batch.Date} {
		values := []table.Value{{Bytes: "of 12 bytes,", Int: 1}, {Bytes: "and of more of them"}}
		cells := newColumnCells(batch.Type{Code: code}, values)
		for _, first := range []int{0, 1, 7, 8, 9, 20, 40} { // row of the first null
			letters := make([]int32, 40)
			for row := range letters {
				letters[row] = int32(row % 2)
				if row == first || row > first && row%5 == 2 {
					letters[row] = int32(2 - row%2*3) // null, by its letter or as -1
				}
			}
			whole := cells.newColumn(40, 2)
			whole.append(letters, table.Within(letters, 1))
			for _, size := range []int{1, 3, 8, 13} {
				parts := cells.newColumn(40, 2)
				for from := 0; from < 40; from += size {
					part := letters[from:min(from+size, 40)]
					parts.append(part, table.Within(part, 1))
				}
				if !reflect.DeepEqual(whole.column(), parts.column()) {
					t.Fatalf("type %d, first null in row %d: other bytes in parts of %d", code, first, size)
				}
			}
		}
	}
}
