package parquetraw

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/page"
)

func TestOpenChunkSaysWhere(t *testing.T) {
	file := smallFile(t, 2, 50)
	f, err := ReadFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	clear(file[f.Groups[1].Chunks[1].Start:][:4])
	for group, want := range []string{"", `column "age", row group 1: `} {
		x, err := f.OpenChunk(bytes.NewReader(file), group, 1)
		if err != nil {
			t.Fatal(err)
		}
		n, err := x.Next(make([]int32, 50))
		x.Close()
		var fe *fault.Error
		switch {
		case want == "" && (err != nil || n != 50):
			t.Errorf("row group %d: %d values, %v", group, n, err)
		case want != "" && (!errors.As(err, &fe) || !strings.HasPrefix(fe.What, want)):
			t.Errorf("row group %d: %v", group, err)
		}
	}
	if _, err := f.OpenChunk(bytes.NewReader(file), 0, 2); err == nil || !strings.HasPrefix(err.Error(), `column "tags.list.element", row group 0: `) {
		t.Errorf("a nested column: %v", err)
	}
}

func FuzzChunk(f *testing.F) {
	file := smallFile(f, 1, 50)
	footer, err := ReadFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		f.Fatal(err)
	}
	for i, c := range footer.Groups[0].Chunks[:2] {
		f.Add(file[c.Start:c.Start+c.Size], uint8(c.Physical), i == 1, uint8(c.Codec), uint16(50))
	}
	f.Add([]byte{}, uint8(0), true, uint8(0), uint16(1))
	f.Fuzz(func(t *testing.T, b []byte, physical uint8, optional bool, codec uint8, values uint16) {
		leaf := Leaf{Path: []string{"a"}, Physical: format.Physical(physical)}
		if optional {
			leaf.Repetition = format.Optional
		}
		chunk := Chunk{Size: int64(len(b)), Values: int64(values), Codec: page.Codec(codec), Physical: leaf.Physical}
		footer := &Footer{Leaves: []Leaf{leaf}, Groups: []RowGroup{{Rows: int64(values), Chunks: []Chunk{chunk}}}}
		x, err := footer.OpenChunk(bytes.NewReader(b), 0, 0)
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
				if c < page.Null || int(c) >= x.Codes() || c == page.Null && !optional {
					t.Fatalf("code %d of %d", c, x.Codes())
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
