package table_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// checkRewritten reads a rewritten file with arrow-go and with this package.
func checkRewritten(t *testing.T, before, after []byte, gone []string, name []string, want ...cells) {
	t.Helper()
	was, old := readRecords(t, before)
	is, records := readRecords(t, after)
	if len(records) != len(old) {
		t.Fatalf("%d record batches, want %d", len(records), len(old))
	}
	at := 0
	for i, f := range was.Fields() {
		if slices.Contains(gone, f.Name) {
			continue
		}
		g := is.Field(at)
		if g.Name != f.Name {
			t.Fatalf("column %d is %q, want %q", at, g.Name, f.Name)
		}
		private := slices.Index(name, f.Name)
		if private < 0 && (!arrow.TypeEqual(f.Type, g.Type) || f.Nullable != g.Nullable) {
			t.Fatalf("kept column %v became %v", f, g)
		}
		row := 0
		for j, r := range records {
			if err := validate(r.Column(at)); err != nil {
				t.Fatalf("column %v, record batch %d: %v", g, j, err)
			}
			if private < 0 {
				if !array.Equal(r.Column(at), old[j].Column(i)) {
					t.Fatalf("kept column %v differs in record batch %d", f, j)
				}
				continue
			}
			w := want[private]
			part := cells{typ: w.typ, value: w.value[row:], null: w.null[row:]}
			checkColumn(t, r.Column(at), part)
			row += r.Column(at).Len()
		}
		at++
	}
	if at != is.NumFields() {
		t.Fatalf("%d columns, want %d", is.NumFields(), at)
	}
	checkFile(t, after, name, want...)
}

// validate does what arrow-go can check of an array.
func validate(a arrow.Array) error {
	if v, ok := a.(interface{ ValidateFull() error }); ok {
		return v.ValidateFull()
	}
	return nil
}

// checkColumn compares an array with cells, label by label, and looks for
// anything but zeros and valid values under nulls.
func checkColumn(t *testing.T, a arrow.Array, want cells) {
	t.Helper()
	nulls := 0
	for i := range a.Len() {
		if want.null[i] != a.IsNull(i) {
			t.Fatalf("row %d: null is %v", i, a.IsNull(i))
		}
		if want.null[i] {
			nulls++
			continue
		}
		if got, label := arrowLabel(t, a, i), want.typ.Label(want.value[i]); got != label {
			t.Fatalf("row %d is %q, want %q", i, got, label)
		}
	}
	if a.NullN() != nulls {
		t.Fatalf("%d nulls, want %d", a.NullN(), nulls)
	}
	if bitmap := a.Data().Buffers()[0]; nulls == 0 && bitmap != nil && bitmap.Len() > 0 {
		t.Fatal("a validity bitmap without nulls")
	}
}

func arrowLabel(t *testing.T, a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.Dictionary:
		return arrowLabel(t, a.Dictionary(), a.GetValueIndex(i))
	case *array.Date32:
		return a.Value(i).FormattedString()
	case *array.Date64:
		at := time.UnixMilli(int64(a.Value(i))).UTC()
		return strings.TrimSuffix(at.Format("2006-01-02T15:04:05.999"), "T00:00:00")
	case *array.Binary:
		return string(a.Value(i))
	case *array.LargeBinary:
		return string(a.Value(i))
	case *array.BinaryView:
		return string(a.Value(i))
	}
	return a.ValueStr(i)
}
