package colfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/io/colfile/letter"
	"github.com/tacet-privacy/tacet/io/parquetraw"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

// refused opens and scans, and expects an InputError with these words.
func refused(t *testing.T, file []byte, r Request, what, hint string) {
	t.Helper()
	f, err := Open(inMemory(file), r)
	if err == nil {
		_, _, err = f.Scan(context.Background())
	}
	var input *InputError
	if !errors.As(err, &input) {
		t.Fatalf("error %v, want an InputError with %q", err, what)
	}
	if !strings.Contains(input.What, what) || !strings.Contains(input.Hint, hint) {
		t.Fatalf("refused with %q and hint %q, want %q and %q", input.What, input.Hint, what, hint)
	}
}

// editFooter writes the footer of file anew after edit changed it.
func editFooter(t *testing.T, file []byte, edit func(f *parquetraw.Footer)) []byte {
	t.Helper()
	f, err := parquetraw.ReadFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	edit(f)
	out := f.Meta.Append(bytes.Clone(file[:f.Start]))
	out = binary.LittleEndian.AppendUint32(out, uint32(int64(len(out))-f.Start))
	return append(out, "PAR1"...)
}

// chunkOf is the ColumnChunk of a leaf in a row group.
func chunkOf(f *parquetraw.Footer, group, leaf int) *thrift.Struct {
	return f.Meta.Get(format.MetaGroups).List().At(group).Struct().Get(format.GroupChunks).List().At(leaf).Struct()
}

// columnOf is its ColumnMetaData.
func columnOf(f *parquetraw.Footer, group, leaf int) *thrift.Struct {
	return chunkOf(f, group, leaf).Get(format.ChunkMeta).Struct()
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
		{parquet.Group{"x": parquet.Int(32), "y": parquet.String()}, "nested or repeated (struct(x, y))", "a column of their own"},
		{parquet.Repeated(parquet.String()), "nested or repeated (list of string)", "a column of their own"},
	} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[any](&b, parquet.NewSchema("test", parquet.Group{"c": c.node, "d": parquet.String()}))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		refused(t, b.Bytes(), Request{Private: []string{"c"}}, c.what, c.hint)
		if f, err := Open(inMemory(b.Bytes()), Request{Private: []string{"d"}}); err != nil {
			t.Errorf("a neighbour of type %s is in the way: %v", c.what, err)
		} else if len(f.Columns()) != 2 {
			t.Errorf("%d columns, want 2", len(f.Columns()))
		}
	}
}

func TestParquetRefusesRequests(t *testing.T) {
	c := []cells{makeCells(Type{Kind: Text}, 5, 5, nil)}
	file := writeParquetGo(t, 10, nil, c)
	refused(t, file, Request{Private: []string{"q"}}, `no column "q"`, "its columns are A, a, z")
	refused(t, file, Request{Private: []string{"a"}, Drop: []string{"q"}}, `no column "q"`, "")
	refused(t, file, Request{Private: []string{"a"}, Beside: []string{"q"}}, `no column "q"`, "")
	refused(t, file, Request{Private: []string{"a", "a"}}, "named twice", "")
	refused(t, file, Request{Private: []string{"a"}, Drop: []string{"a"}}, "dropped", "")
	refused(t, file, Request{Private: []string{"z.x"}}, `nested in "z"`, "")
	refused(t, file, Request{Private: []string{"z"}}, "nested or repeated", "")
	twice := editFooter(t, file, func(f *parquetraw.Footer) {
		f.Meta.Get(format.MetaSchema).List().At(1).Struct().Set(4, thrift.String("a"))
	})
	refused(t, twice, Request{Private: []string{"a"}}, "two columns", "rename")
}

func TestParquetRefusesCodecsByNameInThePrivateColumnOnly(t *testing.T) {
	c := []cells{makeCells(Type{Kind: Text}, 500, 5, nil), makeCells(Type{Kind: Integer, Bits: 32, Unsigned: false}, 500, 5, nil)}
	file := writeArrowGo(t, 200, c)
	for codec, name := range map[int64]string{3: "LZO", 5: "LZ4", 7: "LZ4_RAW", 99: "codec 99"} {
		edited := editFooter(t, file, func(f *parquetraw.Footer) {
			columnOf(f, 1, 0).Set(format.ColumnCodec, thrift.Int(thrift.I32, codec))
		})
		refused(t, edited, Request{Private: []string{"a"}}, "compression "+name+" is not supported", "zstd")
		checkFile(t, edited, []string{"b"}, c[1])
	}
}

func TestParquetRefusesEncryption(t *testing.T) {
	file := writeArrowGo(t, 200, []cells{makeCells(Type{Kind: Text}, 20, 5, nil)})
	empty := thrift.StructValue(thrift.NewStruct())
	r := Request{Private: []string{"a"}}
	refused(t, editFooter(t, file, func(f *parquetraw.Footer) { f.Meta.Set(format.MetaEncryption, empty) }), r, "encrypted", "decrypt")
	refused(t, editFooter(t, file, func(f *parquetraw.Footer) { chunkOf(f, 0, 0).Set(format.ChunkCrypto, empty) }), r, "encrypted", "decrypt")
	sealed := append(bytes.Clone(file[:len(file)-4]), "PARE"...)
	refused(t, sealed, r, "encrypted", "decrypt")
	copy(sealed, "PARE")
	refused(t, sealed, r, "encrypted", "decrypt")
}

