package table_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/test/torture"
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
	text, date := makeCells(table.Type{Kind: table.Text}, 240, 30, nullPatterns[5].null),
		makeCells(table.Type{Kind: table.Date}, 240, 40, nil)
	both := []cells{text, date}
	files := make(map[string][]byte)
	for name, e := range map[string]encoding.Encoding{"dictionary": &parquet.RLEDictionary, "plain": &parquet.Plain} {
		for version := 1; version <= 2; version++ {
			files[fmt.Sprintf("checked/%s/v%d", name, version)] = writeParquetGo(t, 150, e, both,
				parquet.PageBufferSize(300),
				parquet.DataPageVersion(version), parquet.Compression(&parquet.Snappy))
		}
	}
	files["checked/bytes"] = writeParquetGo(t, 150, &parquet.DeltaByteArray, []cells{text, text},
		parquet.PageBufferSize(300))
	files["checked/lengths"] = writeParquetGo(t, 150, &parquet.DeltaLengthByteArray, []cells{text, text},
		parquet.Compression(&parquet.Gzip))
	files["checked/deltas"] = writeParquetGo(t, 150, &parquet.DeltaBinaryPacked, []cells{date, date},
		parquet.Compression(&parquet.Brotli))
	bools := makeCells(table.Type{Kind: table.Boolean}, 240, 2, nullPatterns[5].null)
	files["checked/booleans"] = writeParquetGo(t, 150, &parquet.RLE, []cells{bools, bools},
		parquet.Compression(&parquet.Zstd))
	for name, option := range map[string]arrowparquet.WriterProperty{
		"dictionary": arrowparquet.WithDictionaryDefault(true), "plain": arrowparquet.WithDictionaryDefault(false),
		"mixed": arrowparquet.WithDictionaryPageSizeLimit(100),
	} {
		for _, v := range []arrowparquet.DataPageVersion{arrowparquet.DataPageV1, arrowparquet.DataPageV2} {
			files[fmt.Sprintf("unchecked/%s/%v", name, v)] = writeArrowGo(t, 150, both, option,
				arrowparquet.WithDataPageVersion(v),
				arrowparquet.WithDataPageSize(300), arrowparquet.WithBatchSize(25))
		}
	}
	return files
}

// damageableArrow are small files that take every path of the decoder.
func damageableArrow(t testing.TB) map[string][]byte {
	text := makeCells(table.Type{Kind: table.Text}, 90, 20, nullPatterns[5].null)
	number := makeCells(table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}, 90, 20, nil)
	files := make(map[string][]byte)
	for _, dt := range []arrow.DataType{
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.StringView},
	} {
		for i, codec := range arrowCodecs {
			beside := []int{2, len(arrowNeighbours), 0}[i]
			files[fmt.Sprint(dt, codec.name)] = writeArrow(t, 50, []arrow.DataType{dt, arrow.PrimitiveTypes.Int32},
				[]cells{text, number}, beside, codec.option...)
		}
	}
	return files
}

// work reads all letters of columns a and b and writes the file anew.
func work(file []byte) (content, error) {
	name := []string{"a", "b"}
	c, err := readAll(file, name)
	if err != nil {
		return c, err
	}
	f, err := open(inMemory(file), table.Request{Private: name, Threads: 2})
	if err != nil {
		return c, err
	}
	var to []*table.Alphabet
	for _, a := range c.Alphabets {
		to = append(to, shifted(a.Type(), map[bool]int{true: 2, false: 9}[a.Type().Kind == table.Boolean], a.Null() >= 0))
	}
	return c, f.Rewrite(context.Background(), discard{}, c.Alphabets, to, draw(to))
}

// discard is an Output that keeps nothing.
type discard struct{}

func (discard) WriteAt(b []byte, off int64) (int, error) { return len(b), nil }
func (discard) Truncate(int64) error                     { return nil }
func (discard) Fd() (uintptr, bool)                      { return 0, false }

