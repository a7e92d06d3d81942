package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// content is all that can be read of the private columns.
type content struct {
	Alphabets []*table.Alphabet
	Counts    [][]int64
	Letters   [][]int32
}

func readAll(file []byte, name []string) (c content, err error) {
	f, err := open(inMemory(file), table.Request{Private: name, Threads: 1})
	if err != nil {
		return c, err
	}
	defer f.Close()
	if c.Alphabets, c.Counts, err = f.Scan(context.Background()); err != nil {
		return c, err
	}
	c.Letters = make([][]int32, len(name))
	for group := range f.Units() {
		if err := f.Read(context.Background(), group, c.Alphabets, func(b table.Batch) error {
			for i := range b.Letters {
				c.Letters[i] = append(c.Letters[i], b.Letters[i]...)
			}
			return nil
		}); err != nil {
			return c, err
		}
	}
	return c, nil
}

// damageable are small files that take every path of the decoder, with and
// without page checksums.
func damageable(t testing.TB) map[string][]byte {
	text, date := makeCells(table.Type{Kind: table.Text}, 700, 60, nullPatterns[5].null),
		makeCells(table.Type{Kind: table.Date}, 700, 90, nil)
	both := []cells{text, date}
	files := make(map[string][]byte)
	for name, e := range map[string]encoding.Encoding{"dictionary": &parquet.RLEDictionary, "plain": &parquet.Plain} {
		for version := 1; version <= 2; version++ {
			files[fmt.Sprintf("checked/%s/v%d", name, version)] = writeParquetGo(t, 300, e, both,
				parquet.PageBufferSize(600),
				parquet.DataPageVersion(version), parquet.Compression(&parquet.Snappy))
		}
	}
	files["checked/bytes"] = writeParquetGo(t, 300, &parquet.DeltaByteArray, []cells{text, text},
		parquet.PageBufferSize(600))
	files["checked/lengths"] = writeParquetGo(t, 300, &parquet.DeltaLengthByteArray, []cells{text, text},
		parquet.Compression(&parquet.Gzip))
	files["checked/deltas"] = writeParquetGo(t, 300, &parquet.DeltaBinaryPacked, []cells{date, date},
		parquet.Compression(&parquet.Brotli))
	bools := makeCells(table.Type{Kind: table.Boolean}, 700, 2, nullPatterns[5].null)
	files["checked/booleans"] = writeParquetGo(t, 300, &parquet.RLE, []cells{bools, bools},
		parquet.Compression(&parquet.Zstd))
	for name, option := range map[string]arrowparquet.WriterProperty{
		"dictionary": arrowparquet.WithDictionaryDefault(true), "plain": arrowparquet.WithDictionaryDefault(false),
		"mixed": arrowparquet.WithDictionaryPageSizeLimit(150),
	} {
		for _, v := range []arrowparquet.DataPageVersion{arrowparquet.DataPageV1, arrowparquet.DataPageV2} {
			files[fmt.Sprintf("unchecked/%s/%v", name, v)] = writeArrowGo(t, 300, both, option,
				arrowparquet.WithDataPageVersion(v),
				arrowparquet.WithDataPageSize(600), arrowparquet.WithBatchSize(50))
		}
	}
	return files
}

