package table_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/parquet-go/parquet-go"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// refused opens and scans, and expects an InputError with these words.
func refused(t *testing.T, file []byte, r table.Request, what, hint string) {
	t.Helper()
	f, err := open(inMemory(file), r)
	if err == nil {
		_, _, err = f.Scan(context.Background())
	}
	var input *table.InputError
	if !errors.As(err, &input) {
		t.Fatalf("error %v, want an InputError with %q", err, what)
	}
	if !strings.Contains(input.What, what) || !strings.Contains(input.Hint, hint) {
		t.Fatalf("refused with %q and hint %q, want %q and %q", input.What, input.Hint, what, hint)
	}
}

// editFooter writes the footer of file anew after edit changed it.
func editFooter(t *testing.T, file []byte, edit func(f *parquetmeta.Footer)) []byte {
	t.Helper()
	f, err := parquetmeta.ReadFooter(bytes.NewReader(file), int64(len(file)))
	must(t, err)
	edit(f)
	out := f.Meta.Encode(bytes.Clone(file[:f.Start]))
	out = binary.LittleEndian.AppendUint32(out, uint32(int64(len(out))-f.Start))
	return append(out, "PAR1"...)
}

// chunkOf is the ColumnChunk of a leaf in a row group.
func chunkOf(f *parquetmeta.Footer, group, leaf int) *parquetmeta.Value {
	return f.Meta.Get(parquetmeta.MetaGroups).At(group).Get(parquetmeta.GroupChunks).At(
		leaf)
}

// columnOf is its ColumnMetaData.
func columnOf(f *parquetmeta.Footer, group, leaf int) *parquetmeta.Value {
	return chunkOf(f, group, leaf).Get(parquetmeta.ChunkMeta)
}

func TestParquetRefusesTypesByName(t *testing.T) {
	for _, c := range []struct {
		node       parquet.Node
		what, hint string
	}{
		{parquet.Leaf(parquet.FloatType), "type float", "cast it to int64"},
		{parquet.Leaf(parquet.DoubleType), "type double", "cast it to int64"},
		{parquet.Leaf(parquet.Int96Type), "INT96", "cast it to date"},
		{parquet.Decimal(2, 9, parquet.Int32Type), "type decimal(9,2)", "cast it to"},
		{parquet.Decimal(2, 18, parquet.Int64Type), "type decimal(18,2)", "cast it to"},
		{parquet.Timestamp(parquet.Microsecond), "type timestamp[us, UTC]", "cast it to date"},
		{parquet.TimestampAdjusted(parquet.Nanosecond, false), "type timestamp[ns]", "cast it to date"},
		{parquet.Time(parquet.Millisecond), "type time[ms]", "cast it to string"},
		{parquet.Time(parquet.Nanosecond), "type time[ns]", "cast it to string"},
		{parquet.UUID(), "type uuid", "cast it to string"},
		{parquet.IntervalNode(), "type interval", "cast it to string"},
		{parquet.Leaf(parquet.FixedLenByteArrayType(3)), "type fixed_len_byte_array(3)", "cast it to string"},
		{parquet.List(parquet.String()), "nested or repeated (list)", "a column of their own"},
		{parquet.Map(parquet.String(), parquet.Int(32)), "nested or repeated (map)", "a column of their own"},
		{parquet.Group{"x": parquet.Int(32), "y": parquet.String()}, "nested or repeated (struct(x, y))",
			"a column of their own"},
		{parquet.Repeated(parquet.String()), "nested or repeated (list of string)", "a column of their own"},
	} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[any](&b,
			parquet.NewSchema("test", parquet.Group{"c": c.node, "d": parquet.String()}))
		must(t, w.Close())
		refused(t, b.Bytes(), table.Request{Private: []string{"c"}}, c.what, c.hint)
		if f, err := open(inMemory(b.Bytes()), table.Request{Private: []string{"d"}}); err != nil {
			t.Errorf("a neighbour of type %s is in the way: %v", c.what, err)
		} else if len(f.Columns()) != 2 {
			t.Errorf("%d columns, want 2", len(f.Columns()))
		}
	}
}

func TestParquetRefusesTwoColumnsOfOneName(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 5, 5, nil)
	twice := editFooter(t, writeParquetGo(t, 10, nil, []cells{c}), func(f *parquetmeta.Footer) {
		f.Meta.Get(parquetmeta.MetaSchema).At(1).Set(4, parquetmeta.String("a"))
	})
	refused(t, twice, table.Request{Private: []string{"a"}}, "two columns", "rename")
	for name, what := range map[string]string{"z.x": `nested in "z"`, "z": "nested or repeated"} {
		refused(t, twice, table.Request{Private: []string{name}}, what, "")
	}
}

