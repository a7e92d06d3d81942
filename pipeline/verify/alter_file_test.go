package verify

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/tacet-privacy/tacet/io/arrow/batch"
	arrowsplice "github.com/tacet-privacy/tacet/io/arrow/splice"
	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/pipeline"
)

// A tree is a Parquet file taken apart: data, and the footer to edit.
type tree struct {
	data []byte
	meta *parquetmeta.Struct
}

func (r *release) tree(t *testing.T) *tree {
	whole, err := os.ReadFile(r.output)
	must(t, err)
	f, err := parquetmeta.ReadFooter(bytes.NewReader(whole), int64(len(whole)))
	must(t, err)
	return &tree{bytes.Clone(whole[:f.Start]), f.Meta}
}

func (k *tree) write(t *testing.T, path string) {
	footer := k.meta.Append(nil)
	b := append(k.data, footer...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	must(t, os.WriteFile(path, append(b, parquetmeta.Magic...), 0o666))
}

func (k *tree) group(g int) *parquetmeta.Struct {
	return k.meta.Get(parquetmeta.MetaGroups).List().At(g).Struct()
}

func (k *tree) chunk(g, leaf int) *parquetmeta.Struct {
	return k.group(g).Get(parquetmeta.GroupChunks).List().At(leaf).Struct()
}

// column is the metadata of a chunk.
func (k *tree) column(g, leaf int) *parquetmeta.Struct {
	return k.chunk(g, leaf).Get(parquetmeta.ChunkMeta).Struct()
}

func num(s *parquetmeta.Struct, id int16) int64 {
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
	return parquetmeta.StructValue(parquetmeta.NewStruct(parquetmeta.Field{ID: 1, Value: parquetmeta.String(key)},
		parquetmeta.Field{ID: 2, Value: parquetmeta.String(value)}))
}

var abcde = []string{"a", "b", "c", "d", "e"}

var parquetFiles = []alteration{
	{name: "one record given a forbidden output", want: "forbidden cells", do: func(t *testing.T, r *release) {
		r.redraw(t, abcde, func(row int64, y int32) int32 {
			if row == 1234 {
				return 3 // d, which is too far from any letter that stands there
			}
			return y
		})
	}},
	{name: "records swapped between letters", want: "forbidden cells", do: func(t *testing.T, r *release) {
		var first int32
		r.redraw(t, abcde, func(row int64, y int32) int32 {
			switch row {
			case 0:
				first = y
				return 2
			case 28:
				return first
			}
			return y
		})
	}},
	{name: "a value that is no output", want: "alphabet", do: func(t *testing.T, r *release) {
		r.redraw(t, []string{"a", "b", "c", "d", "e", "secret"}, func(row int64, y int32) int32 {
			if row == 99 {
				return 5
			}
			return y
		})
	}},
	{name: "a value in the dictionary alone", want: "pages", do: func(t *testing.T, r *release) {
		r.redraw(t, []string{"a", "b", "c", "d", "e", "secret"}, func(_ int64, y int32) int32 { return y })
	}},
	{name: "the best output for every record", want: "fit", do: func(t *testing.T, r *release) {
		r.redraw(t, abcde, func(row int64, y int32) int32 {
			return int32(map[string]int{"a": 0, "b": 1, "c": 2, "d": 2, "e": 0}[skew[row%int64(len(skew))]])
		})
	}},
	{name: "draws that prefer one output", want: "fit", do: func(t *testing.T, r *release) {
		r.redraw(t, abcde, func(row int64, y int32) int32 {
			if skew[row%int64(len(skew))] == "b" && row%3 == 0 {
				return 1
			}
			return y
		})
	}},
	{name: "another draw of the same plan", want: "output shares", do: func(t *testing.T, r *release) {
		j := jobs["weights"]
		j.options.Plan = r.path("plan.json")
		j.options.Overwrite = true
		seed := uint64(2)
		o := pipeline.Options{Plan: r.path("plan.json"), Input: r.input, Output: r.output,
			Report: filepath.Join(r.dir, "other"), Overwrite: true, AllowSorted: true, TestSeed: &seed}
		_, err := pipeline.Apply(context.Background(), o)
		must(t, err)
	}},
	{name: "the input itself", want: "forbidden cells", do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.input)
		must(t, err)
		must(t, os.WriteFile(r.output, whole, 0o666))
	}},
	{name: "records dropped", want: "row groups", do: func(t *testing.T, r *release) {
		j := jobs["weights"]
		j.rows = 2999
		must(t, os.Rename(j.make(t).output, r.output))
	}},
	{name: "a row group dropped", want: "output file",
		do: edit(func(k *tree) { k.meta.Get(parquetmeta.MetaGroups).List().Delete(3) })},
	{name: "a page of the column altered", want: "pages", do: edit(func(k *tree) {
		k.data[num(k.column(0, 0), parquetmeta.ColumnDataPage)+60] ^= 1
	})},
	{name: "a page without checksum", want: "pages", do: edit(func(k *tree) {
		m := k.column(0, 0)
		from := num(m, parquetmeta.ColumnDictionaryPage)
		head, used, err := parquetmeta.ParseStruct(k.data[from:])
		if err != nil {
			panic(err)
		}
		head.Delete(4)
		b := head.Append(nil)
		copy(k.data[from+int64(used-len(b)):], b)
		clear(k.data[from : from+int64(used-len(b))])
		m.Set(parquetmeta.ColumnDictionaryPage, i64(from+int64(used-len(b))))
		m.Set(parquetmeta.ColumnSize, i64(num(m, parquetmeta.ColumnSize)-int64(used-len(b))))
	})},
	{name: "least and greatest value of the input", want: "metadata", do: edit(func(k *tree) {
		k.column(1, 0).Get(parquetmeta.ColumnStatistics).Struct().Set(5, parquetmeta.String("zebra"))
	})},
	{name: "distinct count", want: "metadata", do: edit(func(k *tree) {
		k.column(0, 0).Get(parquetmeta.ColumnStatistics).Struct().Set(4, i64(5))
	})},
	{name: "size statistics", want: "metadata", do: edit(func(k *tree) {
		k.column(0, 0).Set(parquetmeta.ColumnSizeStatistics,
			parquetmeta.StructValue(parquetmeta.NewStruct(parquetmeta.Field{ID: 1, Value: i64(12345)})))
	})},
	{name: "a bloom filter", want: "metadata", do: edit(func(k *tree) {
		k.column(0, 0).Set(parquetmeta.ColumnBloomOffset,
			i64(4))
	})},
	{name: "a page index", want: "metadata", do: edit(func(k *tree) {
		k.chunk(0, 0).Set(parquetmeta.ChunkColumnIndexOffset, i64(4))
		k.chunk(0, 0).Set(parquetmeta.ChunkColumnIndexLength, parquetmeta.Int(parquetmeta.I32, 9))
	})},
	{name: "file_offset", want: "metadata", do: edit(func(k *tree) {
		k.chunk(0, 1).Set(parquetmeta.ChunkFileOffset,
			i64(77))
	})},
	{name: "key-value metadata", want: "metadata",
		do: edit(func(k *tree) { k.meta.Get(parquetmeta.MetaKeyValue).List().Append(keyValue("pandas", "{}")) })},
	{name: "our own key with more to say", want: "metadata", do: edit(func(k *tree) {
		list := parquetmeta.NewList(parquetmeta.Record, keyValue("tacet", "a a b c"))
		k.meta.Set(parquetmeta.MetaKeyValue, parquetmeta.ListValue(list))
	})},
	{name: "key-value metadata of the column", want: "metadata", do: edit(func(k *tree) {
		k.column(0, 0).Set(parquetmeta.ColumnKeyValue, parquetmeta.ListValue(parquetmeta.NewList(parquetmeta.Record,
			keyValue("x", "y"))))
	})},
	{name: "metadata in ARROW:schema", want: "metadata", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaKeyValue).List().Append(keyValue("ARROW:schema", schemaWith("c", "a secret")))
	})},
	{name: "metadata in ARROW:schema below a column", want: "copied columns", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaKeyValue).List().Append(keyValue("ARROW:schema", schemaWith("k.below", "a secret")))
	})},
	{name: "ARROW:schema of more columns than there is memory for", want: "metadata", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaKeyValue).List().Append(keyValue("ARROW:schema", endlessSchema()))
	})},
	{name: "ARROW:schema that is none", want: "metadata", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaKeyValue).List().Append(keyValue("ARROW:schema", "c2VjcmV0IHZhbHVlcyBzdGFuZCBoZXJl"))
	})},
	{name: "sorted by the column", want: "metadata", do: edit(func(k *tree) {
		by := parquetmeta.NewStruct(parquetmeta.Field{ID: 1, Value: parquetmeta.Int(parquetmeta.I32, 0)},
			parquetmeta.Field{ID: 2, Value: parquetmeta.Bool(false)}, parquetmeta.Field{ID: 3, Value: parquetmeta.Bool(false)})
		k.group(0).Set(parquetmeta.GroupSorting, parquetmeta.ListValue(parquetmeta.NewList(parquetmeta.Record,
			parquetmeta.StructValue(by))))
	})},
	{name: "a field that nobody knows", want: "metadata",
		do: edit(func(k *tree) { k.meta.Set(99, parquetmeta.String("a a b c")) })},
	{name: "a field of a row group that nobody knows", want: "metadata",
		do: edit(func(k *tree) { k.group(0).Set(99, parquetmeta.String("a a b c")) })},
	{name: "bytes before the footer", want: "gaps", do: edit(func(k *tree) { k.data = append(k.data, "min a max e"...) })},
	{name: "bytes behind the magic", want: "gaps", do: edit(func(k *tree) {
		k.data = slices.Insert(k.data, 4, []byte("min a max e")...)
		for g := range k.meta.Get(parquetmeta.MetaGroups).List().Len() {
			for leaf := range 3 {
				m := k.column(g, leaf)
				for _, id := range []int16{parquetmeta.ColumnDataPage, parquetmeta.ColumnDictionaryPage} {
					if v := num(m, id); v > 0 {
						m.Set(id, i64(v+11))
					}
				}
			}
		}
	})},
	{name: "statistics in a page header", want: "pages", do: edit(func(k *tree) {
		m := k.column(3, 0)
		from := num(m, parquetmeta.ColumnDictionaryPage)
		size := num(m, parquetmeta.ColumnSize)
		dict := num(m, parquetmeta.ColumnDataPage) - from
		head, used, err := parquetmeta.ParseStruct(k.data[from+dict:])
		if err != nil {
			panic(err)
		}
		head.Get(5).Struct().Set(5, parquetmeta.StructValue(parquetmeta.NewStruct(parquetmeta.Field{ID: 5,
			Value: parquetmeta.String("zebra")})))
		moved := slices.Concat(k.data[from:from+dict], head.Append(nil), k.data[from+dict+int64(used):from+size])
		m.Set(parquetmeta.ColumnDictionaryPage, i64(int64(len(k.data))))
		m.Set(parquetmeta.ColumnDataPage, i64(int64(len(k.data))+dict))
		m.Set(parquetmeta.ColumnSize, i64(int64(len(moved))))
		clear(k.data[from : from+size])
		k.data = append(k.data, moved...)
	})},
	{name: "bytes behind the values of a page", want: "pages", do: edit(func(k *tree) {
		m := k.column(3, 0)
		from, size := num(m, parquetmeta.ColumnDictionaryPage), num(m, parquetmeta.ColumnSize)
		dict := num(m, parquetmeta.ColumnDataPage) - from
		head, used, err := parquetmeta.ParseStruct(k.data[from+dict:])
		if err != nil {
			panic(err)
		}
		body := append(bytes.Clone(k.data[from+dict+int64(used):from+size]), "the secret values"...)
		head.Set(2, parquetmeta.Int(parquetmeta.I32, int64(len(body))))
		head.Set(3, parquetmeta.Int(parquetmeta.I32, int64(len(body))))
		head.Set(4, parquetmeta.Int(parquetmeta.I32, int64(int32(crc32.ChecksumIEEE(body)))))
		moved := slices.Concat(k.data[from:from+dict], head.Append(nil), body)
		m.Set(parquetmeta.ColumnDictionaryPage, i64(int64(len(k.data))))
		m.Set(parquetmeta.ColumnDataPage, i64(int64(len(k.data))+dict))
		m.Set(parquetmeta.ColumnSize, i64(int64(len(moved))))
		clear(k.data[from : from+size])
		k.data = append(k.data, moved...)
	})},
	{name: "a column in clear altered", want: "copied columns", do: edit(func(k *tree) {
		k.data[num(k.column(0, 1), parquetmeta.ColumnDataPage)+40] ^= 1
	})},
	{name: "a column renamed", want: "columns", do: edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaSchema).List().At(2).Struct().Set(4, parquetmeta.String("other"))
	})},
	{name: "the output cut in half", want: `"cut short"`, do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.output)
		must(t, err)
		must(t, os.WriteFile(r.output, whole[:len(whole)/2], 0o666))
	}},
	{name: "the output of another format", want: `"neither Parquet nor Arrow"`,
		do: func(t *testing.T, r *release) { must(t, writeText(r.output, "c,k,d\na,1,2\n")) }},
	{name: "a footer of noise", want: `"footer"`, do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.output)
		must(t, err)
		for i := len(whole) - 200; i < len(whole)-8; i++ {
			whole[i] ^= byte(i * 7)
		}
		must(t, os.WriteFile(r.output, whole, 0o666))
	}},
}

