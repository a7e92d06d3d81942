package splice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/tacet-privacy/tacet/io/table"
)

// held is a file in memory.
type held struct{ *bytes.Reader }

func (held) Identity() (string, error) { return "held", nil }

// TestBeginning: the first rows of a row group are the same where only the beginning of its
// pages is decompressed, and where later values turn out to be longer than those before.
func TestBeginning(t *testing.T) {
	type record struct {
		Number  int64    `parquet:"number,plain"`
		Some    *float64 `parquet:"some,optional,plain"`
		Text    string   `parquet:"text,plain"`
		Growing string   `parquet:"growing,plain"`
		Late    string   `parquet:"late,plain"`
		Few     string   `parquet:"few,dict"`
		Delta   int64    `parquet:"delta,delta"`
		Split   float64  `parquet:"split,split"`
		Truth   bool     `parquet:"truth"`
	}
	const rows, wanted = 60_000, 9_000
	late := func(i int) int { // long where the second and third batches are
		if i > 5000 && i < wanted {
			return 200 + i%7
		}
		return i % 7
	}
	all := make([]record, rows)
	for i := range all {
		f := float64(i) / 7
		all[i] = record{Number: int64(i) * 7919 % 100_003, Text: fmt.Sprint(i * 31 % 4801), Few: fmt.Sprint(i * i % 97),
			Growing: strings.Repeat("g", i/2000), Late: strings.Repeat("s", late(i)), Delta: int64(i * i),
			Split: f, Truth: i%3 == 0}
		if i%5 > 0 {
			all[i].Some = &f
		}
	}
	for name, codec := range map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy,
		"zstd": &parquet.Zstd, "gzip": &parquet.Gzip, "brotli": &parquet.Brotli} {
		for _, version := range []int{1, 2} {
			var b bytes.Buffer
			w := parquet.NewGenericWriter[record](&b, parquet.Compression(codec), parquet.PageBufferSize(64<<20),
				parquet.DataPageVersion(version))
			if _, err := w.Write(all); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := open(held{bytes.NewReader(b.Bytes())}, table.Request{})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range f.Columns() {
				whole, some := cellsOf(t, f, c.Name, 0), cellsOf(t, f, c.Name, wanted)
				if len(whole) < rows || len(some) < wanted {
					t.Fatalf("%s %d, %s: %d and %d rows", name, version, c.Name, len(whole), len(some))
				}
				for i, v := range some {
					if v != whole[i] {
						t.Fatalf("%s %d, %s: row %d is %q, want %q", name, version, c.Name, i, v, whole[i])
					}
				}
			}
		}
	}
}

// cellsOf are the cells of a column as texts, as many as are wanted or all.
func cellsOf(t *testing.T, f table.File, name string, wanted int64) (all []string) {
	t.Helper()
	only, err := f.(table.Columnar).Only([]string{name}, wanted)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	err = only.Read(context.Background(), 0, nil, func(b table.Batch) error {
		v := &b.Beside[0]
		texts := v.Type.Form == table.TextCells || v.Type.Form == table.BinaryCells
		for i := range v.Code {
			switch {
			case v.Null(i):
				all = append(all, "null")
			case texts:
				all = append(all, "="+string(v.Bytes(i)))
			default:
				all = append(all, fmt.Sprint(v.Int(i)))
			}
		}
		if wanted > 0 && int64(len(all)) >= wanted {
			return enough
		}
		return nil
	})
	if err != nil && err != enough {
		t.Fatal(err)
	}
	return all
}
