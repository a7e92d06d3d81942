package verify_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	parquetpage "github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/pipeline"
)

// union is a LogicalType.
func union(member int16, field ...parquetmeta.Field) *parquetmeta.Value {
	return parquetmeta.NewStruct(parquetmeta.Field{ID: member,
		Value: parquetmeta.NewStruct(field...)})
}

// logicals are all members of the union LogicalType, and some that there are
// not yet.
func logicals() (all []*parquetmeta.Value) {
	empty := parquetmeta.NewStruct()
	for _, member := range []int16{1, 2, 3, 4, 6, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 77} {
		all = append(all, union(member))
	}
	all = append(all, union(5, parquetmeta.Field{ID: 1, Value: parquetmeta.Int(parquetmeta.I32, 2)},
		parquetmeta.Field{ID: 2, Value: parquetmeta.Int(parquetmeta.I32, 9)}))
	for _, member := range []int16{7, 8} {
		for unit := int16(1); unit <= 4; unit++ {
			of := parquetmeta.NewStruct(parquetmeta.Field{ID: unit, Value: empty})
			all = append(all, union(member, parquetmeta.Field{ID: 1, Value: parquetmeta.Bool(unit == 2)},
				parquetmeta.Field{ID: 2, Value: of}))
		}
	}
	for _, bits := range []byte{8, 16, 32, 64} {
		for _, signed := range []byte{0x11, 0x12} { // true, false
			// field 10: field 1 a byte, field 2 a flag
			member, _, err := parquetmeta.ParseStruct([]byte{0xac, 0x13, bits, signed, 0, 0})
			if err != nil {
				panic(err)
			}
			all = append(all, member)
		}
	}
	return append(all, union(17, parquetmeta.Field{ID: 1, Value: parquetmeta.String("OGC:CRS84")}))
}

// An annotation is what a column of a Parquet file is annotated with; -1 and nil are
// nothing.
type annotation struct {
	converted int64
	logical   *parquetmeta.Value
}

// annotations are all there are, older and newer.
func annotations() []annotation {
	all := []annotation{{-1, nil}}
	for c := range int64(24) {
		all = append(all, annotation{c, nil})
	}
	all = append(all, annotation{99, nil})
	for _, l := range logicals() {
		all = append(all, annotation{-1, l})
	}
	return all
}

// future reports that the format does not have it yet, or that there is none.
func (a annotation) future() bool {
	return a.converted < 0 && (a.logical == nil || a.logical.View().Fields()[0].ID > 18)
}

func (a annotation) set(element *parquetmeta.Value) {
	if a.converted >= 0 {
		element.Set(parquetmeta.ElementConverted, parquetmeta.Int(parquetmeta.I32, a.converted))
	}
	if a.logical != nil {
		element.Set(parquetmeta.ElementLogical, a.logical)
	}
}

// parquetOf writes three row groups of these columns. A required leaf has
// values, c among them those of five letters; others are null throughout, but
// for an optional c.
func parquetOf(t *testing.T, rows int, fields schema.FieldList, option ...parquet.WriterProperty) []byte {
	t.Helper()
	return parquetOfN(t, 3, rows, fields, option...)
}

func parquetOfN(t *testing.T, groups, rows int, fields schema.FieldList, option ...parquet.WriterProperty) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	must(t, err)
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(option...)))
	for range groups {
		g := w.AppendRowGroup()
		for range w.NumColumns() {
			c, err := g.NextColumn()
			must(t, err)
			must(t, writeLeaf(c, rows))
			must(t, c.Close())
		}
		must(t, g.Close())
	}
	must(t, w.Close())
	return b.Bytes()
}

