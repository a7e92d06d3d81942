package table_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/parquet-go/parquet-go"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/test/torture"
)

// keptFiles are small files in which column a is private and others of many
// kinds stay.
func keptFiles(t *testing.T) map[string][]byte {
	text, date := makeCells(table.Type{Kind: table.Text}, 300, 6, nullPatterns[5].null),
		makeCells(table.Type{Kind: table.Date}, 300, 90, nil)
	number := makeCells(table.Type{Kind: table.Integer, Bits: 64}, 300, 200, nullPatterns[5].null)
	columns := []cells{text, date, number, text}
	files := map[string][]byte{}
	for version := 1; version <= 2; version++ {
		files[fmt.Sprintf("parquet-go/v%d", version)] = writeParquetGo(t, 120, nil, columns,
			parquet.PageBufferSize(600), parquet.DataPageVersion(version), parquet.Compression(&parquet.Snappy))
	}
	files["parquet-go/dictionary"] = writeParquetGo(t, 120, &parquet.RLEDictionary, columns,
		parquet.Compression(&parquet.Zstd))
	for name, option := range map[string]arrowparquet.WriterProperty{"dictionary": arrowparquet.WithDictionaryDefault(
		true), "plain": arrowparquet.WithDictionaryDefault(false)} {
		files["arrow-go/"+name] = writeArrowGo(t, 120, columns, option, arrowparquet.WithDataPageSize(600),
			arrowparquet.WithStats(true))
	}
	return files
}

// TestParquetDamagedFooter changes footers. Where the file is rewritten all the
// same, both libraries read the whole output: damage in the metadata of other
// columns is not handed on.
func TestParquetDamagedFooter(t *testing.T) {
	rounds := 300
	if torture.Long() {
		rounds = 10_000
	}
	for name, whole := range keptFiles(t) {
		f, err := parquetmeta.ReadFooter(bytes.NewReader(whole), int64(len(whole)))
		must(t, err)
		start, end := int(f.Start), len(whole)-8
		for _, c := range []func([]byte) error{readWithArrowGo, readWithParquetGo} {
			if err := c(whole); err != nil {
				t.Fatalf("control: %s: %v", name, err)
			}
		}
		r := rand.New(rand.NewPCG(1, 1))
		refused, written := 0, 0
		for round := range rounds {
			bad := slices.Clone(whole)
			for range 1 + round%2 {
				at := start + r.IntN(end-start)
				if round%3 == 0 {
					bad[at] = byte(r.Uint32())
				} else {
					bad[at] ^= 1 << r.IntN(8)
				}
			}
			out, err := copied(bad)
			if err != nil {
				if !errors.As(err, new(*table.InputError)) {
					t.Errorf("%s, round %d: an error of another kind: %v", name, round, err)
				}
				refused++
				continue
			}
			written++
			if err := readWithArrowGo(out); err != nil && !lacks(err) {
				t.Errorf("%s, round %d: arrow-go cannot read the output: %.200v", name, round, err)
			}
			if err := readWithParquetGo(out); err != nil && !lacks(err) {
				t.Errorf("%s, round %d: parquet-go cannot read the output: %.200v", name, round, err)
			}
		}
		t.Logf("torture: %d damaged footers of %s: %d refused, %d written", rounds, name, refused, written)
		if refused < rounds/4 || written < rounds/50 {
			t.Errorf("control: %s: %d refused, %d written", name, refused, written)
		}
	}
}

