package table_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/tacet-privacy/tacet/io/table"
)

// arrowCodecs are the ways in which bodies are compressed.
var arrowCodecs = []struct {
	name   string
	option []ipc.Option
}{
	{"none", nil},
	{"lz4", []ipc.Option{ipc.WithLZ4()}},
	{"zstd", []ipc.Option{ipc.WithZstd()}},
}

func TestArrowTypesAndNulls(t *testing.T) {
	for _, typ := range parquetTypes {
		for _, dt := range arrowStorage(typ) {
			for i, p := range nullPatterns {
				t.Run(fmt.Sprintf("%v/%v/%s", typ, dt, p.name), func(t *testing.T) {
					c := makeCells(typ, 250, 20, p.null)
					for _, codec := range []int{0, 1 + i%2} {
						checkFile(t, writeArrow(t, 110, []arrow.DataType{dt}, []cells{c}, 1,
							arrowCodecs[codec].option...), []string{"a"}, c)
					}
				})
			}
		}
	}
}

func TestArrowSizes(t *testing.T) {
	for _, rows := range []int{0, 1, table.BatchRows - 1, table.BatchRows, table.BatchRows + 1, 3*table.BatchRows + 7} {
		for _, p := range nullPatterns[:4] {
			t.Run(fmt.Sprintf("%d/%s", rows, p.name), func(t *testing.T) {
				text, number := makeCells(table.Type{Kind: table.Text}, rows, 100, p.null),
					makeCells(table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}, rows, 9, nil)
				types := []arrow.DataType{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16,
					ValueType: arrow.BinaryTypes.String}, arrow.PrimitiveTypes.Int32}
				file := writeArrow(t, 1<<20, types, []cells{text, number}, 2)
				checkFile(t, file, []string{"a", "b"}, text, number)
				checkFile(t, file, []string{"b", "a"}, number, text)
			})
		}
	}
}

func TestArrowNeighbours(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 300, 20, nullPatterns[4].null)
	for _, codec := range arrowCodecs {
		checkFile(t, writeArrow(t, 70, []arrow.DataType{arrow.BinaryTypes.StringView}, []cells{c}, len(arrowNeighbours),
			codec.option...), []string{"a"}, c)
	}
}
