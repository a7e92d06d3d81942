package files

import (
	"bytes"
	"math"
	"runtime"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	arrowio "github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// columnC is the column of most tests.
var columnC = Column{Name: "c", Lengths: Lengths{arrowio.Heads, arrowio.ReadSchema, meta.Check}}

// smallBatches is an Arrow file of n record batches of one row.
func smallBatches(t *testing.T, n int) []byte {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "c", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "k", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	r := array.NewRecordBuilder(memory.DefaultAllocator, s)
	if err := r.Field(0).AppendValueFromString("a"); err != nil {
		t.Fatal(err)
	}
	r.Field(1).(*array.Int64Builder).Append(7)
	row := r.NewRecordBatch()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, ipc.WithSchema(s))
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// smallGroups is a Parquet file of n row groups of one row.
func smallGroups(t *testing.T, n int) []byte {
	t.Helper()
	leaf := func(name string) schema.Node { return schema.NewByteArrayNode(name, parquet.Repetitions.Required, -1) }
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{leaf("c"), leaf("k")}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	for range n {
		g := w.AppendRowGroup()
		for range 2 {
			c, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.(*file.ByteArrayColumnChunkWriter).WriteBatch([]parquet.ByteArray{parquet.ByteArray("a")}, nil,
				nil); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lookThrough does with a file all that verify does with it.
func lookThrough(t *testing.T, b []byte) {
	t.Helper()
	f, err := columnC.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if err := toTheEnd(f); err != nil {
		t.Fatal(err)
	}
	l, err := NewLetters(f.Type(), map[Label]int32{{Text: "a"}: 0}, Stranger)
	if err != nil {
		t.Fatal(err)
	}
	f.Scan(l, nil)
	if !f.Same(f, nil) {
		t.Fatal("a file differs from itself")
	}
}

// cost is the least CPU time of three tries, in seconds, and how many bytes a
// try took, live or not.
func cost(t *testing.T, b []byte) (seconds, allocated float64) {
	t.Helper()
	seconds = math.Inf(1)
	for range 3 {
		var was, is runtime.MemStats
		var from, to syscall.Rusage
		runtime.GC()
		runtime.ReadMemStats(&was)
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &from); err != nil {
			t.Fatal(err)
		}
		lookThrough(t, b)
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &to); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&is)
		used := func(r syscall.Rusage) float64 { return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9 }
		seconds, allocated = min(seconds, used(to)-used(from)), float64(is.TotalAlloc-was.TotalAlloc)
	}
	return seconds, allocated
}

// Twice the record batches or row groups take twice the time, not four times.
func TestLinear(t *testing.T) {
	for name, c := range map[string]struct {
		write func(*testing.T, int) []byte
		units int
	}{"record batches": {smallBatches, 8000}, "row groups": {smallGroups, 4000}} {
		t.Run(name, func(t *testing.T) {
			seconds, allocated := cost(t, c.write(t, c.units))
			twice, more := cost(t, c.write(t, 2*c.units))
			t.Logf("%d units: %.2f s, %.0f MB; %d: %.2f s, %.0f MB", c.units, seconds, allocated/1e6, 2*c.units, twice, more/1e6)
			if !(more <= 2.3*allocated) || !(twice <= 2.6*seconds+.1) {
				t.Errorf("%d units took %.2f s and %.0f MB, %d took %.2f s and %.0f MB", c.units, seconds, allocated/1e6, 2*c.units,
					twice, more/1e6)
			}
		})
	}
}

// What is kept of a footer is little: two chunks of a row group take less than 600 bytes.
func TestFooterRoom(t *testing.T) {
	const groups = 4000
	raw := smallGroups(t, groups)
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	f, err := columnC.Open(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if room := int64(held()) - int64(before); room > groups*600 {
		t.Errorf("%d row groups take %d bytes each", groups, room/groups)
	}
	runtime.KeepAlive(f)
	runtime.KeepAlive(raw)
}
