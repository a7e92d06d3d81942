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
