package arrow

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var errType = errors.New("a type without an order of rows")

// inOrder is a column with the row order[i] at place i. Nothing in it stands as it
// did before: no offset, no value that no row has, no order of a dictionary.
//
// Package compute of arrow-go takes rows too, and leaves dictionaries as they are. It makes
// the program 71 MB large instead of 51.
func inOrder(pieces []arrow.Array, order []uint32) (arrow.Array, error) {
	if len(pieces) == 0 {
		return nil, errType
	}
	whole, err := array.Concatenate(pieces, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	if whole.Len() != len(order) {
		return nil, errType
	}
	at := make([]int, len(order))
	for i, k := range order {
		at[i] = int(k)
	}
	return gathered(whole, at)
}

// gathered are the rows at these places of an array.
func gathered(a arrow.Array, at []int) (_ arrow.Array, err error) {
	valid, nulls := gatheredBits(at, a.IsValid)
	if nulls == 0 {
		valid = nil
	}
	made := func(children []arrow.ArrayData, buffers ...*memory.Buffer) arrow.Array {
		return array.MakeFromData(array.NewData(a.DataType(), len(at), append([]*memory.Buffer{valid}, buffers...), children,
			nulls, 0))
	}
	switch a := a.(type) {
	case *array.Null:
		return array.NewNull(len(at)), nil
	case array.ExtensionArray:
		storage, err := gathered(a.Storage(), at)
		if err != nil {
			return nil, err
		}
		return array.NewExtensionArrayWithStorage(a.ExtensionType(), storage), nil
	case *array.Boolean:
		values, _ := gatheredBits(at, a.Value)
		return made(nil, values), nil
	case *array.Dictionary:
		return renumbered(a, at)
	case *array.Struct:
		var children []arrow.ArrayData
		for i := range a.NumField() {
			child, err := gathered(a.Field(i), at)
			if err != nil {
				return nil, err
			}
			children = append(children, child.Data())
		}
		return made(children), nil
	case *array.List, *array.Map, *array.LargeList, *array.FixedSizeList:
		below, offsets := elements(a.(array.ListLike), at)
		if len(below) > math.MaxInt32 && a.DataType().ID() != arrow.LARGE_LIST {
			return nil, errType
		}
		child, err := gathered(a.(array.ListLike).ListValues(), below)
		if err != nil {
			return nil, err
		}
		return made([]arrow.ArrayData{child.Data()}, offsets...), nil
	case interface{ Value(int) string }:
		return texts(a.(arrow.Array), at, a.Value)
	case interface{ Value(int) []byte }:
		return texts(a.(arrow.Array), at, a.Value)
	}
	t, ok := a.DataType().(arrow.FixedWidthDataType)
	if !ok || t.BitWidth()%8 != 0 {
		return nil, errType
	}
	return made(nil, memory.NewBufferBytes(gatheredBytes(a, at, t.BitWidth()/8, valid))), nil
}

// gatheredBits are the bits at these places, and how many of them are 0.
func gatheredBits(at []int, set func(i int) bool) (*memory.Buffer, int) {
	bits, zeros := make([]byte, bitutil.BytesForBits(int64(len(at)))), 0
	for i, k := range at {
		if set(k) {
			bits[i/8] |= 1 << (i % 8)
		} else {
			zeros++
		}
	}
	return memory.NewBufferBytes(bits), zeros
}

// gatheredBytes are the values of some bytes at these places; what stands under a
// null is zero.
func gatheredBytes(a arrow.Array, at []int, width int, valid *memory.Buffer) []byte {
	out := make([]byte, len(at)*width)
	if len(at) == 0 {
		return out
	}
	from := a.Data().Buffers()[1].Bytes()[a.Data().Offset()*width:]
	for i, k := range at {
		if valid == nil || bitutil.BitIsSet(valid.Bytes(), i) {
			copy(out[i*width:], from[k*width:(k+1)*width])
		}
	}
	return out
}

// elements are the places of the elements of lists, one list after the other, and the offsets
// of these, of which lists of one size have none.
func elements(a array.ListLike, at []int) (below []int, offsets []*memory.Buffer) {
	wide := a.DataType().ID() == arrow.LARGE_LIST
	fixed := a.DataType().ID() == arrow.FIXED_SIZE_LIST
	var ends []byte
	for i := -1; i < len(at); i++ {
		if i >= 0 && (fixed || a.IsValid(at[i])) {
			for from, to := a.ValueOffsets(at[i]); from < to; from++ {
				below = append(below, int(from))
			}
		}
		if wide {
			ends = binary.LittleEndian.AppendUint64(ends, uint64(len(below)))
		} else {
			ends = binary.LittleEndian.AppendUint32(ends, uint32(len(below)))
		}
	}
	if fixed {
		return below, nil
	}
	return below, []*memory.Buffer{memory.NewBufferBytes(ends)}
}

// texts are strings or bytes at these places. Those of long views stand in the order of the
// rows.
func texts[T string | []byte](a arrow.Array, at []int, value func(i int) T) (arrow.Array, error) {
	b := array.NewBuilder(memory.DefaultAllocator, a.DataType())
	b.Reserve(len(at))
	to, size, most := b.(interface{ Append(T) }), 0, math.MaxInt
	switch a.DataType().ID() {
	case arrow.STRING, arrow.BINARY, arrow.STRING_VIEW, arrow.BINARY_VIEW:
		most = math.MaxInt32
	}
	for _, k := range at {
		if a.IsNull(k) {
			b.AppendNull()
			continue
		}
		v := value(k)
		if size += len(v); size > most {
			return nil, errType
		}
		to.Append(v)
	}
	return b.NewArray(), nil
}

// renumbered are the rows at these places with a dictionary of the values that they have, in
// the order in which they come.
func renumbered(a *array.Dictionary, at []int) (arrow.Array, error) {
	width := a.Indices().DataType().(arrow.FixedWidthDataType).BitWidth() / 8
	number := make([]int, a.Dictionary().Len()) // from 1; 0 for a value that did not come yet
	var values []int
	var codes []byte
	for _, k := range at {
		var word [8]byte
		if a.IsValid(k) {
			old := a.GetValueIndex(k)
			if number[old] == 0 {
				values = append(values, old)
				number[old] = len(values)
			}
			binary.LittleEndian.PutUint64(word[:], uint64(number[old]-1))
		}
		codes = append(codes, word[:width]...)
	}
	dict, err := gathered(a.Dictionary(), values)
	if err != nil {
		return nil, err
	}
	valid, nulls := gatheredBits(at, a.IsValid)
	return array.MakeFromData(array.NewDataWithDictionary(a.DataType(), len(at), []*memory.Buffer{valid,
		memory.NewBufferBytes(codes)}, nulls, 0, dict.Data().(*array.Data))), nil
}
