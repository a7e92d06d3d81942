package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// secret stands in every value of text, and may stand in nothing that is told.
const secret = "xyzzy"

// world is rows of many types, with nulls.
func world(rows int) arrow.RecordBatch {
	r := rand.New(rand.NewPCG(1, 2))
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "twin", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "small", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		{Name: "large", Type: arrow.PrimitiveTypes.Uint32, Nullable: true},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "float", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "time", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "id", Type: arrow.BinaryTypes.String},
		{Name: "raw", Type: &arrow.FixedSizeBinaryType{ByteWidth: 3}, Nullable: true},
	}, nil))
	defer b.Release()
	for i := range rows {
		v := r.IntN(20) * r.IntN(2)
		for c := range b.Fields() {
			if r.IntN(9) == 0 && c != 1 && c != 8 {
				b.Field(c).AppendNull()
				continue
			}
			switch f := b.Field(c).(type) {
			case *array.StringBuilder:
				f.Append([]string{fmt.Sprint(secret, v), fmt.Sprint(secret, v/2), fmt.Sprint(secret, i)}[min(c, 2)])
			case *array.Int8Builder:
				f.Append(int8(v - 10))
			case *array.Uint32Builder:
				f.Append(math.MaxUint32 - uint32(v))
			case *array.BooleanBuilder:
				f.Append(r.IntN(3) == 0)
			case *array.Date32Builder:
				f.Append(arrow.Date32(19000 + r.IntN(30)))
			case *array.Float64Builder:
				f.Append(float64(r.IntN(50)) / 7)
			case *array.TimestampBuilder:
				f.Append(arrow.Timestamp(r.IntN(40)) * 4e8 * 1e6) // some 12 years
			case *array.FixedSizeBinaryBuilder:
				f.Append([]byte{byte(v), 1, 2})
			}
		}
	}
	return b.NewRecordBatch()
}

