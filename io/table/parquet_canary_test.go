package table_test

import (
	"bytes"
	"fmt"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/parquet-go/parquet-go"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// everyPage is all bytes of a file, and every page once more decompressed.
func everyPage(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := bytes.Clone(b)
	for g := range r.NumRowGroups() {
		for c := range r.MetaData().Schema.NumColumns() {
			pages, err := r.RowGroup(g).GetColumnPageReader(c)
			if err != nil {
				t.Fatal(err)
			}
			for pages.Next() {
				all = append(all, pages.Page().Data()...)
			}
			if err := pages.Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// salted puts a token into every place of a file that is no column: gaps
// between the chunks and before the footer, where some writers put metadata,
// free metadata of chunks, and fields that are not in the format.
func salted(t *testing.T, b []byte, gap, free string) []byte {
	t.Helper()
	f, err := parquetmeta.ReadFooter(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	out := []byte(parquetmeta.Magic)
	pair := parquetmeta.StructValue(parquetmeta.NewStruct(parquetmeta.Field{ID: 1, Value: parquetmeta.String("note")},
		parquetmeta.Field{ID: 2, Value: parquetmeta.String(free)}))
	unknown := parquetmeta.String(free)
	for g := range f.Groups {
		for l, c := range f.Groups[g].Chunks {
			out = append(out, gap...)
			chunk, meta := chunkOf(f, g, l), columnOf(f, g, l)
			chunk.Set(parquetmeta.ChunkFileOffset, parquetmeta.Int(parquetmeta.I64, int64(len(out)-len(gap))))
			delta := int64(len(out)) - c.Start
			out = append(out, b[c.Start:c.Start+c.Size]...)
			shiftField(meta, parquetmeta.ColumnDataPage, delta)
			shiftField(meta, parquetmeta.ColumnDictionaryPage, delta)
			meta.Set(parquetmeta.ColumnKeyValue, parquetmeta.ListValue(parquetmeta.NewList(parquetmeta.Record, pair)))
			chunk.Set(100, unknown)
			if f.Leaves[l].Name() == "a" {
				meta.Set(100, unknown)
			}
		}
		f.Meta.Get(parquetmeta.MetaGroups).List().At(g).Struct().Set(100, unknown)
	}
	out = append(out, gap...)
	// Page indexes and bloom filters, and all the chunks once more as one gap.
	base := int64(len(out))
	out = append(out, b[:f.Start]...)
	for g := range f.Groups {
		for l := range f.Leaves {
			shiftField(chunkOf(f, g, l), parquetmeta.ChunkOffsetIndexOffset, base)
			shiftField(chunkOf(f, g, l), parquetmeta.ChunkColumnIndexOffset, base)
			shiftField(columnOf(f, g, l), parquetmeta.ColumnBloomOffset, base)
		}
	}
	schema := f.Meta.Get(parquetmeta.MetaSchema).List()
	schema.At(0).Struct().Set(100, unknown)
	for i := range f.Columns {
		if f.Columns[i].Name == "a" {
			schema.At(f.Columns[i].Element).Struct().Set(100, unknown)
		}
	}
	f.Meta.Set(100, unknown)
	at := int64(len(out))
	out = f.Meta.Append(out)
	size := uint32(int64(len(out)) - at)
	return append(append(out, byte(size), byte(size>>8), byte(size>>16), byte(size>>24)), "PAR1"...)
}

func shiftField(s *parquetmeta.Struct, id int16, delta int64) {
	if at, ok := s.Get(id).Int(); ok && at > 0 {
		s.Set(id, parquetmeta.Int(parquetmeta.I64, at+delta))
	}
}

// canaries are files whose column a is made of tokens, with all that writers
// can say about a column.
func canaries(t *testing.T, typ table.Type, k tokens) (map[string][]byte, cells) {
	t.Helper()
	c := makeCells(typ, 500, 5, nullPatterns[5].null)
	for row := range c.value {
		if !c.null[row] {
			c.value[row] = k.letter[row%len(k.letter)]
		}
	}
	word := typ.Label
	files := map[string][]byte{}
	for _, dict := range []bool{true, false} {
		for name, codec := range map[string]compress.Compression{"plain": compress.Codecs.Uncompressed,
			"zstd": compress.Codecs.Zstd} {
			files[fmt.Sprintf("arrow-go/%s/%v", name, dict)] = salted(t,
				shapes(t, arrowType(typ), c, map[string]string{"pandas": word(k.file)},
					arrowparquet.WithCompression(codec), arrowparquet.WithDictionaryDefault(dict),
					arrowparquet.WithPageIndexEnabled(true), arrowparquet.WithBloomFilterEnabled(true)), word(k.gap),
				word(k.field))
		}
	}
	if typ.Kind == table.Text {
		files["dictionary"] = salted(t, shapes(t, dictionaryOfText, c, map[string]string{"pandas": word(k.file)}),
			word(k.gap), word(k.field))
	}
	files["parquet-go"] = salted(t, writeParquetGo(t, 400, &parquet.RLEDictionary, []cells{c},
		parquet.BloomFilters(parquet.SplitBlockFilter(10, "a")),
		parquet.DataPageStatistics(true), parquet.KeyValueMetadata("pandas", word(k.file)),
		parquet.Compression(&parquet.Snappy)), word(k.gap), word(k.field))
	return files, c
}

func TestParquetCanary(t *testing.T) {
	text := table.Type{Kind: table.Text}
	for _, typ := range []table.Type{text, {Kind: table.Integer, Bits: 64, Unsigned: false}} {
		k := makeTokens(typ)
		files, c := canaries(t, typ, k)
		for name, file := range files {
			t.Run(fmt.Sprintf("%v/%s", typ, name), func(t *testing.T) {
				dropped := "s"
				if name == "parquet-go" {
					dropped = "A"
				}
				before := everyPage(t, file)
				for i, v := range append([]table.Value{k.gap, k.file, k.field}, k.letter...) {
					form := forms(typ, v)[0]
					if i < 3 {
						form = typ.Label(v)
					}
					if !bytes.Contains(before, []byte(form)) {
						t.Fatalf("control: token %d is not in the input", i)
					}
				}
				for _, to := range []*table.Alphabet{shifted(typ, 9, true), shifted(text, 9, true)} {
					for _, gone := range [][]string{nil, {dropped}} {
						after := rewriteParquet(t, file, table.Request{Private: []string{"a"}, Drop: gone,
							Metadata: []string{"kept"}}, false, to)
						checkParquet(t, file, after, gone, []string{"a"}, expected(c, to, false))
						all := everyPage(t, after)
						for i, v := range k.all() {
							for j, form := range forms(typ, v) {
								if at := bytes.Index(all, []byte(form)); at >= 0 {
									t.Fatalf("token %d in form %d stands in the output at %d of %d", i, j, at,
										len(after))
								}
							}
						}
						checkNoSideTables(t, after)
					}
				}
			})
		}
	}
}

// checkNoSideTables: no page index, no bloom filter, nothing but chunks, and
// zeros where a chunk took less than was reserved for it.
func checkNoSideTables(t *testing.T, b []byte) {
	t.Helper()
	f, err := parquetmeta.ReadFooter(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	rest := bytes.Clone(b[:f.Start])
	clear(rest[:len(parquetmeta.Magic)])
	for g := range f.Groups {
		for l, c := range f.Groups[g].Chunks {
			clear(rest[c.Start : c.Start+c.Size])
			if at, ok := chunkOf(f, g, l).Get(parquetmeta.ChunkFileOffset).Int(); !ok || at != 0 {
				t.Errorf("file_offset is %d", at)
			}
			for id := int16(parquetmeta.ChunkOffsetIndexOffset); id < 200; id++ {
				if chunkOf(f, g, l).Get(id) != nil {
					t.Errorf("column chunk has field %d", id)
				}
			}
			for _, id := range []int16{parquetmeta.ColumnKeyValue, parquetmeta.ColumnBloomOffset,
				parquetmeta.ColumnBloomLength, 100} {
				if columnOf(f, g, l).Get(id) != nil {
					t.Errorf("column metadata has field %d", id)
				}
			}
		}
	}
	if at := bytes.IndexFunc(rest, func(r rune) bool { return r != 0 }); at >= 0 {
		t.Errorf("byte %d is in no chunk and not zero", at)
	}
}
