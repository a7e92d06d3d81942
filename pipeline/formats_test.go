package pipeline_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestMainJob holds the main job to its exact figures.
func TestMainJob(t *testing.T) {
	for _, c := range []struct {
		path                    string
		records                 int64
		rank, of, allowed, next int
		factor, needs           string
		binding                 string
	}{
		{tables + "flights.parquet", 200_000, 130, 228, 99, 131, "5000/83", "200000/1257", "ITO"},
		{large, 3_000_000, 130, 229, 100, 131, "200000/3383", "3000000/18079", "ITO"},
	} {
		if _, err := os.Stat(c.path); err != nil {
			continue
		}
		r := run(t, flights(t.TempDir(), c.path, 1))
		f := r.Floor
		if r.Records != c.records || r.Letters != c.of || f.Rank != c.rank || f.Of != c.of || f.Least != c.allowed ||
			f.Most != c.allowed || r.Epsilon.Factor != c.factor {
			t.Errorf("%s: %d records, rank %d of %d, %d to %d outputs, factor %s", c.path, r.Records, f.Rank, f.Of, f.Least,
				f.Most, r.Epsilon.Factor)
		}
		if f.NextRank != c.next || f.NextNeed != c.needs || r.Binding == nil || r.Binding.Output.Text != c.binding ||
			!slices.ContainsFunc(r.Outputs, func(o report.Output) bool { return o.Factor == c.factor }) {
			t.Errorf("%s: next rank %d needs %s, binding %+v", c.path, f.NextRank, f.NextNeed, r.Binding)
		}
		for _, check := range r.Checks {
			if !check.Passed {
				t.Errorf("%s: %s failed", c.path, check.Name)
			}
		}
	}
}

// TestFormatsAgree writes the flights as Arrow IPC in record batches of the
// row groups' size: plan and order are the same bytes, the draws the same
// cells, and all kept columns are as they were, each read with a library that
// the other format was not written with.
func TestFormatsAgree(t *testing.T) {
	source, dir := fewFlights(t), t.TempDir()
	run(t, flights(dir, source, 7))
	kept := []string{"date", "delay"}
	before := parquetGoColumns(t, source, "date", "delay", "origin")
	drawn := parquetGoColumns(t, filepath.Join(dir, "out"), "date", "delay", "origin")
	same(t, "parquet", drawn, before, kept...)
	same(t, "parquet by arrow-go", arrowColumns(t, filepath.Join(dir, "out"), kept...), before, kept...)
	if slices.Equal(drawn["origin"], before["origin"]) {
		t.Error("origin was not redrawn")
	}
	for name, c := range map[string]struct {
		dictionary bool
		option     []ipc.Option
	}{
		"plain zstd": {false, []ipc.Option{ipc.WithZstd()}}, "dictionary": {true, nil},
		"dictionary lz4": {true, []ipc.Option{ipc.WithLZ4()}},
	} {
		t.Run(name, func(t *testing.T) {
			input := filepath.Join(t.TempDir(), "in.arrow")
			writeArrow(t, input, arrowTable(t, source), c.dictionary, c.option)
			ours := t.TempDir()
			run(t, flights(ours, input, 7))
			for _, file := range []string{"plan.json", "order.csv"} {
				if !bytes.Equal(read(t, filepath.Join(ours, "report", file)), read(t, filepath.Join(dir, "report", file))) {
					t.Errorf("%s differs from that of Parquet", file)
				}
			}
			after := arrowColumns(t, filepath.Join(ours, "out"), "date", "delay", "origin")
			same(t, "kept", after, before, kept...)
			same(t, "drawn", after, drawn, "origin")
			was, is := arrowTable(t, input).Schema(), arrowTable(t, filepath.Join(ours, "out")).Schema()
			for _, f := range is.Fields() {
				if old, _ := was.FieldsByName(f.Name); len(old) != 1 || f.Name != "origin" &&
					!arrow.TypeEqual(f.Type, old[0].Type) || f.Nullable != old[0].Nullable {
					t.Errorf("%s was %v and is %v", f.Name, old, f)
				}
			}
			origin, _ := is.FieldsByName("origin")
			if d, ok := origin[0].Type.(*arrow.DictionaryType); ok != c.dictionary || ok &&
				d.ValueType.ID() != arrow.LARGE_STRING || !ok && origin[0].Type.ID() != arrow.LARGE_STRING {
				t.Errorf("origin became %v", origin[0].Type)
			}
		})
	}
}

// writeArrow writes a table in batches of 50,000 rows, its strings in a
// dictionary if asked for.
func writeArrow(t *testing.T, path string, table arrow.Table, dictionary bool, option []ipc.Option) {
	t.Helper()
	var fields []arrow.Field
	var all []arrow.Array
	for i, f := range table.Schema().Fields() {
		chunks := table.Column(i).Data().Chunks()
		if f.Type.ID() == arrow.LARGE_STRING && dictionary {
			f.Type = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: f.Type}
			chunks = encode(f.Type.(*arrow.DictionaryType), chunks)
		}
		whole, err := array.Concatenate(chunks, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
		all = append(all, whole)
	}
	schema := arrow.NewSchema(fields, nil)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := ipc.NewFileWriter(f, append([]ipc.Option{ipc.WithSchema(schema)}, option...)...)
	if err != nil {
		t.Fatal(err)
	}
	quarter := (table.NumRows() + 3) / 4
	for from := int64(0); from < table.NumRows(); from += quarter {
		var part []arrow.Array
		for _, column := range all {
			part = append(part, array.NewSlice(column, from, min(from+quarter, table.NumRows())))
		}
		if err := w.Write(array.NewRecordBatch(schema, part, int64(part[0].Len()))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// encode makes a dictionary in the order in which values come.
func encode(d *arrow.DictionaryType, chunks []arrow.Array) []arrow.Array {
	entries, index := array.NewLargeStringBuilder(memory.DefaultAllocator), array.NewUint16Builder(memory.DefaultAllocator)
	place := map[string]uint16{}
	for _, chunk := range chunks {
		for i := range chunk.Len() {
			v := chunk.ValueStr(i)
			if _, ok := place[v]; !ok {
				place[v] = uint16(len(place))
				entries.Append(v)
			}
			index.Append(place[v])
		}
	}
	return []arrow.Array{array.NewDictionaryArray(d, index.NewArray(), entries.NewArray())}
}