// TestAlteredNulls: where nulls are public they stay where they are, neither
// fewer nor more.
func TestAlteredNulls(t *testing.T) {
	base := jobs["public"].make(t)
	for name, change := range map[string]func(row int64, y int32) int32{
		"a null filled": func(row int64, y int32) int32 { return max(y, 0) },
		"a value nulled": func(row int64, y int32) int32 {
			if row == 10 {
				return -1
			}
			return y
		},
		"a null moved": func(row int64, y int32) int32 {
			switch row {
			case 30:
				return -1
			case 31:
				return 0
			}
			return y
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
			r.redraw(t, abcde, change)
			r.save(t, true)
			r.refused(t, "alphabet")
		})
	}
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

// TestAlteredParquet: every altered output is refused by name, though every
// hash fits.
func TestAlteredParquet(t *testing.T) {
	base := jobs["weights"].make(t)
	for _, a := range parquetFiles {
		t.Run(a.name, func(t *testing.T) {
			r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
			a.do(t, r)
			r.save(t, true)
			r.refused(t, a.want)
		})
	}
}

// rewrite writes an Arrow output again by library, batch by batch.
func rewrite(t *testing.T, r *release, metadata *arrow.Metadata, change func(b arrow.RecordBatch) arrow.RecordBatch,
	column ...arrow.Metadata) {
	data, err := os.ReadFile(r.output)
	must(t, err)
	in, err := ipc.NewFileReader(bytes.NewReader(data))
	must(t, err)
	out, err := os.Create(r.output)
	must(t, err)
	fields := slices.Clone(in.Schema().Fields())
	for _, m := range column {
		fields[0].Metadata = m
	}
	schema := arrow.NewSchema(fields, metadata)
	w, err := ipc.NewFileWriter(out, ipc.WithSchema(schema))
	must(t, err)
	for i := range in.NumRecords() {
		b, err := in.RecordBatchAt(i)
		must(t, err)
		b = change(b)
		must(t, w.Write(array.NewRecordBatch(schema, b.Columns(), b.NumRows())))
	}
	must(t, w.Close())
	must(t, out.Close())
}

