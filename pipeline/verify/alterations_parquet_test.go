package verify_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"os"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
)

// A tree is a Parquet file taken apart: data, and the footer to edit.
type tree struct {
	data []byte
	meta *parquetmeta.Value
}

func treeOf(t *testing.T, whole []byte) *tree {
	t.Helper()
	f, err := parquetmeta.ReadFooter(bytes.NewReader(whole), int64(len(whole)))
	must(t, err)
	return &tree{bytes.Clone(whole[:f.Start]), f.Meta}
}

// file is the tree put together again.
func (k *tree) file() []byte {
	footer := k.meta.Encode(nil)
	b := binary.LittleEndian.AppendUint32(append(bytes.Clone(k.data), footer...), uint32(len(footer)))
	return append(b, parquetmeta.Magic...)
}

func (k *tree) group(g int) *parquetmeta.Value {
	return k.meta.Get(parquetmeta.MetaGroups).At(g)
}

func (k *tree) chunk(g, leaf int) *parquetmeta.Value {
	return k.group(g).Get(parquetmeta.GroupChunks).At(leaf)
}

// column is the metadata of a chunk.
func (k *tree) column(g, leaf int) *parquetmeta.Value {
	return k.chunk(g, leaf).Get(parquetmeta.ChunkMeta)
}

func num(s *parquetmeta.Value, id int16) int64 {
	v, _ := s.Get(id).Int()
	return v
}

// edit alters the footer or the data.
func edit(f func(k *tree)) change {
	return func(t *testing.T, r *release) {
		k := treeOf(t, []byte(mustRead(t, r.output)))
		f(k)
		must(t, os.WriteFile(r.output, k.file(), 0o666))
	}
}

// Parts of a footer that an alteration sets a field of.
var (
	theFooter = func(k *tree) *parquetmeta.Value { return k.meta }
	theGroup  = func(k *tree) *parquetmeta.Value { return k.group(0) }
	theChunk  = func(k *tree) *parquetmeta.Value { return k.chunk(0, 0) }
	theColumn = func(k *tree) *parquetmeta.Value { return k.column(0, 0) }
)

// field sets a field of a part of the footer.
func field(part func(k *tree) *parquetmeta.Value, id int16, v *parquetmeta.Value) change {
	return edit(func(k *tree) { part(k).Set(id, v) })
}

func i32(v int64) *parquetmeta.Value { return parquetmeta.Int(parquetmeta.I32, v) }

func i64(v int64) *parquetmeta.Value { return parquetmeta.Int(parquetmeta.I64, v) }

// record is a struct with the fields 1, 2 and so on.
func record(values ...*parquetmeta.Value) *parquetmeta.Value {
	var fields []parquetmeta.Field
	for i, v := range values {
		fields = append(fields, parquetmeta.Field{ID: int16(i + 1), Value: v})
	}
	return parquetmeta.NewStruct(fields...)
}

func records(list ...*parquetmeta.Value) *parquetmeta.Value {
	return parquetmeta.NewList(parquetmeta.Record, list...)
}

// keyValue is an entry of key-value metadata.
func keyValue(key, value string) *parquetmeta.Value {
	return record(parquetmeta.String(key), parquetmeta.String(value))
}

// noted has one entry more of key-value metadata in the footer.
func noted(key, value string) change {
	return edit(func(k *tree) { k.meta.Get(parquetmeta.MetaKeyValue).Append(keyValue(key, value)) })
}

// redrawn changes records of the output, by their row.
func redrawn(change func(row int64, y int32) int32) change {
	return func(t *testing.T, r *release) { r.redraw(t, abcde, change) }
}

// rowIs gives one row another output.
func rowIs(at int64, output int32) change {
	return redrawn(func(row int64, y int32) int32 {
		if row == at {
			return output
		}
		return y
	})
}

