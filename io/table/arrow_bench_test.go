package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// benchmarkArrow gives each storage of 2^20 rows of 300 letters to f, which
// has one processor to itself.
func benchmarkArrow(b *testing.B, f func(b *testing.B, file table.File, in []*table.Alphabet)) {
	const rows = 1 << 20
	r := rand.New(rand.NewPCG(1, 2))
	text, number := cells{typ: table.Type{Kind: table.Text}},
		cells{typ: table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}}
	for range rows {
		n := r.IntN(300)
		text.value = append(text.value, table.Value{Bytes: fmt.Sprintf("%03d", n)})
		number.value = append(number.value, table.Value{Int: int64(n * 7)})
	}
	for _, dt := range []arrow.DataType{
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
		arrow.BinaryTypes.String, arrow.BinaryTypes.StringView, arrow.PrimitiveTypes.Int32,
	} {
		b.Run(dt.String(), func(b *testing.B) {
			c := text
			if dt.ID() == arrow.INT32 {
				c = number
			}
			file, err := open(inMemory(writeArrow(b, 1<<17, []arrow.DataType{dt}, []cells{c}, 0)),
				table.Request{Private: []string{"a"}, Threads: 1})
			if err != nil {
				b.Fatal(err)
			}
			in, _, err := file.Scan(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				f(b, file, in)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}

func BenchmarkArrowScan(b *testing.B) {
	benchmarkArrow(b, func(b *testing.B, file table.File, in []*table.Alphabet) {
		if _, _, err := file.Scan(context.Background()); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkArrowRewrite(b *testing.B) {
	benchmarkArrow(b, func(b *testing.B, file table.File, in []*table.Alphabet) {
		if err := file.Rewrite(context.Background(), discard{}, in, in,
			func(table.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
	})
}
