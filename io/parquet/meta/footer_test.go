package meta

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
)

type record struct {
	Name  string   `parquet:"name,dict"`
	Age   *int32   `parquet:"age,optional"`
	Tags  []string `parquet:"tags,list"`
	Place struct {
		X float64 `parquet:"x"`
	} `parquet:"place"`
}

func smallFile(t testing.TB, groups, rows int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[record](&b)
	for range groups {
		if _, err := w.Write(make([]record, rows)); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFooterOfNestedFile(t *testing.T) {
	b := smallFile(t, 3, 5)
	f, err := ReadFooter(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows != 15 || len(f.Groups) != 3 || len(f.Columns) != 4 || len(f.Leaves) != 4 {
		t.Fatalf("%d rows, %d groups, %d columns, %d leaves", f.Rows, len(f.Groups), len(f.Columns), len(f.Leaves))
	}
	if c := f.Columns[0]; c.Name != "name" || !c.Flat || c.Repetition != Required ||
		f.Leaves[c.Leaf].Logical.Kind != Utf8 {
		t.Errorf("first column %+v", c)
	}
	if c := f.Columns[2]; c.Name != "tags" || c.Flat || c.Logical.Kind != Listing ||
		f.Leaves[c.Leaf].Name() != "tags.list.element" {
		t.Errorf("third column %+v, leaf %q", c, f.Leaves[c.Leaf].Name())
	}
	if g := f.Groups[2]; g.Row != 10 || g.Rows != 5 || g.Chunks[1].Values != 5 {
		t.Errorf("last group %+v", g)
	}
}

func TestFooterIsKeptByteForByte(t *testing.T) {
	b := smallFile(t, 2, 7)
	f, err := ReadFooter(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	raw := b[f.Start : len(b)-8]
	groups := f.Meta.Get(MetaGroups)
	for i := range groups.Len() {
		chunks := groups.At(i).Get(GroupChunks)
		for j := range chunks.Len() {
			chunks.At(j).Get(ChunkMeta)
		}
	}
	if !bytes.Equal(f.Meta.Encode(nil), raw) {
		t.Fatal("an unchanged footer is written differently")
	}
	rows := f.Meta.Get(MetaRows)
	f.Meta.Set(MetaRows, Int(I64, 1<<40))
	if bytes.Equal(f.Meta.Encode(nil), raw) {
		t.Fatal("a changed footer is written as it was")
	}
	f.Meta.Set(MetaRows, rows)
	meta := groups.At(1).Get(GroupChunks).At(1).Get(ChunkMeta)
	values := meta.Get(ColumnValues)
	meta.Delete(ColumnValues)
	meta.Set(ColumnValues, values)
	if !bytes.Equal(f.Meta.Encode(nil), raw) {
		t.Fatal("an edit taken back leaves a trace")
	}
}

func FuzzFooter(f *testing.F) {
	file := smallFile(f, 2, 3)
	footer, err := ReadFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file[footer.Start:len(file)-8], int64(len(file)))
	f.Fuzz(func(t *testing.T, raw []byte, size int64) {
		got, err := parseFooter(raw, size)
		if err != nil {
			return
		}
		rows := int64(0)
		for _, g := range got.Groups {
			rows += g.Rows
			for _, c := range g.Chunks {
				if c.Size > 0 && (c.Start < 4 || c.Start+c.Size > got.Start) {
					t.Fatal("a chunk outside the data")
				}
			}
		}
		if rows != got.Rows {
			t.Fatal("rows do not add up")
		}
	})
}