func TestParquetRefusesCodecsByNameInThePrivateColumnOnly(t *testing.T) {
	c := []cells{makeCells(table.Type{Kind: table.Text}, 500, 5, nil),
		makeCells(table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}, 500, 5, nil)}
	file := writeArrowGo(t, 200, c)
	for codec, name := range map[int64]string{3: "LZO", 5: "LZ4", 7: "LZ4_RAW", 99: "codec 99"} {
		edited := editFooter(t, file, func(f *parquetmeta.Footer) {
			columnOf(f, 1, 0).Set(parquetmeta.ColumnCodec, parquetmeta.Int(parquetmeta.I32, codec))
		})
		refused(t, edited, table.Request{Private: []string{"a"}}, "compression "+name+" is not supported", "zstd")
		checkFile(t, edited, []string{"b"}, c[1])
	}
}

func TestParquetRefusesEncryption(t *testing.T) {
	file := writeArrowGo(t, 200, []cells{makeCells(table.Type{Kind: table.Text}, 20, 5, nil)})
	empty := parquetmeta.NewStruct()
	r := table.Request{Private: []string{"a"}}
	refused(t, editFooter(t, file, func(f *parquetmeta.Footer) { f.Meta.Set(parquetmeta.MetaEncryption, empty) }), r,
		"encrypted", "decrypt")
	refused(t, editFooter(t, file, func(f *parquetmeta.Footer) {
		chunkOf(f, 0, 0).Set(parquetmeta.ChunkCrypto,
			empty)
	}), r, "encrypted", "decrypt")
	sealed := append(bytes.Clone(file[:len(file)-4]), "PARE"...)
	refused(t, sealed, r, "encrypted", "decrypt")
	copy(sealed, "PARE")
	refused(t, sealed, r, "encrypted", "decrypt")
}

func TestParquetOfByteStreams(t *testing.T) {
	c := []cells{makeCells(table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}, 20, 5, nil)}
	file := writeArrowGo(t, 200, c, arrowparquet.WithDictionaryDefault(false),
		arrowparquet.WithEncoding(arrowparquet.Encodings.ByteStreamSplit))
	checkFile(t, file, []string{"a"}, c[0])
}

func TestParquetRefusesNumbersOutsideTheType(t *testing.T) {
	const converted, logical, int8Type, uint16Type = 6, 10, 15, 12
	c := cells{typ: table.Type{Kind: table.Integer, Bits: 32, Unsigned: false},
		value: []table.Value{{Int: 127}, {Int: -128}, {Int: 128}}}
	for typ, name := range map[int64]string{int8Type: "int8", uint16Type: "uint16"} {
		file := editFooter(t, writeArrowGo(t, 10, []cells{c}), func(f *parquetmeta.Footer) {
			element := f.Meta.Get(parquetmeta.MetaSchema).At(1)
			element.Delete(logical)
			element.Set(converted, parquetmeta.Int(parquetmeta.I32, typ))
		})
		refused(t, file, table.Request{Private: []string{"a"}}, "outside the type "+name, "")
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
			f.Meta.Get(parquetmeta.MetaSchema).At(0).Set(5, parquetmeta.Int(parquetmeta.I32, 3))
		}},
		{"not a tree", func(f *parquetmeta.Footer) {
			f.Meta.Get(parquetmeta.MetaSchema).At(0).Set(5, parquetmeta.Int(parquetmeta.I32, 1))
		}},
		{"has no number of rows", func(f *parquetmeta.Footer) {
			group := f.Meta.Get(parquetmeta.MetaGroups).At(0)
			group.Set(parquetmeta.GroupRows, parquetmeta.Int(parquetmeta.I32, f.Groups[0].Rows))
		}},
		{"column chunks for", func(f *parquetmeta.Footer) {
			group := f.Meta.Get(parquetmeta.MetaGroups).At(0)
			first := group.Get(parquetmeta.GroupChunks).At(0)
			group.Set(parquetmeta.GroupChunks, parquetmeta.NewList(parquetmeta.Record, first))
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
			f.Meta.Get(parquetmeta.MetaGroups).At(0).Set(parquetmeta.GroupRows, n)
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
