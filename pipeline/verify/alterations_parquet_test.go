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

func (r *release) tree(t *testing.T) *tree {
	whole, err := os.ReadFile(r.output)
	must(t, err)
	f, err := parquetmeta.ReadFooter(bytes.NewReader(whole), int64(len(whole)))
	must(t, err)
	return &tree{bytes.Clone(whole[:f.Start]), f.Meta}
}

func (k *tree) write(t *testing.T, path string) {
	footer := k.meta.Encode(nil)
	b := append(k.data, footer...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	must(t, os.WriteFile(path, append(b, parquetmeta.Magic...), 0o666))
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
func edit(f func(k *tree)) func(*testing.T, *release) {
	return func(t *testing.T, r *release) {
		k := r.tree(t)
		f(k)
		k.write(t, r.output)
	}
}

func i64(v int64) *parquetmeta.Value { return parquetmeta.Int(parquetmeta.I64, v) }

// keyValue is an entry of key-value metadata.
func keyValue(key, value string) *parquetmeta.Value {
	return parquetmeta.NewStruct(parquetmeta.Field{ID: 1, Value: parquetmeta.String(key)},
		parquetmeta.Field{ID: 2, Value: parquetmeta.String(value)})
}

var abcde = []string{"a", "b", "c", "d", "e"}

// ofParquet change a Parquet output.
var ofParquet = []alteration{
	{name: "one record given a forbidden output", base: "weights", want: "forbidden cells",
		do: func(t *testing.T, r *release) {
			r.redraw(t, abcde, func(row int64, y int32) int32 {
				if row == 1234 {
					return 3 // d, which is too far from any letter that stands there
				}
				return y
			})
		}},
	{name: "draws that prefer one output", base: "weights", want: "fit", do: func(t *testing.T, r *release) {
		r.redraw(t, abcde, func(row int64, y int32) int32 {
			if skew[row%int64(len(skew))] == "b" && row%3 == 0 {
				return 1
			}
			return y
		})
	}},
	{name: "the input itself", base: "weights", want: "forbidden cells", do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.input)
		must(t, err)
		must(t, os.WriteFile(r.output, whole, 0o666))
	}},
	{name: "a page of the column altered", base: "weights", want: "pages", do: edit(func(k *tree) {
		k.data[num(k.column(0, 0), parquetmeta.ColumnDataPage)+60] ^= 1
	})},
	{name: "a page without checksum", base: "weights", want: "pages", do: headed(func(head *parquetmeta.Value) {
		head.Delete(4)
	})},
	{name: "size statistics", base: "weights", want: "metadata", do: edit(func(k *tree) {
		k.column(0, 0).Set(parquetmeta.ColumnSizeStatistics,
			parquetmeta.NewStruct(parquetmeta.Field{ID: 1, Value: i64(12345)}))
	})},
	{name: "a bloom filter", base: "weights", want: "metadata", do: edit(func(k *tree) {
		k.column(0, 0).Set(parquetmeta.ColumnBloomOffset,
			i64(4))
	})},
	{name: "a page index", base: "weights", want: "metadata", do: edit(func(k *tree) {
		k.chunk(0, 0).Set(parquetmeta.ChunkColumnIndexOffset, i64(4))
		k.chunk(0, 0).Set(parquetmeta.ChunkColumnIndexLength, parquetmeta.Int(parquetmeta.I32, 9))
	})},
	{name: "file_offset", base: "weights", want: "metadata", do: edit(func(k *tree) {
		k.chunk(0, 1).Set(parquetmeta.ChunkFileOffset,
			i64(77))
	})},
	{name: "our own key with more to say", base: "weights", want: "metadata", do: edit(func(k *tree) {
		list := parquetmeta.NewList(parquetmeta.Record, keyValue("tacet", "a a b c"))
		k.meta.Set(parquetmeta.MetaKeyValue, list)
	})},
	{name: "key-value metadata of the column", base: "weights", want: "metadata", do: edit(func(k *tree) {
		k.column(0, 0).Set(parquetmeta.ColumnKeyValue, parquetmeta.NewList(parquetmeta.Record,
			keyValue("x", "y")))
	})},
	{name: "metadata in ARROW:schema", base: "weights", want: "metadata", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaKeyValue).Append(keyValue("ARROW:schema", schemaWith("c", "a secret")))
	})},
	{name: "metadata in ARROW:schema below a column", base: "weights", want: "copied columns", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaKeyValue).Append(keyValue("ARROW:schema", schemaWith("k.below", "a secret")))
	})},
	{name: "ARROW:schema of more columns than there is memory for", base: "weights", want: "metadata",
		do: edit(func(k *tree) {
			k.meta.Get(parquetmeta.MetaKeyValue).Append(keyValue("ARROW:schema", endlessSchema()))
		})},
	{name: "sorted by the column", base: "weights", want: "metadata", do: edit(func(k *tree) {
		by := parquetmeta.NewStruct(parquetmeta.Field{ID: 1, Value: parquetmeta.Int(parquetmeta.I32, 0)},
			parquetmeta.Field{ID: 2, Value: parquetmeta.Bool(false)}, parquetmeta.Field{ID: 3, Value: parquetmeta.Bool(false)})
		k.group(0).Set(parquetmeta.GroupSorting, parquetmeta.NewList(parquetmeta.Record,
			by))
	})},
	{name: "a field that nobody knows", base: "weights", want: "metadata",
		do: edit(func(k *tree) { k.meta.Set(99, parquetmeta.String("a a b c")) })},
	{name: "a field of a row group that nobody knows", base: "weights", want: "metadata",
		do: edit(func(k *tree) { k.group(0).Set(99, parquetmeta.String("a a b c")) })},
	{name: "a bloom filter of another column", base: "weights", want: "metadata",
		do: edit(func(k *tree) { k.column(0, 1).Set(parquetmeta.ColumnBloomOffset, i64(4)) })},
	{name: "a field of the column's schema that nobody knows", base: "weights", want: "metadata", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaSchema).At(1).Set(99, parquetmeta.String("a a b c"))
	})},
	{name: "a field of the column's chunk that nobody knows", base: "weights", want: "metadata",
		do: edit(func(k *tree) { k.column(0, 0).Set(99, parquetmeta.String("a a b c")) })},
	{name: "bytes before the footer", base: "weights", want: "gaps",
		do: edit(func(k *tree) { k.data = append(k.data, "min a max e"...) })},
	{name: "statistics in a page header", base: "weights", want: "pages", do: headed(func(head *parquetmeta.Value) {
		head.Get(5).Set(5, parquetmeta.NewStruct(parquetmeta.Field{ID: 5,
			Value: parquetmeta.String("zebra")}))
	})},
	{name: "a text in a page header", base: "weights", want: "pages", do: headed(func(head *parquetmeta.Value) {
		head.Set(99, parquetmeta.String("zebra"))
	})},
	{name: "bytes behind the values of a page", base: "weights", want: "pages",
		do: paged(func(head *parquetmeta.Value, body []byte) []byte {
			body = append(body, "the secret values"...)
			head.Set(2, parquetmeta.Int(parquetmeta.I32, int64(len(body))))
			head.Set(3, parquetmeta.Int(parquetmeta.I32, int64(len(body))))
			head.Set(4, parquetmeta.Int(parquetmeta.I32, int64(int32(crc32.ChecksumIEEE(body)))))
			return body
		})},
	{name: "a column renamed", base: "weights", want: "columns", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaSchema).At(2).Set(4, parquetmeta.String("other"))
	})},
	{name: "the output cut in half", base: "weights", want: `"cut short"`, do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.output)
		must(t, err)
		must(t, os.WriteFile(r.output, whole[:len(whole)/2], 0o666))
	}},
	{name: "the output of another format", base: "weights", want: `"neither Parquet nor Arrow"`,
		do: func(t *testing.T, r *release) { must(t, writeText(r.output, "c,k,d\na,1,2\n")) }},
	{name: "a footer of noise", base: "weights", want: `"footer"`, do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.output)
		must(t, err)
		for i := len(whole) - 200; i < len(whole)-8; i++ {
			whole[i] ^= byte(i * 7)
		}
		must(t, os.WriteFile(r.output, whole, 0o666))
	}},
	// Where nulls are public they stay where they are, neither fewer nor more.
	{name: "a null moved", want: "alphabet", base: "public", do: func(t *testing.T, r *release) {
		r.redraw(t, abcde, func(row int64, y int32) int32 {
			switch row {
			case 30:
				return -1
			case 31:
				return 0
			}
			return y
		})
	}},
}

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
func headed(change func(head *parquetmeta.Value)) func(*testing.T, *release) {
	return paged(func(head *parquetmeta.Value, body []byte) []byte {
		change(head)
		return body
	})
}

// paged changes the header and the body of a page likewise.
func paged(change func(head *parquetmeta.Value, body []byte) []byte) func(*testing.T, *release) {
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
