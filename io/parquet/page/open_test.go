package page

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

type nested struct {
	Name  string   `parquet:"name,dict"`
	Age   *int32   `parquet:"age,optional"`
	Tags  []string `parquet:"tags,list"`
	Place struct {
		X float64 `parquet:"x"`
	} `parquet:"place"`
}

// nestedFile has a column of text, and lists beside it.
func nestedFile(t testing.TB, groups, rows int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[nested](&b)
	for range groups {
		if _, err := w.Write(make([]nested, rows)); err != nil {
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

func TestOpenChunkSaysWhere(t *testing.T) {
	file := nestedFile(t, 2, 50)
	f, err := meta.ReadFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	clear(file[f.Groups[1].Chunks[1].Start:][:4])
	for group, want := range []string{"", `column "age", row group 1: `} {
		x, err := OpenChunk(f, bytes.NewReader(file), group, 1)
		if err != nil {
			t.Fatal(err)
		}
		n, err := x.Next(make([]int32, 50))
		x.Close()
		var fe *table.InputError
		switch {
		case want == "" && (err != nil || n != 50):
			t.Errorf("row group %d: %d values, %v", group, n, err)
		case want != "" && (!errors.As(err, &fe) || !strings.HasPrefix(fe.What, want)):
			t.Errorf("row group %d: %v", group, err)
		}
	}
	if _, err := OpenChunk(f, bytes.NewReader(file), 0, 2); err == nil ||
		!strings.HasPrefix(err.Error(), `column "tags.list.element", row group 0: `) {
		t.Errorf("a nested column: %v", err)
	}
}

func FuzzChunk(f *testing.F) {
	file := nestedFile(f, 1, 50)
	footer, err := meta.ReadFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		f.Fatal(err)
	}
	for i, c := range footer.Groups[0].Chunks[:2] {
		f.Add(file[c.Start:c.Start+c.Size], uint8(c.Physical), i == 1, uint8(c.Codec), uint16(50))
	}
	f.Add([]byte{}, uint8(0), true, uint8(0), uint16(1))
	f.Fuzz(func(t *testing.T, b []byte, physical uint8, optional bool, codec uint8, values uint16) {
		leaf := meta.Leaf{Path: []string{"a"}, Physical: format.Type(physical)}
		if optional {
			leaf.Repetition, leaf.Most.Definition = format.Optional, 1
		}
		chunk := meta.Chunk{Size: int64(len(b)), Values: int64(values), Codec: format.CompressionCodec(codec),
			Physical: leaf.Physical}
		footer := &meta.Footer{Leaves: []meta.Leaf{leaf},
			Groups: []meta.RowGroup{{Rows: int64(values), Chunks: []meta.Chunk{chunk}}}}
		x, err := OpenChunk(footer, bytes.NewReader(b), 0, 0)
		if err != nil {
			return
		}
		defer x.Close()
		code, rows := make([]int32, 100), 0
		for {
			n, err := x.Next(code)
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			rows += n
			for _, c := range code[:n] {
				if c < Null || int(c) >= x.dict.size() || c == Null && !optional {
					t.Fatalf("code %d of %d", c, x.dict.size())
				}
				if c >= 0 && leaf.Physical == format.ByteArray {
					x.Bytes(int(c))
				} else if c >= 0 {
					x.Int(int(c))
				}
			}
		}
		if rows != int(values) {
			t.Fatalf("%d rows, want %d", rows, values)
		}
	})
}