// A damaged file ends in an InputError; where pages have checksums, else in
// the data that was written. It never panics, and what is allocated stays
// within a few pages of the largest size.
func TestParquetDamagedFiles(t *testing.T) {
	rounds := 150
	if os.Getenv("TACET_TORTURE") != "" {
		rounds = 20000
	}
	for name, file := range damageable(t) {
		want, err := readAll(file, []string{"a", "b"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f, err := parquetmeta.ReadFooter(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		failed := 0
		for round := range rounds {
			bad := bytes.Clone(file)
			first := len(bad)
			for range 1 + round%3 {
				at := r.IntN(len(bad))
				if round%2 == 0 { // in pages and their headers
					at = r.IntN(int(f.Start))
				}
				first = min(first, at)
				if round%5 == 0 {
					bad[at] = byte(r.Uint32())
				} else {
					bad[at] ^= 1 << r.IntN(8)
				}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := readAll(bad, []string{"a", "b"})
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 400<<20 {
				t.Fatalf("%s, round %d: %d MiB allocated", name, round, used>>20)
			}
			var input *table.InputError
			switch {
			case err != nil && !errors.As(err, &input):
				t.Fatalf("%s, round %d: error of another kind: %v", name, round, err)
			case err != nil:
				failed++
			case round%2 == 0 && name[:7] == "checked" && !reflect.DeepEqual(got, want):
				t.Fatalf("%s, round %d: damage from byte %d on reads as other data without an error", name, round,
					first)
			}
		}
		t.Logf("torture: %d damaged files, %d refused", rounds, failed)
		if failed < rounds/10 {
			t.Errorf("%s: only %d of %d damaged files were noticed", name, failed, rounds)
		}
	}
}

func TestParquetTruncatedFiles(t *testing.T) {
	file := damageable(t)["checked/dictionary/v1"]
	for size := range len(file) {
		if _, err := readAll(file[:size], []string{"a"}); !errors.As(err, new(*table.InputError)) {
			t.Fatalf("%d of %d bytes: %v", size, len(file), err)
		}
	}
}

// shrinking is a file that becomes shorter after it was opened.
type shrinking struct {
	*bytes.Reader
	size int64
}

func (s shrinking) Size() int64               { return s.size }
func (s shrinking) Identity() (string, error) { return "", nil }

func TestParquetReadFailureIsNoInputError(t *testing.T) {
	file := damageable(t)["checked/dictionary/v1"]
	_, err := open(shrinking{bytes.NewReader(file[:len(file)-20]), int64(len(file))},
		table.Request{Private: []string{"a"}})
	if !errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(*table.InputError)) {
		t.Fatal(err)
	}
}

func TestParquetRefusesImpossibleLayouts(t *testing.T) {
	c := []cells{makeCells(table.Type{Kind: table.Text}, 500, 5, nil), makeCells(table.Type{Kind: table.Text}, 500, 5,
		nil)}
	file := writeArrowGo(t, 200, c)
	i64 := func(n int64) *parquetmeta.Value { return parquetmeta.Int(parquetmeta.I64, n) }
	for _, x := range []struct {
		what string
		edit func(f *parquetmeta.Footer)
	}{
		{"overlaps", func(f *parquetmeta.Footer) {
			columnOf(f, 1, 1).Set(parquetmeta.ColumnDataPage, i64(f.Groups[1].Chunks[0].Start+5))
			columnOf(f, 1, 1).Delete(parquetmeta.ColumnDictionaryPage)
		}},
		{"not inside the data", func(f *parquetmeta.Footer) {
			columnOf(f, 1, 1).Set(parquetmeta.ColumnSize,
				i64(int64(len(file))))
		}},
		{"not inside the data", func(f *parquetmeta.Footer) {
			columnOf(f, 1, 1).Set(parquetmeta.ColumnDataPage, i64(f.Start+1))
			columnOf(f, 1, 1).Delete(parquetmeta.ColumnDictionaryPage)
		}},
		{"negative", func(f *parquetmeta.Footer) { columnOf(f, 1, 1).Set(parquetmeta.ColumnSize, i64(-1)) }},
		{"500 rows, and the footer claims 501", func(f *parquetmeta.Footer) { f.Meta.Set(parquetmeta.MetaRows, i64(501)) }},
		{"more rows than the file", func(f *parquetmeta.Footer) { f.Meta.Set(parquetmeta.MetaRows, i64(499)) }},
		{"201 values for 200 rows", func(f *parquetmeta.Footer) {
			columnOf(f, 0, 0).Set(parquetmeta.ColumnValues,
				i64(201))
		}},
		{"other files", func(f *parquetmeta.Footer) {
			chunkOf(f, 0, 1).Set(parquetmeta.ChunkFilePath, parquetmeta.String("part-0"))
		}},
		{"another type", func(f *parquetmeta.Footer) {
			columnOf(f, 0, 1).Set(parquetmeta.ColumnPhysical, parquetmeta.Int(parquetmeta.I32, 1))
		}},
		{"not a tree", func(f *parquetmeta.Footer) {
			f.Meta.Get(parquetmeta.MetaSchema).List().At(0).Struct().Set(5, parquetmeta.Int(parquetmeta.I32, 3))
		}},
		{"not a tree", func(f *parquetmeta.Footer) {
			f.Meta.Get(parquetmeta.MetaSchema).List().At(0).Struct().Set(5, parquetmeta.Int(parquetmeta.I32, 1))
		}},
		{"column chunks for", func(f *parquetmeta.Footer) {
			f.Meta.Get(parquetmeta.MetaGroups).List().At(0).Struct().Get(parquetmeta.GroupChunks).List().Delete(1)
		}},
	} {
		refused(t, editFooter(t, file, x.edit), table.Request{Private: []string{"a"}}, x.what, "")
	}
}

// Rows and values of the footer agree, and the pages hold fewer or more.
func TestParquetCountsRows(t *testing.T) {
	c := []cells{makeCells(table.Type{Kind: table.Text}, 500, 5, nil)}
	file := writeArrowGo(t, 1000, c)
	for rows, what := range map[int64]string{501: "1 values fewer than the column chunk",
		499: "more values than the column chunk"} {
		n := parquetmeta.Int(parquetmeta.I64, rows)
		edited := editFooter(t, file, func(f *parquetmeta.Footer) {
			f.Meta.Set(parquetmeta.MetaRows, n)
			f.Meta.Get(parquetmeta.MetaGroups).List().At(0).Struct().Set(parquetmeta.GroupRows, n)
			columnOf(f, 0, 0).Set(parquetmeta.ColumnValues, n)
		})
		refused(t, edited, table.Request{Private: []string{"a"}}, what, "")
	}
}

// Some writers leave out where the dictionary page is: the data then begin
// with it.
func TestParquetFindsDictionaryThatTheFooterDoesNotName(t *testing.T) {
	c := []cells{makeCells(table.Type{Kind: table.Text}, 500, 50, nullPatterns[5].null),
		makeCells(table.Type{Kind: table.Integer, Bits: 64, Unsigned: false}, 500, 5, nil)}
	edited := editFooter(t, writeArrowGo(t, 200, c), func(f *parquetmeta.Footer) {
		for group := range f.Groups {
			for leaf := range f.Leaves {
				m := columnOf(f, group, leaf)
				m.Set(parquetmeta.ColumnDataPage, m.Get(parquetmeta.ColumnDictionaryPage))
				m.Delete(parquetmeta.ColumnDictionaryPage)
			}
		}
	})
	checkFile(t, edited, []string{"a", "b"}, c...)
}
