package verify_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

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

var same = func(b arrow.RecordBatch) arrow.RecordBatch { return b }

// ofArrow change an Arrow output.
var ofArrow = []alteration{
	{name: "Arrow: metadata of the schema", base: "arrow weights", want: "metadata", do: func(t *testing.T, r *release) {
		m := arrow.NewMetadata([]string{"note"}, []string{"a secret"})
		rewrite(t, r, &m, same)
	}},
	{name: "Arrow: bytes between messages", base: "arrow weights", want: "gaps", do: func(t *testing.T, r *release) {
		data, err := os.ReadFile(r.output)
		must(t, err)
		end := len(data) - 10 - int(binary.LittleEndian.Uint32(data[len(data)-10:]))
		must(t, os.WriteFile(r.output, slices.Insert(data, end, []byte("min a max e     ")...), 0o666))
	}},
	{name: "Arrow: a value below a null", base: "arrow weights", want: "pages", do: func(t *testing.T, r *release) {
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
			c := b.Column(0).Data()
			valid := memory.NewBufferBytes(bytes.Repeat([]byte{0xfe}, int(b.NumRows()+7)/8))
			masked := array.NewData(c.DataType(), c.Len(), []*memory.Buffer{valid, c.Buffers()[1], c.Buffers()[2]}, nil,
				array.UnknownNullCount, 0)
			return array.NewRecordBatch(b.Schema(), []arrow.Array{array.MakeFromData(masked), b.Column(1), b.Column(2)},
				b.NumRows())
		})
	}},
	{name: "Arrow: bytes that no value uses", base: "arrow weights", want: "pages", do: func(t *testing.T, r *release) {
		// The text of the first record batch takes the bytes that pad it.
		whole, err := os.ReadFile(r.output)
		must(t, err)
		in, err := ipc.NewFileReader(bytes.NewReader(whole))
		must(t, err)
		b, err := in.RecordBatchAt(0)
		must(t, err)
		text := b.Column(0).Data().Buffers()[2].Bytes()
		size := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
		body := bytes.Index(whole, text)
		at := bytes.Index(whole, append(binary.LittleEndian.AppendUint64(nil, uint64(4*(b.NumRows()+1)+7)&^7), size...)) + 8
		if len(text)%8 == 0 || at < 8 || at > body {
			t.Fatalf("no room behind a text of %d bytes", len(text))
		}
		whole[at] += byte(8 - len(text)%8)
		copy(whole[body+len(text):], "secret!!"[:8-len(text)%8])
		must(t, os.WriteFile(r.output, whole, 0o666))
	}},
	{name: "Arrow: metadata of a column", base: "arrow weights", want: "metadata", do: func(t *testing.T, r *release) {
		rewrite(t, r, &arrow.Metadata{}, same, arrow.NewMetadata([]string{"note"}, []string{"a secret"}))
	}},
	{name: "Arrow: columns in clear in other order", base: "arrow weights", want: "copied columns",
		do: func(t *testing.T, r *release) {
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
	{name: "Arrow: the output cut in half", base: "arrow weights", want: `"cut short"`,
		do: func(t *testing.T, r *release) {
			whole, err := os.ReadFile(r.output)
			must(t, err)
			must(t, os.WriteFile(r.output, whole[:len(whole)/2], 0o666))
		}},
	{name: "Arrow: a footer of noise", base: "arrow weights", want: `"footer"`, do: func(t *testing.T, r *release) {
		whole, err := os.ReadFile(r.output)
		must(t, err)
		for i := len(whole) - 300; i < len(whole)-10; i++ {
			whole[i] ^= byte(i * 7)
		}
		must(t, os.WriteFile(r.output, whole, 0o666))
	}},
}