// ofParquet change a Parquet output.
var ofParquet = of(hashed, []row{
	{"weights", "one record given a forbidden output", "forbidden cells", rowIs(1234, 3)}, // d is too far
	{"weights", "draws that prefer one output", "fit", redrawn(func(row int64, y int32) int32 {
		if skew[row%int64(len(skew))] == "b" && row%3 == 0 {
			return 1
		}
		return y
	})},
	{"weights", "the input itself", "forbidden cells", func(t *testing.T, r *release) {
		must(t, writeText(r.output, mustRead(t, r.input)))
	}},
	{"weights", "a page of the column altered", "pages", edit(func(k *tree) {
		k.data[num(k.column(0, 0), parquetmeta.ColumnDataPage)+60] ^= 1
	})},
	{"weights", "a page without checksum", "pages", headed(func(head *parquetmeta.Value) { head.Delete(4) })},
	{"weights", "size statistics", "metadata", field(theColumn, parquetmeta.ColumnSizeStatistics, record(i64(12345)))},
	{"weights", "a bloom filter", "metadata", field(theColumn, parquetmeta.ColumnBloomOffset, i64(4))},
	{"weights", "a page index", "metadata", each(field(theChunk, parquetmeta.ChunkColumnIndexOffset, i64(4)),
		field(theChunk, parquetmeta.ChunkColumnIndexLength, i32(9)))},
	{"weights", "file_offset", "metadata",
		edit(func(k *tree) { k.chunk(0, 1).Set(parquetmeta.ChunkFileOffset, i64(77)) })},
	{"weights", "our own key with more to say", "metadata",
		field(theFooter, parquetmeta.MetaKeyValue, records(keyValue("tacet", "a a b c")))},
	{"weights", "key-value metadata of the column", "metadata",
		field(theColumn, parquetmeta.ColumnKeyValue, records(keyValue("x", "y")))},
	{"weights", "metadata in ARROW:schema", "metadata", noted("ARROW:schema", schemaWith("c", "a secret"))},
	{"weights", "metadata in ARROW:schema below a column", "copied columns",
		noted("ARROW:schema", schemaWith("k.below", "a secret"))},
	{"weights", "ARROW:schema of more columns than there is memory for", "metadata",
		noted("ARROW:schema", endlessSchema())},
	{"weights", "sorted by the column", "metadata", field(theGroup, parquetmeta.GroupSorting,
		records(record(i32(0), parquetmeta.Bool(false), parquetmeta.Bool(false))))},
	{"weights", "a field that nobody knows", "metadata", field(theFooter, 99, parquetmeta.String("a a b c"))},
	{"weights", "a field of a row group that nobody knows", "metadata",
		field(theGroup, 99, parquetmeta.String("a a b c"))},
	{"weights", "a bloom filter of another column", "metadata",
		edit(func(k *tree) { k.column(0, 1).Set(parquetmeta.ColumnBloomOffset, i64(4)) })},
	{"weights", "a field of the column's schema that nobody knows", "metadata", edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaSchema).At(1).Set(99, parquetmeta.String("a a b c"))
	})},
	{"weights", "a field of the column's chunk that nobody knows", "metadata",
		field(theColumn, 99, parquetmeta.String("a a b c"))},
	{"weights", "bytes before the footer", "gaps", edit(func(k *tree) { k.data = append(k.data, "min a max e"...) })},
	{"weights", "statistics in a page header", "pages", headed(func(head *parquetmeta.Value) {
		head.Get(5).Set(5, parquetmeta.NewStruct(parquetmeta.Field{ID: 5, Value: parquetmeta.String("zebra")}))
	})},
	{"weights", "a text in a page header", "pages", headed(func(head *parquetmeta.Value) {
		head.Set(99, parquetmeta.String("zebra"))
	})},
	{"weights", "bytes behind the values of a page", "pages", paged(func(head *parquetmeta.Value, body []byte) []byte {
		body = append(body, "the secret values"...)
		head.Set(2, i32(int64(len(body))))
		head.Set(3, i32(int64(len(body))))
		head.Set(4, i32(int64(int32(crc32.ChecksumIEEE(body)))))
		return body
	})},
	{"weights", "a column renamed", "columns", edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaSchema).At(2).Set(4, parquetmeta.String("other"))
	})},
	{"weights", "the output cut in half", `"cut short"`, text("output", half)},
	{"weights", "the output of another format", `"neither Parquet nor Arrow"`, text("output", become("c,k,d\na,1,2\n"))},
	{"weights", "a footer of noise", `"footer"`, text("output", noise(200, 8))},
	// Where nulls are public they stay where they are, neither fewer nor more.
	{"public", "a null moved", "alphabet", each(rowIs(30, -1), rowIs(31, 0))},
})

