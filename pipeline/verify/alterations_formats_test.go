package verify_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/tacet-privacy/tacet/pipeline"
)

// rewrite writes an Arrow output again by library, batch by batch.
func rewrite(t *testing.T, r *release, metadata *arrow.Metadata, change func(b arrow.RecordBatch) arrow.RecordBatch,
	column ...arrow.Metadata) {
	in, err := ipc.NewFileReader(strings.NewReader(mustRead(t, r.output)))
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

func same(b arrow.RecordBatch) arrow.RecordBatch { return b }

// note is metadata that nobody asked for.
var note = arrow.NewMetadata([]string{"note"}, []string{"a secret"})

// ofArrow change an Arrow output.
var ofArrow = of(hashed, []row{
	{"arrow weights", "Arrow: metadata of the schema", "metadata",
		func(t *testing.T, r *release) { rewrite(t, r, &note, same) }},
	{"arrow weights", "Arrow: bytes between messages", "gaps", text("output", func(s string) string {
		end := len(s) - 10 - int(binary.LittleEndian.Uint32([]byte(s[len(s)-10:])))
		return s[:end] + "min a max e     " + s[end:]
	})},
	{"arrow weights", "Arrow: a value below a null", "pages", func(t *testing.T, r *release) {
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
			c := b.Column(0).Data()
			valid := memory.NewBufferBytes(bytes.Repeat([]byte{0xfe}, int(b.NumRows()+7)/8))
			masked := array.NewData(c.DataType(), c.Len(), []*memory.Buffer{valid, c.Buffers()[1], c.Buffers()[2]}, nil,
				array.UnknownNullCount, 0)
			return array.NewRecordBatch(b.Schema(), []arrow.Array{array.MakeFromData(masked), b.Column(1), b.Column(2)},
				b.NumRows())
		})
	}},
	{"arrow weights", "Arrow: bytes that no value uses", "pages", func(t *testing.T, r *release) {
		// The text of the first record batch takes the bytes that pad it.
		whole := []byte(mustRead(t, r.output))
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
	{"arrow weights", "Arrow: metadata of a column", "metadata", func(t *testing.T, r *release) {
		rewrite(t, r, &arrow.Metadata{}, same, note)
	}},
	{"arrow weights", "Arrow: columns in clear in other order", "copied columns", func(t *testing.T, r *release) {
		first := true
		rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
			if !first {
				return b
			}
			first = false
			k := array.NewInt64Builder(memory.DefaultAllocator)
			for i := range int(b.NumRows()) {
				k.Append(int64(i))
			}
			return array.NewRecordBatch(b.Schema(), []arrow.Array{b.Column(0), k.NewArray(), b.Column(2)}, b.NumRows())
		})
	}},
	{"arrow weights", "Arrow: the output cut in half", `"cut short"`, text("output", half)},
	{"arrow weights", "Arrow: a footer of noise", `"footer"`, text("output", noise(300, 10))},
})

// csvRelease is a release of a file of three columns, of which c may move by one place.
func csvRelease(t *testing.T) *release {
	t.Helper()
	r := &release{dir: folder(t)}
	r.input, r.output = filepath.Join(r.dir, "in.csv"), filepath.Join(r.dir, "out.csv")
	var in strings.Builder
	in.WriteString("\ufeffk;c;d\r\n")
	for i := range 4000 {
		fmt.Fprintf(&in, "%d;%s;\"x\r\n%d\"\r\n", i%97, abcde[i*i%5], i%11)
	}
	must(t, writeText(r.input, in.String()))
	seed := uint64(1)
	_, err := pipeline.Run(t.Context(), options{Input: r.input, Column: "c", Utility: ordered, Epsilon: "1.5",
		Output: r.output, Report: filepath.Join(r.dir, "report"), TestSeed: &seed, AllowSorted: true})
	must(t, err)
	r.load(t)
	return r
}

// lastRow is where the last row of a CSV file begins.
func lastRow(s string) int { return strings.LastIndex(s[:len(s)-3], "\"\r\n") + 3 }

// ofCSV change a CSV output, or how it is said to be written.
var ofCSV = of(hashed, []row{
	{"csv", "quotes of another cell", "copied columns", text("output", replace("\n7;", "\n\"7\";"))},
	{"csv", "a line end", "copied columns", text("output", replace("\"\r\n", "\"\n"))},
	{"csv", "no byte order mark", "copied columns", text("output", func(s string) string { return s[3:] })},
	{"csv", "the header's quotes", "copied columns", text("output", replace(";c;d", ";c;\"d\""))},
	{"csv", "quotes that tell", "quotes", text("output", replace(";b;", ";\"b\";"))},
	{"csv", "a row cut", `"row 4000"`, text("output", func(s string) string { return s[:lastRow(s)+3] })},
	{"csv", "another delimiter", `"no column"`, put("report.output.dialect.delimiter", ",")},
})
