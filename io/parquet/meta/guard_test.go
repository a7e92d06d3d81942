package meta

import (
	"bytes"
	"strings"
	"testing"
)

// Sizes that are stated too small are refused where the writer is known for
// them; from all others a gap between chunks is one.
func TestShortSizes(t *testing.T) {
	b := smallFile(t, 1, 5)
	for _, c := range []struct {
		createdBy string
		missing   int64 // bytes of the first chunk
		refused   bool
	}{
		{"parquet-mr", 0, false},
		{"parquet-mr", 14, true},
		{"parquet-mr version 1.2.8 (build 1)", 14, true},
		{"parquet-mr version 1.1.9", 1, true},
		{"parquet-mr version 0.9.9", 14, true},
		{"parquet-mr version 1.2.9", 14, false},
		{"parquet-mr version 1.10.0 (build 1)", 14, false},
		{"parquet-mr version 2.0.0", 14, false},
		{"parquet-cpp version 1.0.0", 14, false},
	} {
		f, err := ReadFooter(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		f.Meta.Set(MetaCreatedBy, String(c.createdBy))
		chunks := f.Meta.Get(MetaGroups).At(0).Get(GroupChunks)
		first := &f.Groups[0].Chunks[0]
		chunks.At(0).Get(ChunkMeta).Set(ColumnSize, Int(I64, first.Size-c.missing))
		last := f.Groups[0].Chunks[len(f.Leaves)-1]
		raw := f.Meta.Encode(nil)
		_, err = parseFooter(raw, last.Start+last.Size+int64(len(raw))+8)
		if refused := err != nil; refused != c.refused ||
			refused && !strings.HasPrefix(err.Error(), `column "name", row group 0: its size`) {
			t.Errorf("%s, %d bytes missing: %v", c.createdBy, c.missing, err)
		}
	}
}
