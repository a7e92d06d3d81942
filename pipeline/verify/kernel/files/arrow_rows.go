package files

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Digests reads whole record batches by arrow-go: a cell is its value, however a
// dictionary or a list has it.
func (a *arrowFile) Digests(columns []string) (_ []Digest, err error) {
	defer guard(&err, "has columns that cannot be decoded")
	s := newRowSum(a.rows)
	first := 0
	for unit, n := range a.rows {
		batch, err := a.batch(unit)
		if err != nil {
			return nil, err
		}
		for row := range int(n) {
			s.put(first + row)
		}
		for i, name := range a.name {
			if !slices.Contains(columns, name) {
				continue
			}
			for row := range int(n) {
				if !s.arrowCell(batch.Column(i), row) {
					return nil, errorf("has a column %q of a type whose rows are not compared", name)
				}
				s.put(first + row)
			}
		}
		first += int(n)
		batch.Release()
	}
	return s.row, nil
}

// arrowCell appends a cell; false for one of a type that is not read.
func (s *rowSum) arrowCell(a arrow.Array, i int) bool {
	if e, ok := a.(array.ExtensionArray); ok {
		return s.arrowCell(e.Storage(), i)
	}
	if d, ok := a.(*array.Dictionary); ok && d.IsValid(i) {
		return s.arrowCell(d.Dictionary(), d.GetValueIndex(i))
	}
	if a.DataType().ID() == arrow.NULL || a.IsNull(i) {
		s.cell = append(s.cell, 0)
		return true
	}
	s.cell = append(s.cell, 1)
	switch a := a.(type) {
	case *array.Boolean:
		s.cell = append(s.cell, map[bool]byte{false: 0, true: 1}[a.Value(i)])
	case array.StringLike:
		s.text([]byte(a.Value(i)))
	case interface{ Value(int) []byte }:
		s.text(a.Value(i))
	case *array.Struct:
		for k := range a.NumField() {
			if !s.arrowCell(a.Field(k), i) {
				return false
			}
		}
	case *array.List, *array.LargeList, *array.FixedSizeList, *array.Map:
		list := a.(array.ListLike)
		from, to := list.ValueOffsets(i)
		s.cell = binary.AppendUvarint(s.cell, uint64(to-from))
		for k := from; k < to; k++ {
			if !s.arrowCell(list.ListValues(), int(k)) {
				return false
			}
		}
	default:
		t, ok := a.DataType().(arrow.FixedWidthDataType)
		if !ok || t.BitWidth()%8 != 0 || len(a.Data().Buffers()) != 2 {
			return false
		}
		width, at := t.BitWidth()/8, i+a.Data().Offset()
		s.cell = append(s.cell, a.Data().Buffers()[1].Bytes()[at*width:(at+1)*width]...)
	}
	return true
}
