package arrow

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tacet-privacy/tacet/io/table"
)

// leaves counts those of a list, a map or a struct, 0 for another type.
func leaves(t arrow.DataType) int {
	switch t := t.(type) {
	case *arrow.StructType:
		n := 0
		for _, f := range t.Fields() {
			n += max(1, leaves(f.Type))
		}
		return n
	case arrow.ListLikeType:
		return max(1, leaves(t.Elem()))
	}
	return 0
}

// nestedOf gives the leaves of the cells of a nested array.
func nestedOf(a arrow.Array) func(i int) []byte {
	nest, n, text := &table.Nest{}, leaves(a.DataType()), []byte(nil)
	return func(i int) []byte {
		nest.Begin(n)
		gather(nest, a, i, 0)
		text = nest.Append(text[:0])
		return text
	}
}

// gather adds the leaves of a cell, the first of which is leaf.
func gather(to *table.Nest, a arrow.Array, i, leaf int) {
	if a.IsNull(i) {
		return
	}
	switch a := a.(type) {
	case *array.Struct:
		for f := range a.NumField() {
			gather(to, a.Field(f), i, leaf)
			leaf += max(1, leaves(a.Field(f).DataType()))
		}
	case array.ListLike:
		from, end := a.ValueOffsets(i)
		for k := from; k < end; k++ {
			gather(to, a.ListValues(), int(k), leaf)
		}
	default:
		to.Add(leaf, []byte(a.ValueStr(i)))
	}
}