// TestParquetWrongFooter: each change of one figure is refused for each column
// that stays, since some reader of the output would stumble over it.
func TestParquetWrongFooter(t *testing.T) {
	number := func(s *parquetmeta.Value, id int16) int64 {
		n, _ := s.Get(id).Int()
		return n
	}
	for name, whole := range keptFiles(t) {
		wrong := func(what string, change func(f *parquetmeta.Footer) bool) {
			f, err := parquetmeta.ReadFooter(bytes.NewReader(whole), int64(len(whole)))
			must(t, err)
			changed := change(f)
			footer := f.Meta.Encode(nil)
			b := append(bytes.Clone(whole[:f.Start]), footer...)
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), parquetmeta.Magic...)
			if _, err := copied(b); changed != errors.As(err, new(*table.InputError)) {
				t.Errorf("%s: %s (changed %t): %v", name, what, changed, err)
			}
		}
		wrong("control", func(*parquetmeta.Footer) bool { return false })
		f, err := parquetmeta.ReadFooter(bytes.NewReader(whole), int64(len(whole)))
		must(t, err)
		for leaf := range f.Leaves {
			if f.Leaves[leaf].Name() == "a" {
				continue
			}
			for _, more := range []int64{1, 8, 40} {
				wrong(fmt.Sprintf("column %d goes on %d bytes behind its pages", leaf, more),
					func(f *parquetmeta.Footer) bool {
						chunks := f.Meta.Get(parquetmeta.MetaGroups).At(len(f.Groups) - 1).Get(
							parquetmeta.GroupChunks)
						meta := chunks.At(leaf).Get(parquetmeta.ChunkMeta)
						meta.Set(parquetmeta.ColumnSize,
							parquetmeta.Int(parquetmeta.I64, number(meta, parquetmeta.ColumnSize)+more))
						return true
					})
			}
		}
		lists := 0
		schema := f.Meta.Get(parquetmeta.MetaSchema)
		for i := 1; i < schema.Len(); i++ {
			wrong(fmt.Sprintf("element %d is a repeated list", i), func(f *parquetmeta.Footer) bool {
				e := f.Meta.Get(parquetmeta.MetaSchema).At(i)
				if number(e, parquetmeta.ElementConverted) != 3 {
					return false
				}
				lists++
				e.Set(parquetmeta.ElementRepetition, parquetmeta.Int(parquetmeta.I32, 2))
				return true
			})
		}
		if lists == 0 && strings.HasPrefix(name, "parquet-go") {
			t.Errorf("control: %s has no list", name)
		}
	}
}

// TestParquetKeptValues: of the chunks of a column that stays, the values of one are
// decoded, of the first that has any; all others only as far as their headers.
func TestParquetKeptValues(t *testing.T) {
	const group, groups = 120, 4
	null := func(row int) bool { return row < 2*group }
	columns := []cells{makeCells(table.Type{Kind: table.Text}, group*groups, 6, nil),
		makeCells(table.Type{Kind: table.Text}, group*groups, 90, null)}
	whole := writeArrowGo(t, group, columns, arrowparquet.WithDictionaryDefault(false))
	f, err := parquetmeta.ReadFooter(bytes.NewReader(whole), int64(len(whole)))
	must(t, err)
	if len(f.Groups) != groups {
		t.Fatalf("control: %d row groups", len(f.Groups))
	}
	check := func(b []byte) error {
		f, err := open(inMemory(b), table.Request{Private: []string{"a"}, Threads: 1})
		must(t, err)
		return f.CheckKept(context.Background())
	}
	if err := check(whole); err != nil {
		t.Fatalf("control: %v", err)
	}
	for g, refused := range []bool{true, true, true, false} { // nulls are levels, which are tried until there is a value
		bad := bytes.Clone(whole)
		c := f.Groups[g].Chunks[1]
		for i := range min(c.Size/8, 40) { // its levels or lengths, behind the header
			bad[c.Start+c.Size-1-i] = 0xff
		}
		if err := check(bad); refused != errors.As(err, new(*table.InputError)) {
			t.Errorf("damaged values in row group %d: %v", g, err)
		}
	}
}

// copied rewrites a file as a run does, with every letter as it is.
func copied(b []byte) ([]byte, error) {
	f, err := open(inMemory(b), table.Request{Private: []string{"a"}, Threads: 1})
	if err != nil {
		return nil, err
	}
	if err := f.CheckKept(context.Background()); err != nil {
		return nil, err
	}
	in, _, err := f.Scan(context.Background())
	if err != nil {
		return nil, err
	}
	out := &memoryOutput{}
	if err := f.Rewrite(context.Background(), out, in, in, func(table.Batch) error { return nil }); err != nil {
		return nil, err
	}
	return out.b, nil
}

func readWithArrowGo(b []byte) (err error) {
	defer caught(&err)
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	defer r.Close()
	for g := range r.NumRowGroups() {
		for c := range r.MetaData().Schema.NumColumns() {
			m, err := r.RowGroup(g).MetaData().ColumnChunk(c)
			if err != nil {
				return err
			}
			if ok, err := m.StatsSet(); err != nil {
				return err
			} else if ok {
				if _, err := m.Statistics(); err != nil {
					return err
				}
			}
		}
	}
	_, err = parquetTable(b)
	return err
}

func readWithParquetGo(b []byte) error {
	_, err := readLeaves(b)
	return err
}

// lacks is a codec or a logical type (places, variants) that the format has and
// these libraries have not; a page without values is the same under every codec.
func lacks(err error) bool {
	return strings.Contains(err.Error(), "codec: LZ") || strings.Contains(err.Error(), "compression for LZ") ||
		strings.Contains(err.Error(), "invalid logical type")
}

func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}