// A damaged file ends in an InputError; where pages have checksums, else in the data that
// was written. It never panics or hangs, and what is allocated stays within a few pages or
// buffers of the largest size. Arrow IPC files hold no checksums.
func TestDamagedFiles(t *testing.T) {
	all := damageable(t)
	maps.Copy(all, damageableArrow(t))
	all["text"] = []byte("a,b,kept\nx,1,\"y\"\nz,2,\n\"x,\"\"\",1,q\nx,3,\n")
	rounds := 150 * len(all)
	if torture.Long() {
		rounds = 10_000_000
	}
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // hardly anything lives
	names := slices.Sorted(maps.Keys(all))
	want, refused, tried := map[string]content{}, map[string]int{}, 0
	for name, file := range all {
		var err error
		if want[name], err = work(file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for i := range torture.Within(t, rounds, 1) {
		name, round := names[i%len(names)], i/len(names)
		bad, paged := damaged(all[name], strings.HasPrefix(name, "checked"), round, torture.Rand(name, round))
		tried++
		var got content
		var err error
		used := torture.Guarded(torture.Most, func() {
			if round%4 < 2 {
				got, err = work(bad)
			} else {
				got, err = readAll(bad, []string{"a", "b"})
			}
		})
		switch {
		case used != nil:
			t.Fatalf("%s, round %d of seed %d: %v", name, round, torture.Seed(), used)
		case err != nil && !errors.As(err, new(*table.InputError)):
			t.Fatalf("%s, round %d of seed %d: error of another kind: %v", name, round, torture.Seed(), err)
		case err != nil:
			refused[name]++
		case paged && !reflect.DeepEqual(got, want[name]):
			t.Fatalf("%s, round %d of seed %d: damage reads as other data", name, round, torture.Seed())
		}
	}
	total := 0
	for _, name := range names {
		total += refused[name]
		if n := refused[name]; name != "text" && n < tried/len(names)/10 {
			t.Errorf("%s: only %d of %d damaged files were noticed", name, n, tried/len(names))
		}
	}
	t.Logf("torture: %d damaged files, %d refused", tried, total)
}

// damaged is a file with one to three wrong bytes: every second time in its footer, or, where
// its pages have checksums, in them; of text anywhere.
func damaged(file []byte, checked bool, round int, r *rand.Rand) (bad []byte, paged bool) {
	footer := 0
	switch {
	case bytes.HasPrefix(file, []byte("ARROW1")):
		footer = len(file) - 10 - int(binary.LittleEndian.Uint32(file[len(file)-10:]))
	case bytes.HasPrefix(file, []byte("PAR1")):
		footer = len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	}
	bad = bytes.Clone(file)
	for range 1 + round%3 {
		at := r.IntN(len(bad))
		switch {
		case round%2 == 0 && checked: // in pages and their headers
			at = r.IntN(footer)
		case round%2 == 0:
			at = footer + r.IntN(len(bad)-footer)
		}
		switch round % 5 {
		case 0:
			bad[at] = byte(r.Uint32())
		case 1: // a large or negative number
			bad[at] = []byte{0xff, 0x7f, 0x80, 0}[r.IntN(4)]
		default:
			bad[at] ^= 1 << r.IntN(8)
		}
	}
	return bad, checked && round%2 == 0
}

// TestDamageFound is what random damage found: a page header, which no checksum covers, that says another encoding.
func TestDamageFound(t *testing.T) {
	t.Setenv("TACET_SEED", "168221814")
	file := damageable(t)["checked/booleans"]
	bad, _ := damaged(file, true, 4346, torture.Rand("checked/booleans", 4346))
	if _, err := work(bad); !errors.As(err, new(*table.InputError)) {
		t.Errorf("another encoding: %v", err)
	}
}

// TestDamagedViews: no byte of an Arrow file with a dictionary of views makes arrow-go take what memory there is.
func TestDamagedViews(t *testing.T) {
	for name, file := range damageableArrow(t) {
		if !strings.Contains(name, "dictionary<values=string_view") || !strings.HasSuffix(name, "none") {
			continue
		}
		for at := range file {
			for _, b := range []byte{0, 1, 2} {
				bad := bytes.Clone(file)
				bad[at] = b
				used := torture.Guarded(torture.Most, func() {
					if _, err := readAll(bad, []string{"a"}); err != nil && !errors.As(err, new(*table.InputError)) {
						t.Errorf("%s: byte %d as %d: %v", name, at, b, err)
					}
				})
				if used != nil {
					t.Errorf("%s: byte %d as %d: %v", name, at, b, used)
				}
			}
		}
		return
	}
	t.Error("there is no such file")
}

func TestTruncatedFiles(t *testing.T) {
	all := map[string][]byte{"parquet": damageable(t)["checked/dictionary/v1"]}
	for name, file := range damageableArrow(t) {
		if strings.HasSuffix(name, "none") {
			all[name] = file
		}
	}
	for name, file := range all {
		for size := range len(file) {
			if _, err := readAll(file[:size], []string{"a"}); !errors.As(err, new(*table.InputError)) {
				t.Fatalf("%s: %d of %d bytes: %v", name, size, len(file), err)
			}
		}
	}
}

func FuzzArrow(f *testing.F) {
	for _, file := range damageableArrow(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if !bytes.HasPrefix(file, []byte("ARROW1\x00\x00")) {
			return
		}
		if _, err := work(file); err != nil && !errors.As(err, new(*table.InputError)) {
			t.Fatal(err)
		}
	})
}
