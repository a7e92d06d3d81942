package verify_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
)

// rename gives inputs and outputs of the plan of that label another one.
func rename(was, is string) func(*testing.T, *release) {
	return func(t *testing.T, r *release) {
		n := 0
		for _, list := range []string{"inputs", "outputs"} {
			labels := r.plan[list].([]any)
			for i, l := range labels {
				if l == was {
					labels[i], n = is, n+1
				}
			}
		}
		if n < 2 {
			t.Fatalf("%q stands %d times in the plan", was, n)
		}
	}
}

// entry puts another value in place of one of the dictionary of every row group; the
// checksum of the page is that of what it holds.
func entry(was, is []byte) func(*testing.T, *release) {
	return func(t *testing.T, r *release) {
		edit(func(k *tree) {
			for g := range k.meta.Get(parquetmeta.MetaGroups).Len() {
				m := k.column(g, 0)
				from, data, size := num(m, parquetmeta.ColumnDictionaryPage), num(m, parquetmeta.ColumnDataPage),
					num(m, parquetmeta.ColumnSize)
				head, used, err := parquetmeta.ParseStruct(k.data[from:])
				must(t, err)
				body := bytes.Replace(k.data[from+int64(used):data], was, is, 1)
				if bytes.Equal(body, k.data[from+int64(used):data]) {
					t.Fatal("the dictionary does not hold the value")
				}
				head.Set(4, parquetmeta.Int(parquetmeta.I32, int64(int32(crc32.ChecksumIEEE(body)))))
				k.move(m, slices.Concat(head.Encode(nil), body), bytes.Clone(k.data[data:from+size]))
				m.Set(parquetmeta.ColumnUncompressedSize, i64(num(m, parquetmeta.ColumnSize)))
			}
		})(t, r)
	}
}

func double(f float64) []byte {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))
}

// another is how a column of other values than the bins' is refused.
const another = `"another type than the values of the plan's bins"`

// ofBins change values that stand for bins.
var ofBins = []alteration{
	{name: "a value of a bin changed inside it", base: "bins as floats", want: "alphabet",
		do: entry(double(.1), double(.2))},
	{name: "a value of a bin moved to the next float", base: "bins as floats", want: "alphabet",
		do: entry(double(.1), double(math.Nextafter(.1, 1)))},
	{name: "a value that is written in two ways", base: "bins as floats", want: "bins", do: rename("0.1", "0.10")},
	{name: "bins as floats of another width", base: "bins as floats", want: another,
		do: func(t *testing.T, r *release) { at(r.plan, "bins")["of"] = "float32" }},
	{name: "a decimal that is no middle", base: "bins as decimals", want: "bins", do: func(t *testing.T, r *release) {
		rename("1.25", "1.26")(t, r)
		entry([]byte{0, 0, 0, 125}, []byte{0, 0, 0, 126})(t, r)
	}},
	{name: "a timestamp a microsecond late", base: "arrow bins as timestamps", want: "alphabet", do: late},
	{name: "a time of day among dates", base: "arrow bins as dates", want: "alphabet", do: late},
}

// late writes the column of an Arrow file again, with one value a tick later.
func late(t *testing.T, r *release) {
	rewrite(t, r, nil, func(b arrow.RecordBatch) arrow.RecordBatch {
		n := array.NewBuilder(memory.DefaultAllocator, b.Column(0).DataType())
		for i := range int(b.NumRows()) {
			later := int64(0)
			if i == 3 {
				later = 1
			}
			switch was := b.Column(0).(type) {
			case *array.Timestamp:
				n.(*array.TimestampBuilder).Append(was.Value(i) + arrow.Timestamp(later))
			case *array.Date64:
				n.(*array.Date64Builder).Append(was.Value(i) + arrow.Date64(later))
			}
		}
		return array.NewRecordBatch(b.Schema(), []arrow.Array{n.NewArray(), b.Column(1), b.Column(2)}, b.NumRows())
	})
}
