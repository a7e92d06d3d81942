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
	"github.com/parquet-go/parquet-go"

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
	must(t, r.Field(0).AppendValueFromString("a"))
	must(t, r.Field(1).AppendValueFromString("7"))
	row := r.NewRecordBatch()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, ipc.WithSchema(s))
	must(t, err)
	for range n {
		must(t, w.Write(row))
	}
	must(t, w.Close())
	return b.Bytes()
}

// smallGroups is a Parquet file of n row groups of one row.
func smallGroups(t *testing.T, n int) []byte {
	t.Helper()
	type row struct {
		C string `parquet:"c"`
		K string `parquet:"k"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	for range n {
		_, err := w.Write([]row{{"a", "a"}})
		must(t, err)
		must(t, w.Flush())
	}
	must(t, w.Close())
	return b.Bytes()
}

// lookThrough does with a file all that verify does with it.
func lookThrough(t *testing.T, b []byte) {
	t.Helper()
	f, err := columnC.Open(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	must(t, toTheEnd(f))
	l, err := NewLetters(f.Type(), map[Label]int32{{Text: "a"}: 0}, Stranger)
	must(t, err)
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
		must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &from))
		lookThrough(t, b)
		must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &to))
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
				t.Error("twice the units take more than twice as much")
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
	must(t, err)
	if room := int64(held()) - int64(before); room > groups*600 {
		t.Errorf("%d row groups take %d bytes each", groups, room/groups)
	}
	runtime.KeepAlive(f)
	runtime.KeepAlive(raw)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