// write writes the batch in a format, in units of some rows.
func write(t *testing.T, batch arrow.RecordBatch, format string, unit int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	switch format {
	case "arrow":
		w, err = ipc.NewFileWriter(f, ipc.WithSchema(batch.Schema()))
	default:
		options := []parquet.WriterProperty{parquet.WithMaxRowGroupLength(unit), parquet.WithDataPageSize(2000),
			parquet.WithDictionaryPageSizeLimit(1 << 10), parquet.WithDictionaryDefault(format != "plain")}
		if format == "plain" {
			options = append(options, parquet.WithDataPageVersion(parquet.DataPageV2),
				parquet.WithEncodingFor("flag", parquet.Encodings.RLE)) // which parquet-go decodes wrongly
		}
		w, err = pqarrow.NewFileWriter(batch.Schema(), f, parquet.NewWriterProperties(options...),
			pqarrow.DefaultWriterProps())
	}
	if err != nil {
		t.Fatal(err)
	}
	for from := int64(0); from < batch.NumRows(); from += unit {
		if err := w.Write(batch.NewSlice(from, min(from+unit, batch.NumRows()))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCounts: in every format, with and without dictionaries, figures are those of a
// count by hand, and nothing that is told holds a value.
func TestCounts(t *testing.T) {
	batch := world(7001)
	for _, format := range []string{"parquet", "plain", "arrow"} {
		path := write(t, batch, format, 1900)
		f, err := Look(context.Background(), Request{Path: path})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if f.Rows != batch.NumRows() || f.Read != f.Rows || len(f.Columns) != int(batch.NumCols()) {
			t.Fatalf("%s: %d rows, %d read, %d columns", format, f.Rows, f.Read, len(f.Columns))
		}
		for i, c := range f.Columns {
			a := batch.Column(i)
			count := map[string]int64{}
			for row := range a.Len() {
				if a.IsValid(row) {
					count[a.ValueStr(row)]++
				}
			}
			least, most := int64(math.MaxInt64), int64(0)
			for _, n := range count {
				least, most = min(least, n), max(most, n)
			}
			share := float64(most) / float64(a.Len()-a.NullN())
			if c.Values != len(count) || c.More || c.Nulls != int64(a.NullN()) || c.Rarest != least ||
				!(math.Abs(c.Commonest-share) < 1e-12) {
				t.Errorf("%s, %s: %+v, want %d values, %d nulls, rarest %d, commonest %v", format, c.Name, c, len(count),
					a.NullN(), least, share)
			}
			bins := map[string]string{"float": "width:0.5", "time": "decade"}[c.Name]
			if c.ID != (c.Name == "id") || c.Bins != bins || c.Private != (bins != "" || slices.Contains([]string{"text",
				"twin", "small", "large", "flag", "day"}, c.Name)) {
				t.Errorf("%s, %s: identifier %v, bins %q, private %v", format, c.Name, c.ID, c.Bins, c.Private)
			}
		}
		var text, document bytes.Buffer
		if err := f.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if err := f.WriteJSON(&document); err != nil || !json.Valid(document.Bytes()) {
			t.Fatal(err)
		}
		if strings.Contains(text.String()+document.String(), secret) {
			t.Errorf("%s: a value is told:\n%s", format, text.String())
		}
	}
}

// one is the source of one text.
type one string

func (o one) Int(int) int64    { return 0 }
func (o one) Bytes(int) []byte { return []byte(o) }

// TestMany: what is not counted is told of as more, and estimated; the commonest
// value, which comes first, keeps its count.
func TestMany(t *testing.T) {
	for _, text := range []bool{false, true} {
		a := newTally(1)
		const values = 400_000
		for i := range values {
			for _, v := range []int{i, i, 0} {
				cells := table.Values{Type: table.CellType{Form: table.IntegerCells}, Code: []int32{0}, Whole: []int64{int64(v)}}
				if text {
					cells.Type.Form, cells.Source, cells.Whole = table.TextCells, one(fmt.Sprint("value ", v)), nil
				}
				a.take(&cells, 1)
			}
		}
		if about := a.about(); !a.full || a.len() != mostValues || !(math.Abs(float64(about)/values-1) < .1) ||
			a.most() != values+2 {
			t.Errorf("%d values, full %v, about %d, commonest %d", a.len(), a.full, about, a.most())
		}
	}
	// Few long values take as much room as many short ones.
	a := newTally(1)
	for i := range 100 {
		a.written(append(bytes.Repeat([]byte{'x'}, 1<<20), byte(i)))
	}
	if !a.full || a.len() > 8 {
		t.Errorf("%d values of a MiB are kept, full %v", a.len(), a.full)
	}
}

// TestPart: of a file with more cells than are wanted a part of every unit is read, and
// all figures say so.
func TestPart(t *testing.T) {
	f := &File{Path: "f", Rows: 1 << 30}
	if n := f.part(1<<20, 64); n != 1<<10 {
		t.Errorf("%d rows are read, want 1024", n)
	}
	if n := f.part(5, 64); n != 1 {
		t.Errorf("%d rows of a small unit are read", n)
	}
	f.Read = 1 << 20
	if s := f.basis(); !strings.HasPrefix(s, "from a sample: ") || !strings.Contains(s, "1048576 of 1073741824 in all") {
		t.Error(s)
	}
}

// TestSuits names orders by the values, and quotes none.
func TestSuits(t *testing.T) {
	each := func(format string, n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf(format, i))
		}
		return out
	}
	for _, c := range []struct {
		name, kind string
		labels     []string
		want       string
	}{
		{"a", "string", []string{"TX", "CA"}, "us-states"},
		{"a", "string", []string{"Texas", "Ohio"}, "us-states"},
		{"a", "string", []string{"TX", "xx"}, "ordered:@a.txt"},
		{"a", "string", []string{"DE", "AT", "JP"}, "countries"},
		{"a", "string", []string{"DEU", "AUT"}, "countries"},
		{"age", "int32", []string{"12", "30"}, "numeric"},
		{"age", "string", []string{"12", "30"}, "numeric"},
		{"state_fips", "int32", []string{"12", "30"}, "us-states"},
		{"country", "string", []string{"004", "276"}, "countries"},
		{"a", "int32", []string{"1994", "2001"}, "numeric"},
		{"a", "string", []string{"1994", "2001"}, "numeric"},
		{"a", "string", []string{"1.5", "-2"}, "numeric"},
		{"a", "date", []string{"2020-01-01"}, "numeric"},
		{"a", "boolean", []string{"true", "false"}, "numeric"},
		{"a", "string", each("10%03d", 200), "prefix:3,4"},
		{"../a b", "string", each("name %d", 50), "hierarchy:___a_b.csv"},
	} {
		kind := kindNamed(c.kind)
		spec, why, fill := suits(c.name, kind, c.labels)
		if spec != c.want || why == "" || fill != strings.Contains(c.want, ".") {
			t.Errorf("%s %q: %s (%v), want %s", c.kind, c.labels[:min(3, len(c.labels))], spec, fill, c.want)
		}
	}
}

// TestBins: bins follow from the span alone, in round numbers; none are suggested for
// what no bin holds.
func TestBins(t *testing.T) {
	for _, c := range []struct {
		name, want string
		values     []float64
	}{
		{"double", "width:0.05", []float64{0, 0.999}}, {"double", "width:500", []float64{-1, 9000}},
		{"int64", "width:1", []float64{3, 9}}, {"int64", "width:20", []float64{0, 300}},
		{"double", "", []float64{1, math.NaN()}}, {"double", "", []float64{math.Inf(1), 1, 2}}, {"double", "", []float64{7}},
		{"decimal(5,1)", "width:0.5", []float64{1, 9}}, {"decimal(5,1)", "width:0.1", []float64{1, 1.5}},
		{"us", "hour", []float64{0, 86400e6}}, {"ms", "week", []float64{0, 200 * 86400e3}},
		{"s", "year", []float64{0, 50 * 365 * 86400}}, {"ns", "", []float64{0, 700 * 365 * 86400e9}},
		{"date", "month", []float64{0, 4 * 365}},
	} {
		column := &Column{calendar: !strings.Contains("double int64 decimal(5,1)", c.name), numbers: true,
			tally: newTally(1), cell: map[string]table.CellType{"double": {Form: table.FloatCells},

				"int64": {Form: table.IntegerCells}, "decimal(5,1)": {Form: table.DecimalCells, Scale: 1},
				"date": {Form: table.DateCells}, "us": {Form: table.TimestampCells, Ticks: 1e6},
				"ms": {Form: table.TimestampCells, Ticks: 1e3}, "s": {Form: table.TimestampCells, Ticks: 1},
				"ns": {Form: table.TimestampCells, Ticks: 1e9}}[c.name]}
		for _, v := range c.values {
			column.tally.span.take(v)
		}
		if got := column.bins(); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.name, c.values, got, c.want)
		}
	}
}