// schemaWith is an ARROW:schema whose column says more than its type.
func schemaWith(column, secret string) string {
	var b bytes.Buffer
	var fields []arrow.Field
	for _, name := range []string{"c", "k", "d"} {
		f := arrow.Field{Name: name, Type: arrow.BinaryTypes.String}
		note := arrow.NewMetadata([]string{"note"}, []string{secret})
		switch column {
		case name:
			f.Metadata = note
		case name + ".below":
			f.Type = arrow.StructOf(arrow.Field{Name: "below", Type: f.Type, Metadata: note})
		}
		fields = append(fields, f)
	}
	if err := ipc.NewWriter(&b, ipc.WithSchema(arrow.NewSchema(fields, nil))).Close(); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// endlessSchema is an ARROW:schema that says it has 2^30 columns.
func endlessSchema() string {
	raw, err := base64.StdEncoding.DecodeString(schemaWith("", ""))
	if err != nil {
		panic(err)
	}
	// The list of columns is the number 3 and three offsets, each to a table
	// behind it.
	for at := 8; at+16 <= len(raw); at += 4 {
		n, first := binary.LittleEndian.Uint32(raw[at:]), binary.LittleEndian.Uint32(raw[at+4:])
		if n == 3 && first >= 12 && int(first) < len(raw)-at {
			binary.LittleEndian.PutUint32(raw[at:], 1<<30)
			return base64.StdEncoding.EncodeToString(raw)
		}
	}
	panic("no list of three columns")
}

// headed changes the header of a page of the private column, which moves to the end.
func headed(change func(head *parquetmeta.Value)) change {
	return paged(func(head *parquetmeta.Value, body []byte) []byte {
		change(head)
		return body
	})
}

// paged changes the header and the body of a page likewise.
func paged(change func(head *parquetmeta.Value, body []byte) []byte) change {
	return edit(func(k *tree) {
		m := k.column(3, 0)
		from := num(m, parquetmeta.ColumnDictionaryPage)
		size := num(m, parquetmeta.ColumnSize)
		dict := num(m, parquetmeta.ColumnDataPage) - from
		head, used, err := parquetmeta.ParseStruct(k.data[from+dict:])
		if err != nil {
			panic(err)
		}
		body := change(head, bytes.Clone(k.data[from+dict+int64(used):from+size]))
		k.move(m, k.data[from:from+dict], slices.Concat(head.Encode(nil), body))
	})
}

// move puts the pages of a chunk, first and others, at the end, and zeros where they were.
func (k *tree) move(m *parquetmeta.Value, first, others []byte) {
	from, size := num(m, parquetmeta.ColumnDictionaryPage), num(m, parquetmeta.ColumnSize)
	moved := slices.Concat(first, others)
	m.Set(parquetmeta.ColumnDictionaryPage, i64(int64(len(k.data))))
	m.Set(parquetmeta.ColumnDataPage, i64(int64(len(k.data)+len(first))))
	m.Set(parquetmeta.ColumnSize, i64(int64(len(moved))))
	clear(k.data[from : from+size])
	k.data = append(k.data, moved...)
}
