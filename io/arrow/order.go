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
	at := make([]int64, len(order))
	for i, k := range order {
		at[i] = int64(k)
	}
	data, err := gathered(whole.Data(), at)
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(data), nil
}

// gathered are the rows at these places of an array.
func gathered(d arrow.ArrayData, at []int64) (arrow.ArrayData, error) {
	if d.Offset() != 0 {
		for i := range at {
			at[i] += int64(d.Offset())
		}
	}
	typ := d.DataType()
	if e, ok := typ.(arrow.ExtensionType); ok {
		typ = e.StorageType()
	}
	if typ.ID() == arrow.NULL {
		return array.NewData(d.DataType(), len(at), []*memory.Buffer{nil}, nil, len(at), 0), nil
	}
	valid, nulls := gatheredBits(d.Buffers()[0], at, true)
	buffers, children := []*memory.Buffer{valid}, []arrow.ArrayData(nil)
	var dict *array.Data
	var err error
	child := func(i int, at []int64) {
		var c arrow.ArrayData
		if err == nil {
			c, err = gathered(d.Children()[i], at)
			children = append(children, c)
		}
	}
	switch t := typ.(type) {
	case *arrow.BooleanType:
		values, _ := gatheredBits(d.Buffers()[1], at, false)
		buffers = append(buffers, values)
	case *arrow.DictionaryType:
		var codes []byte
		if codes, dict, err = renumbered(d, t, at, valid); err == nil {
			buffers = append(buffers, memory.NewBufferBytes(codes))
		}
	case *arrow.StructType:
		for i := range d.Children() {
			child(i, append([]int64(nil), at...))
		}
	case *arrow.FixedSizeListType:
		of := make([]stretch, len(at))
		for i, k := range at {
			of[i] = stretch{k * int64(t.Len()), (k + 1) * int64(t.Len())}
		}
		child(0, ranges(of))
	case *arrow.ListType, *arrow.MapType, *arrow.LargeListType:
		of := stretches(d, wideOf(t), valid, at)
		var own *memory.Buffer
		if own, err = joined(of, wideOf(t)); err == nil {
			buffers = append(buffers, own)
			child(0, ranges(of))
		}
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		of := stretches(d, wideOf(t), valid, at)
		var own *memory.Buffer
		if own, err = joined(of, wideOf(t)); err == nil {
			buffers = append(buffers, own, gatheredText(d.Buffers()[2], of))
		}
	case *arrow.StringViewType, *arrow.BinaryViewType:
		var views, text []byte
		if views, text, err = gatheredViews(d, at, valid); err == nil {
			if buffers = append(buffers, memory.NewBufferBytes(views)); len(text) > 0 {
				buffers = append(buffers, memory.NewBufferBytes(text))
			}
		}
	case arrow.FixedWidthDataType:
		if t.BitWidth()%8 != 0 {
			return nil, errType
		}
		buffers = append(buffers, memory.NewBufferBytes(gatheredBytes(d.Buffers()[1].Bytes(), at, t.BitWidth()/8, valid)))
	default:
		return nil, errType
	}
	if err != nil {
		return nil, err
	}
	if dict != nil {
		return array.NewDataWithDictionary(d.DataType(), len(at), buffers, nulls, 0, dict), nil
	}
	return array.NewData(d.DataType(), len(at), buffers, children, nulls, 0), nil
}

// gatheredBits are the bits at these places, and how many of them are 0. Where all
// of a validity bitmap are 1, there is none.
func gatheredBits(from *memory.Buffer, at []int64, valid bool) (*memory.Buffer, int) {
	if from == nil || from.Len() == 0 {
		return nil, 0
	}
	bits, zeros := make([]byte, bitutil.BytesForBits(int64(len(at)))), 0
	for i, k := range at {
		if bitutil.BitIsSet(from.Bytes(), int(k)) {
			bitutil.SetBit(bits, i)
		} else {
			zeros++
		}
	}
	if valid && zeros == 0 {
		return nil, 0
	}
	return memory.NewBufferBytes(bits), zeros
}

// gatheredBytes are the values of some bytes at these places; what stands under a
// null is zero.
func gatheredBytes(from []byte, at []int64, width int, valid *memory.Buffer) []byte {
	out := make([]byte, len(at)*width)
	switch {
	case width == 1 && valid == nil:
		gatherWords[uint8](out, from, at)
	case width == 2 && valid == nil:
		gatherWords[uint16](out, from, at)
	case width == 4 && valid == nil:
		gatherWords[uint32](out, from, at)
	case width == 8 && valid == nil:
		gatherWords[uint64](out, from, at)
	default:
		for i, k := range at {
			if valid == nil || bitutil.BitIsSet(valid.Bytes(), i) {
				copy(out[i*width:], from[int(k)*width:(int(k)+1)*width])
			}
		}
	}
	return out
}