func writeLeaf(c file.ColumnChunkWriter, rows int) error {
	d := c.Descr()
	var def, rep []int16
	n := rows
	if d.MaxDefinitionLevel() > 0 {
		def, n = make([]int16, rows), 0
		for i := range def {
			if d.Name() == "c" && i%9 != 4 {
				def[i] = 1
				n++
			}
		}
	}
	if d.MaxRepetitionLevel() > 0 {
		rep = make([]int16, rows)
	}
	letter := func(i int) int { return max(0, i%8-3) } // 0 to 4, the first more often
	var err error
	switch w := c.(type) {
	case *file.BooleanColumnChunkWriter:
		v := make([]bool, n)
		for i := range v {
			v[i] = letter(i) < 2
		}
		_, err = w.WriteBatch(v, def, rep)
	case *file.Int32ColumnChunkWriter:
		v := make([]int32, n)
		for i := range v {
			v[i] = int32(letter(i))
		}
		_, err = w.WriteBatch(v, def, rep)
	case *file.Int64ColumnChunkWriter:
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(letter(i))
		}
		_, err = w.WriteBatch(v, def, rep)
	case *file.Int96ColumnChunkWriter:
		_, err = w.WriteBatch(make([]parquet.Int96, n), def, rep)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(make([]float32, n), def, rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(make([]float64, n), def, rep)
	case *file.ByteArrayColumnChunkWriter:
		v := make([]parquet.ByteArray, n)
		for i := range v {
			v[i] = parquet.ByteArray{"12345"[letter(i)]}
		}
		_, err = w.WriteBatch(v, def, rep)
	case *file.FixedLenByteArrayColumnChunkWriter:
		v := make([]parquet.FixedLenByteArray, n)
		for i := range v {
			v[i] = parquet.FixedLenByteArray("a fixed text"[:d.TypeLength()])
		}
		_, err = w.WriteBatch(v, def, rep)
	default:
		err = fmt.Errorf("no values for %T", c)
	}
	return err
}

// annotated edits the schema elements of a file, by name.
func annotated(t *testing.T, in []byte, edit func(name string, element *parquetmeta.Value)) []byte {
	t.Helper()
	f, err := parquetmeta.ReadFooter(bytes.NewReader(in), int64(len(in)))
	must(t, err)
	list := f.Meta.Get(parquetmeta.MetaSchema)
	for i := 1; i < list.Len(); i++ {
		e := list.At(i)
		name, _ := e.Get(parquetmeta.ElementName).Bytes()
		edit(string(name), e)
	}
	footer := f.Meta.Encode(nil)
	out := append(bytes.Clone(in[:f.Start]), footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, parquetmeta.Magic...)
}

func leafOf(t *testing.T, name string, physical parquet.Type, repetition parquet.Repetition) schema.Node {
	t.Helper()
	length := int32(-1)
	if physical == parquet.Types.FixedLenByteArray {
		length = 12
	}
	n, err := schema.NewPrimitiveNode(name, repetition, physical, -1, length)
	must(t, err)
	return n
}

// Every physical type with every annotation, and groups with every one, stand
// beside a private column, and verify reads what run publishes. Where a column
// cannot be so annotated, run refuses the file, and takes it without the column.
// What the format does not have yet may stand anywhere.
func TestFollowsKeptParquet(t *testing.T) {
	all := annotations()
	fields := schema.FieldList{leafOf(t, "c", parquet.Types.ByteArray, parquet.Repetitions.Required)}
	for physical := parquet.Types.Boolean; physical <= parquet.Types.FixedLenByteArray; physical++ {
		for a := range all {
			fields = append(fields, leafOf(t, fmt.Sprintf("%d %d", physical, a), physical, parquet.Repetition(a%3)))
		}
	}
	for a := range all {
		name := func(of string) string { return fmt.Sprintf("%s %d", of, a) }
		inner, err := schema.NewGroupNode(name("inner"), parquet.Repetitions.Repeated,
			schema.FieldList{leafOf(t, "x", parquet.Types.Int64, parquet.Repetitions.Optional),
				leafOf(t, "y", parquet.Types.ByteArray, parquet.Repetitions.Required)}, -1)
		must(t, err)
		outer, err := schema.NewGroupNode(name("outer"), parquet.Repetition(a%3), schema.FieldList{inner}, -1)
		must(t, err)
		fields = append(fields, outer)
	}
	file := parquetOf(t, 40, fields)
	file = annotated(t, file, func(name string, element *parquetmeta.Value) {
		var of string
		var a int
		if n, _ := fmt.Sscanf(name, "%s %d", &of, &a); n == 2 {
			all[a].set(element)
			if a%5 == 0 {
				element.Set(parquetmeta.ElementFieldID, parquetmeta.Int(parquetmeta.I32, int64(a)))
			}
			if a%7 == 0 {
				element.Set(177, parquetmeta.Int(parquetmeta.I32, int64(a))) // a field that there is not yet
			}
		}
	})
	o := pipeline.Options{Utility: "ordered:1,2,3,4,5"}
	if follows(t, file, ".parquet", o) {
		t.Error("the run takes texts for numbers")
	}
	f, err := parquetmeta.ReadFooter(bytes.NewReader(file), int64(len(file)))
	must(t, err)
	for i, c := range f.Columns {
		if parquetpage.CheckKept(f, f.Schema(), bytes.NewReader(file), i) == nil {
			continue
		}
		o.Drop = append(o.Drop, c.Name)
		var of string
		var a int
		if n, _ := fmt.Sscanf(c.Name, "%s %d", &of, &a); n != 2 || all[a].future() {
			t.Errorf("%q is refused", c.Name)
		}
	}
	t.Logf("%d of %d columns are refused", len(o.Drop), len(f.Columns))
	if !follows(t, file, ".parquet", o) {
		t.Error("the run refuses the file")
	}
}