func TestParquetRefusesByteStreamSplit(t *testing.T) {
	c := []cells{makeCells(Type{Kind: Integer, Bits: 32, Unsigned: false}, 20, 5, nil)}
	file := writeArrowGo(t, 200, c, arrowparquet.WithDictionaryDefault(false), arrowparquet.WithEncoding(arrowparquet.Encodings.ByteStreamSplit))
	refused(t, file, Request{Private: []string{"a"}}, "BYTE_STREAM_SPLIT", "dictionary")
}

func TestParquetRefusesTooManyLetters(t *testing.T) {
	for _, dictionary := range []bool{true, false} {
		for _, rows := range []int{letter.Max, letter.Max + 1, 3 * letter.Max} {
			for _, null := range []bool{false, true} {
				c := cells{typ: Type{Kind: Text}, value: make([]Value, rows), null: make([]bool, rows)}
				for i := range c.value {
					c.value[i] = Value{Bytes: fmt.Sprint("id", i)}
				}
				if null {
					c.value = append(c.value, Value{})
					c.null = append(c.null, true)
				}
				if rows > letter.Max+1 && (dictionary || null) {
					continue
				}
				file := writeArrowGo(t, 1<<20, []cells{c}, arrowparquet.WithDictionaryDefault(dictionary), arrowparquet.WithDictionaryPageSizeLimit(1<<30))
				if rows == letter.Max && !null {
					checkFile(t, file, []string{"a"}, c)
				} else {
					refused(t, file, Request{Private: []string{"a"}}, "65535 distinct values", "bucket")
				}
			}
		}
	}
}

func TestParquetUnseenValueNamesColumnAndRowOnly(t *testing.T) {
	c := cells{typ: Type{Kind: Text}, value: make([]Value, 10000)}
	for i := range c.value {
		c.value[i].Bytes = "common"
	}
	c.value[7016].Bytes = "secretcell"
	for _, dict := range []bool{true, false} {
		f, err := Open(inMemory(writeArrowGo(t, 2000, []cells{c}, arrowparquet.WithDictionaryDefault(dict))), Request{Private: []string{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		in := []*Alphabet{NewAlphabet(c.typ, []Value{{Bytes: "common"}, {Bytes: "rare"}}, false)}
		rows := 0
		count := func(b Batch) error { rows += len(b.Letters[0]); return nil }
		for group := range 3 {
			if err := f.Read(context.Background(), group, in, count); err != nil {
				t.Fatal(err)
			}
		}
		err = f.Read(context.Background(), 3, in, count)
		if rows != 6000 || !errors.Is(err, ErrUnseen) || !strings.Contains(err.Error(), `column "a", row 7017:`) || strings.Contains(err.Error(), "secret") {
			t.Fatalf("after %d rows: %v", rows, err)
		}
	}
}

func TestParquetNullOutsideTheAlphabetIsMinusOne(t *testing.T) {
	c := makeCells(Type{Kind: Text}, 100, 3, nullPatterns[3].null)
	f, err := Open(inMemory(writeArrowGo(t, 2000, []cells{c})), Request{Private: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := c.counts()
	if err := f.Read(context.Background(), 0, []*Alphabet{a.Without()}, func(b Batch) error {
		c.check(t, a.Without(), 0, b.Letters[0])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestParquetStopsWhenCancelled(t *testing.T) {
	c := makeCells(Type{Kind: Text}, 20000, 3, nil)
	f, err := Open(inMemory(writeArrowGo(t, 1<<20, []cells{c})), Request{Private: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := c.counts()
	ctx, cancel := context.WithCancel(context.Background())
	batches := 0
	err = f.Read(ctx, 0, []*Alphabet{a}, func(Batch) error { batches++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || batches != 1 {
		t.Fatalf("%v after %d batches", err, batches)
	}
	if _, _, err := f.Scan(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestParquetRefusesNumbersOutsideTheType(t *testing.T) {
	const converted, logical, int8Type, uint16Type = 6, 10, 15, 12
	c := cells{typ: Type{Kind: Integer, Bits: 32, Unsigned: false}, value: []Value{{Int: 127}, {Int: -128}, {Int: 128}}}
	for typ, name := range map[int64]string{int8Type: "int8", uint16Type: "uint16"} {
		file := editFooter(t, writeArrowGo(t, 10, []cells{c}), func(f *parquetraw.Footer) {
			element := f.Meta.Get(format.MetaSchema).List().At(1).Struct()
			element.Delete(logical)
			element.Set(converted, thrift.Int(thrift.I32, typ))
		})
		refused(t, file, Request{Private: []string{"a"}}, "no "+name, "")
	}
}