func gatherWords[T uint8 | uint16 | uint32 | uint64](out, from []byte, at []int64) {
	to, of := arrow.GetData[T](out), arrow.GetData[T](from)
	for i, k := range at {
		to[i] = of[k]
	}
}

// A stretch is a run of places.
type stretch struct{ from, to int64 }

// wideOf is how many bytes an offset of a type has.
func wideOf(t arrow.DataType) int {
	switch t.(type) {
	case *arrow.LargeListType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		return 8
	}
	return 4
}

// stretches are those of variable length at these places, empty under a null.
func stretches(d arrow.ArrayData, wide int, valid *memory.Buffer, at []int64) []stretch {
	read := func(k int64) int64 {
		b := d.Buffers()[1].Bytes()[k*int64(wide):]
		if wide == 4 {
			return int64(int32(binary.LittleEndian.Uint32(b)))
		}
		return int64(binary.LittleEndian.Uint64(b))
	}
	out := make([]stretch, len(at))
	for i, k := range at {
		if valid == nil || bitutil.BitIsSet(valid.Bytes(), i) {
			out[i] = stretch{read(k), read(k + 1)}
		}
	}
	return out
}

// joined are the offsets of stretches that stand one behind the other.
func joined(of []stretch, wide int) (*memory.Buffer, error) {
	out, sum := make([]byte, wide, (len(of)+1)*wide), int64(0)
	for _, s := range of {
		sum += s.to - s.from
		if wide == 4 {
			out = binary.LittleEndian.AppendUint32(out, uint32(sum))
		} else {
			out = binary.LittleEndian.AppendUint64(out, uint64(sum))
		}
	}
	if wide == 4 && sum > math.MaxInt32 {
		return nil, errType
	}
	return memory.NewBufferBytes(out), nil
}

// ranges are the places of stretches, one after the other.
func ranges(of []stretch) (at []int64) {
	for _, s := range of {
		for k := s.from; k < s.to; k++ {
			at = append(at, k)
		}
	}
	return at
}

// gatheredText is the text of stretches.
func gatheredText(from *memory.Buffer, of []stretch) *memory.Buffer {
	var text []byte
	for _, s := range of {
		if s.from < s.to {
			text = append(text, from.Bytes()[s.from:s.to]...)
		}
	}
	return memory.NewBufferBytes(text)
}

// gatheredViews are the views at these places, and the text of the long ones in
// their order, which is all in one buffer. A view has its length first, then the
// text, or of a long one four bytes of it, the number of its buffer and its offset.
func gatheredViews(d arrow.ArrayData, at []int64, valid *memory.Buffer) (views, text []byte, err error) {
	const size, short = 16, 12
	views = gatheredBytes(d.Buffers()[1].Bytes(), at, size, valid)
	for i := 0; i < len(views); i += size {
		v := views[i : i+size]
		n := binary.LittleEndian.Uint32(v)
		if n <= short {
			continue
		}
		from := d.Buffers()[2+binary.LittleEndian.Uint32(v[8:])].Bytes()[binary.LittleEndian.Uint32(v[12:]):]
		binary.LittleEndian.PutUint32(v[8:], 0)
		binary.LittleEndian.PutUint32(v[12:], uint32(len(text)))
		if text = append(text, from[:n]...); len(text) > math.MaxInt32 {
			return nil, nil, errType
		}
	}
	return views, text, nil
}

// renumbered are the indices at these places into a dictionary of the values that
// they name, in the order in which they come.
func renumbered(d arrow.ArrayData, t *arrow.DictionaryType, at []int64, valid *memory.Buffer) (codes []byte,
	dict *array.Data, err error) {
	width := t.IndexType.(arrow.FixedWidthDataType).BitWidth() / 8
	codes = gatheredBytes(d.Buffers()[1].Bytes(), at, width, valid)
	number := map[uint64]uint64{}
	var values []int64
	for i := range at {
		if valid != nil && !bitutil.BitIsSet(valid.Bytes(), i) {
			continue
		}
		cell := codes[i*width : (i+1)*width]
		var wide [8]byte
		copy(wide[:], cell)
		old := binary.LittleEndian.Uint64(wide[:])
		own, known := number[old]
		if !known {
			own = uint64(len(values))
			number[old], values = own, append(values, int64(old))
		}
		binary.LittleEndian.PutUint64(wide[:], own)
		copy(cell, wide[:])
	}
	data, err := gathered(d.Dictionary(), values)
	if err != nil {
		return nil, nil, err
	}
	return codes, data.(*array.Data), nil
}
