package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// follows runs a job on a file, column c of which is private, and wants every
// check of what was published to pass, with and without the input. It reports
// whether anything was published.
func follows(t *testing.T, file []byte, ext, utility string) bool {
	t.Helper()
	dir, seed := t.TempDir(), uint64(1)
	o := options{Input: filepath.Join(dir, "in"+ext), Output: filepath.Join(dir, "out"+ext), Column: "c",
		Report: filepath.Join(dir, "report"), Utility: utility, Epsilon: "3", Design: "safe", Null: "public",
		Audit: "off", TestSeed: &seed, AllowUnchanged: true} // two letters may be exchanged
	must(t, os.WriteFile(o.Input, file, 0o600))
	if _, err := pipeline.Run(t.Context(), o); err != nil {
		t.Logf("not published: %v", err)
		return false
	}
	q := verify.Request{Report: filepath.Join(o.Report, "report.json"), Output: o.Output, Input: o.Input}
	for range 2 {
		got, err := verify.Run(t.Context(), q)
		if err != nil {
			t.Errorf("with input %q: %v", filepath.Base(q.Input), err)
			return true
		}
		for _, c := range got.Checks {
			if c.Outcome.String() == "FAILED" {
				t.Errorf("with input %q: %s: %v: %s", filepath.Base(q.Input), c.Name, c.Outcome, c.Detail)
			}
		}
		q.Input = ""
	}
	return true
}

// mustFollow wants the file to be published, too.
func mustFollow(t *testing.T, file []byte, ext, utility string) {
	t.Helper()
	if !follows(t, file, ext, utility) {
		t.Error("the run refuses the file")
	}
}

// annotations are what a column of a Parquet file may be annotated with: nothing, all members of
// ConvertedType and of the union LogicalType, and some that there are not yet.
func annotations() (all []parquetmeta.Field) {
	all = append(all, parquetmeta.Field{})
	union := func(member int16, values ...*parquetmeta.Value) {
		v := parquetmeta.NewStruct(parquetmeta.Field{ID: member, Value: record(values...)})
		all = append(all, parquetmeta.Field{ID: parquetmeta.ElementLogical, Value: v})
	}
	for _, member := range []int16{1, 2, 3, 4, 6, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 77} {
		union(member)
	}
	union(5, i32(2), i32(9))
	for _, member := range []int16{7, 8} {
		for unit := int16(1); unit <= 4; unit++ {
			union(member, parquetmeta.Bool(unit == 2), parquetmeta.NewStruct(parquetmeta.Field{ID: unit, Value: record()}))
		}
	}
	for _, bits := range []byte{8, 16, 32, 64} {
		for _, signed := range []byte{0x11, 0x12} { // true, false
			// field 10: field 1 a byte, field 2 a flag
			member, _, err := parquetmeta.ParseStruct([]byte{0xac, 0x13, bits, signed, 0, 0})
			if err != nil {
				panic(err)
			}
			all = append(all, parquetmeta.Field{ID: parquetmeta.ElementLogical, Value: member})
		}
	}
	for c := range int64(25) {
		if c == 24 {
			c = 99
		}
		all = append(all, parquetmeta.Field{ID: parquetmeta.ElementConverted, Value: i32(c)})
	}
	long, _, err := parquetmeta.ParseStruct([]byte{0x15, 0x80, 0, 0}) // field 1 is 0, in a byte more than it needs
	if err != nil {
		panic(err)
	}
	return append(all, parquetmeta.Field{ID: parquetmeta.ElementFieldID, Value: long.Get(1)})
}

// A physical is a type that a private column of a Parquet file may have, without annotation.
type physical struct {
	typ       arrow.DataType
	cell      []string // five values
	utility   string
	encodings []parquet.Encoding
}

var physicals = []physical{
	{arrow.FixedWidthTypes.Boolean, []string{"true", "true", "false", "false", "false"}, "ordered:false,true",
		[]parquet.Encoding{parquet.Encodings.Plain, parquet.Encodings.RLE}},
	{arrow.PrimitiveTypes.Int32, []string{"0", "1", "2", "3", "4"}, "numeric", numberEncodings},
	{arrow.PrimitiveTypes.Int64, []string{"0", "1", "2", "3", "4"}, "numeric", numberEncodings},
	{arrow.BinaryTypes.Binary, []string{"MQ==", "Mg==", "Mw==", "NA==", "NQ=="}, "ordered:1,2,3,4,5",
		[]parquet.Encoding{parquet.Encodings.PlainDict, parquet.Encodings.Plain, parquet.Encodings.DeltaByteArray,
			parquet.Encodings.DeltaLengthByteArray}},
}

var numberEncodings = []parquet.Encoding{parquet.Encodings.PlainDict, parquet.Encodings.Plain,
	parquet.Encodings.DeltaBinaryPacked}

// file has three row groups of 40 rows of a column c, the first value more often than others, and
// nulls where it is optional.
func (p physical) file(t *testing.T, optional bool, option ...parquet.WriterProperty) []byte {
	t.Helper()
	fields := []arrow.Field{{Name: "c", Type: p.typ, Nullable: optional}}
	in := parquetFormat(pqarrow.DefaultWriterProps(), option...)
	k := treeOf(t, tableOf(t, in, fields, 120, 40, func(at int) []string {
		if row := at % 40; !optional || row%9 != 4 {
			return []string{p.cell[max(0, row%8-3)]}
		}
		return []string{""}
	}))
	leaf := k.meta.Get(parquetmeta.MetaSchema).At(1)
	leaf.Delete(parquetmeta.ElementLogical)
	leaf.Delete(parquetmeta.ElementConverted)
	return k.file()
}

// TestFollowsParquet: a private column of every physical type with every annotation, required
// and optional: what run takes, verify takes.
func TestFollowsParquet(t *testing.T) {
	published := 0
	for _, p := range physicals {
		for _, optional := range []bool{false, true} {
			plain := p.file(t, optional)
			for _, a := range annotations() {
				k := treeOf(t, plain)
				if a.Value != nil {
					k.meta.Get(parquetmeta.MetaSchema).At(1).Set(a.ID, a.Value)
				}
				if follows(t, k.file(), ".parquet", p.utility) {
					published++
				}
			}
		}
	}
	if published < 60 {
		t.Errorf("only %d files were published", published)
	}
}

// TestFollowsParquetPages: each encoding of each type, with one codec after the other and both
// kinds of pages.
func TestFollowsParquetPages(t *testing.T) {
	codecs := []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip,
		compress.Codecs.Zstd, compress.Codecs.Brotli}
	turn := 0
	for _, p := range physicals {
		for _, encoding := range p.encodings {
			for i := range 4 {
				option := []parquet.WriterProperty{parquet.WithCompression(codecs[turn%len(codecs)]),
					parquet.WithDataPageVersion(parquet.DataPageVersion(i / 2)),
					parquet.WithDataPageSize(50), parquet.WithBatchSize(10),
					parquet.WithDictionaryDefault(encoding == parquet.Encodings.PlainDict), parquet.WithPageIndexEnabled(true)}
				if turn++; encoding != parquet.Encodings.PlainDict {
					option = append(option, parquet.WithEncodingFor("c", encoding))
				}
				mustFollow(t, p.file(t, i%2 == 1, option...), ".parquet", p.utility)
			}
		}
	}
}