// with replaces the private column's cells.
func with(b arrow.RecordBatch, cell func(row int, was string) (string, bool)) arrow.RecordBatch {
	n := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range int(b.NumRows()) {
		if s, ok := cell(i, b.Column(0).(*array.String).Value(i)); ok {
			n.Append(s)
		} else {
			n.AppendNull()
		}
	}
	return array.NewRecordBatch(b.Schema(), []arrow.Array{n.NewArray(), b.Column(1), b.Column(2)}, b.NumRows())
}

var same = func(b arrow.RecordBatch) arrow.RecordBatch { return b }

var arrowFiles = []alteration{
	{name: "one record given a forbidden output", want: "forbidden cells", do: func(t *testing.T, r *release) {
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
			return with(b, func(row int, was string) (string, bool) {
				if row == 5 {
					return "d", true
				}
				return was, true
			})
		})
	}},
	{name: "a value that is no output", want: "alphabet", do: func(t *testing.T, r *release) {
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
			return with(b, func(row int, was string) (string, bool) { return strings.Replace(was, "b", "secret", 1), true })
		})
	}},
	{name: "a null", want: "alphabet", do: func(t *testing.T, r *release) {
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
			return with(b, func(row int, was string) (string, bool) { return was, row != 7 })
		})
	}},
	{name: "metadata of the schema", want: "metadata", do: func(t *testing.T, r *release) {
		m := arrow.NewMetadata([]string{"note"}, []string{"a secret"})
		rewrite(t, r, &m, same)
	}},
	{name: "bytes between messages", want: "gaps", do: func(t *testing.T, r *release) {
		data, err := os.ReadFile(r.output)
		must(t, err)
		end := len(data) - 10 - int(binary.LittleEndian.Uint32(data[len(data)-10:]))
		must(t, os.WriteFile(r.output, slices.Insert(data, end, []byte("min a max e     ")...), 0o666))
	}},
	{name: "a value below a null", want: "pages", do: func(t *testing.T, r *release) {
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
			c := b.Column(0).Data()
			valid := memory.NewBufferBytes(bytes.Repeat([]byte{0xfe}, int(b.NumRows()+7)/8))
			masked := array.NewData(c.DataType(), c.Len(), []*memory.Buffer{valid, c.Buffers()[1], c.Buffers()[2]}, nil,
				array.UnknownNullCount, 0)
			return array.NewRecordBatch(b.Schema(), []arrow.Array{array.MakeFromData(masked), b.Column(1), b.Column(2)},
				b.NumRows())
		})
	}},
	{name: "bytes that no value uses", want: "pages", do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.output)
		must(t, err)
		f, err := batch.Open(bytes.NewReader(whole), int64(len(whole)))
		must(t, err)
		out, err := os.Create(r.output)
		must(t, err)
		w, err := arrowsplice.NewWriter(disk{out}, f, f.Schema)
		must(t, err)
		for i := range f.Batches {
			b, err := f.Batch(i)
			must(t, err)
			k := arrowsplice.Keep(b)
			text := &k.Columns[0].Buffers[2]
			from := text.Copy
			*text = arrowsplice.Part{New: append(bytes.Clone(whole[from.Offset:from.Offset+from.Len]), "the secret values"...)}
			for c := range k.Columns {
				for p := range k.Columns[c].Buffers {
					if from := k.Columns[c].Buffers[p].Copy; from.Len > 0 {
						k.Columns[c].Buffers[p] = arrowsplice.Part{New: whole[from.Offset : from.Offset+from.Len]}
					}
				}
			}
			must(t, w.Batch(k).Write(context.Background()))
		}
		size, err := w.Finish(nil)
		must(t, err)
		must(t, out.Truncate(size))
		must(t, out.Close())
	}},
	{name: "metadata of a column", want: "metadata", do: func(t *testing.T, r *release) {
		rewrite(t, r, &arrow.Metadata{}, same, arrow.NewMetadata([]string{"note"}, []string{"a secret"}))
	}},
	{name: "columns in clear in other order", want: "copied columns", do: func(t *testing.T, r *release) {
		first := true
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
			k := array.NewInt64Builder(memory.DefaultAllocator)
			for i := range int(b.NumRows()) {
				k.Append(int64(i))
			}
			if !first {
				return b
			}
			first = false
			return array.NewRecordBatch(b.Schema(), []arrow.Array{b.Column(0), k.NewArray(), b.Column(2)}, b.NumRows())
		})
	}},
	{name: "a batch dropped", want: "row groups", do: func(t *testing.T, r *release) {
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch { return b.NewSlice(0, b.NumRows()-1) })
	}},
	{name: "the output cut in half", want: `"cut short"`, do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.output)
		must(t, err)
		must(t, os.WriteFile(r.output, whole[:len(whole)/2], 0o666))
	}},
	{name: "a footer of noise", want: `"footer"`, do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.output)
		must(t, err)
		for i := len(whole) - 300; i < len(whole)-10; i++ {
			whole[i] ^= byte(i * 7)
		}
		must(t, os.WriteFile(r.output, whole, 0o666))
	}},
}

// TestAlteredArrow is TestAlteredParquet for Arrow IPC files.
func TestAlteredArrow(t *testing.T) {
	j := jobs["weights"]
	j.arrow = true
	base := j.make(t)
	for _, a := range arrowFiles {
		t.Run(a.name, func(t *testing.T) {
			r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
			a.do(t, r)
			r.save(t, true)
			r.refused(t, a.want)
		})
	}
}