// A private column of every physical type with every annotation, required and
// optional: what run takes, verify takes.
func TestFollowsPrivateParquet(t *testing.T) {
	published := 0
	for physical := parquet.Types.Boolean; physical <= parquet.Types.FixedLenByteArray; physical++ {
		for _, repetition := range []parquet.Repetition{parquet.Repetitions.Required, parquet.Repetitions.Optional} {
			plain := parquetOf(t, 40, schema.FieldList{leafOf(t, "k", parquet.Types.Int64, parquet.Repetitions.Required),
				leafOf(t, "c", physical, repetition)})
			for i, a := range annotations() {
				o := pipeline.Options{Utility: "ordered:1,2,3,4,5", Null: "public"}
				switch {
				case physical == parquet.Types.Boolean:
					o.Utility = "ordered:false,true"
				case physical == parquet.Types.Int32 || physical == parquet.Types.Int64:
					o.Utility = "numeric"
				}
				file := annotated(t, plain, func(name string, element *parquetmeta.Value) {
					if name == "c" {
						a.set(element)
					}
				})
				t.Run(fmt.Sprintf("%v %v %d", physical, repetition, i), func(t *testing.T) {
					if follows(t, file, ".parquet", o) {
						published++
					}
				})
			}
		}
	}
	if published < 60 {
		t.Errorf("only %d files were published", published)
	}
}

// Codecs, pages and encodings of the private column: each encoding of each
// type with two codecs and both kinds of pages.
func TestFollowsParquetPages(t *testing.T) {
	codecs := []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip,
		compress.Codecs.Zstd, compress.Codecs.Brotli}
	turn := 0
	encodingsOf := map[parquet.Type][]parquet.Encoding{
		parquet.Types.ByteArray: {parquet.Encodings.Plain, parquet.Encodings.DeltaByteArray,
			parquet.Encodings.DeltaLengthByteArray},
		parquet.Types.Int32:   {parquet.Encodings.Plain, parquet.Encodings.DeltaBinaryPacked},
		parquet.Types.Int64:   {parquet.Encodings.Plain, parquet.Encodings.DeltaBinaryPacked},
		parquet.Types.Boolean: {parquet.Encodings.Plain, parquet.Encodings.RLE},
	}
	for _, physical := range slices.Sorted(maps.Keys(encodingsOf)) {
		for _, repetition := range []parquet.Repetition{parquet.Repetitions.Required, parquet.Repetitions.Optional} {
			for i, encoding := range append([]parquet.Encoding{parquet.Encodings.PlainDict}, encodingsOf[physical]...) {
				for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
					codec := codecs[turn%len(codecs)]
					turn++
					option := []parquet.WriterProperty{parquet.WithCompression(codec), parquet.WithDataPageVersion(version),
						parquet.WithDictionaryDefault(i == 0),
						parquet.WithDataPageSize(50), parquet.WithBatchSize(10), parquet.WithPageIndexEnabled(true)}
					if i > 0 {
						option = append(option, parquet.WithEncodingFor("c", encoding))
					}
					o := pipeline.Options{Utility: "ordered:1,2,3,4,5", Null: "public"}
					switch physical {
					case parquet.Types.Boolean:
						o.Utility = "ordered:false,true"
					case parquet.Types.Int32, parquet.Types.Int64:
						o.Utility = "numeric"
					}
					t.Run(fmt.Sprintf("%v %v v%d %v %v", physical, codec, version+1, repetition, encoding), func(t *testing.T) {
						file := parquetOf(t, 40, schema.FieldList{leafOf(t, "k", parquet.Types.Double, parquet.Repetitions.Optional),
							leafOf(t, "c", physical, repetition)}, option...)
						if !follows(t, file, ".parquet", o) {
							t.Error("the run refuses the file")
						}
					})
				}
			}
		}
	}
}