// TestQuantiles: where one bin of a width would hold most records, edges are round numbers
// near quantiles; numbers that are codes are in no bins.
func TestQuantiles(t *testing.T) {
	values := newTally(1)
	for k := range 1000 {
		values.count[values.find(uint64(k*k*k), 0)]++
	}
	whole := table.CellType{Form: table.IntegerCells}
	got := strings.Join(values.quantiles(whole, 200e6), ",")
	if want := "0,1000000,10000000,20000000,50000000,100000000,200000000,500000000,1000000000,inf"; got != want {
		t.Errorf("edges %s, want %s", got, want)
	}
	if got := values.quantiles(whole, 1e5); got != nil {
		t.Errorf("no bin of 100,000 holds half of the records: %q", got)
	}
	for name, c := range map[string]struct {
		labels []string
		are    bool
	}{"zip": {[]string{"12345", "99999"}, true}, "a": {[]string{"01234", "12345"}, true},
		"b": {[]string{"12345", "99999"}, false}, "code": {[]string{"1", "22"}, false}} {
		if codes(name, c.labels) != c.are {
			t.Errorf("%s %q: codes %v", name, c.labels, !c.are)
		}
	}
}

// TestDamage: whatever byte of a file is wrong, reading it ends with one line, and no
// figure or a right number of rows.
func TestDamage(t *testing.T) {
	batch := world(300)
	for _, format := range []string{"parquet", "arrow"} {
		whole, err := os.ReadFile(write(t, batch, format, 100))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(5, 6))
		path := filepath.Join(t.TempDir(), "damaged")
		for range 80 {
			data := slices.Clone(whole)
			for range 3 {
				data[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
			}
			if r.IntN(4) == 0 {
				data = data[:r.IntN(len(data))]
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err := Look(context.Background(), Request{Path: path})
			if err != nil && (fault.As(err).Class != fault.Input || strings.Contains(err.Error(), "\n") ||
				strings.Contains(err.Error(), secret)) {
				t.Errorf("%s: class %d: %q", format, fault.As(err).Class, err)
			}
			if time.Since(began) > 20*time.Second {
				t.Errorf("%s: %v for a damaged file", format, time.Since(began))
			}
		}
	}
}

func kindNamed(name string) table.Type {
	kind, ok := table.ParseType(name)
	if !ok {
		panic(name)
	}
	return kind
}

// TestCells: text of CSV says whether it is numbers or times, one odd cell and it is
// neither; the span of whole numbers has whole widths.
func TestCells(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  form
		part  bool
	}{
		{[]string{"1", "-20", "+3"}, number, false},
		{[]string{"1", "2.5"}, number, true},
		{[]string{"2020-01-31", "2021-01-31 10:00:00"}, date, false},
		{[]string{"2020-01-31T10:00:00Z"}, date, false},
		{[]string{"1", "2020-01-31"}, other, false},
		{[]string{"1", "1e5"}, other, false},
		{[]string{"1", "NaN"}, other, false},
		{[]string{"-", "1"}, other, false},
		{[]string{"1.2.3"}, other, false},
		{nil, none, false},
	} {
		var w written
		var s span
		for _, cell := range c.cells {
			w.take([]byte(cell), &s)
		}
		if w.as != c.want || w.part != c.part && c.want == number {
			t.Errorf("%q: form %d, with a point %v", c.cells, w.as, w.part)
		}
	}
}

// TestEdges are round, inside the span, and open at both ends.
func TestEdges(t *testing.T) {
	day := func(s string) float64 {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return float64(d.Unix())
	}
	for _, c := range []struct {
		low, high       float64
		calendar, whole bool
		want            string
	}{
		{3, 97, false, true, "-inf,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85,90,95,inf"},
		{-0.03, 0.11, false, false, "-inf,-0.02,-0.01,0,0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08,0.09,0.1,0.11,inf"},
		{day("2020-11-15"), day("2025-02-01"), true, false, "-inf,2020-12-01,2021-01-01,"},
		{day("1950-03-03"), day("2019-03-03"), true, false,
			"-inf,1960-01-01,1970-01-01,1980-01-01,1990-01-01,2000-01-01,2010-01-01,inf"},
		{day("2020-01-01"), day("2020-03-20"), true, false, "-inf,2020-01-06,2020-01-13,"},
		{day("2020-01-01"), day("2020-01-02") - 1, true, false, "-inf,2020-01-01T01:00:00,"},
		{day("2010-11-15"), day("2024-02-01"), true, false, "-inf,2011-01-01,2011-04-01,"},
	} {
		f := &File{Columns: []Column{{Name: "a", calendar: c.calendar, numbers: !c.calendar,
			text: written{part: !c.whole}, tally: newTally(1)}}}
		f.Columns[0].tally.span.take(c.low)
		f.Columns[0].tally.span.take(c.high)
		f.Columns[0].rule = f.Columns[0].bins()
		got := strings.Join(f.Edges("a"), ",")
		if !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, ",inf") {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
		if _, err := table.ParseBins(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
	if e := (&File{Columns: []Column{{Name: "a", tally: newTally(1)}}}).Edges("a"); e != nil {
		t.Errorf("a column without a span has edges %v", e)
	}
}
