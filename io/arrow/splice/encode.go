package splice

import (
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/tacet-privacy/tacet/io/arrow/batch"
)

// encoder builds the metadata of messages and of the footer, so small that it
// fits where that of another writer stood: fields of a table are added by
// falling size, and equal types and empty lists are written once.
type encoder struct {
	*flatbuffers.Builder
	types map[typeKey]flatbuffers.UOffsetT
}

// A typeKey is a type without ids.
type typeKey struct {
	code batch.Code
	num  [3]int32
	zone string
}

func newEncoder() encoder {
	return encoder{flatbuffers.NewBuilder(1024), make(map[typeKey]flatbuffers.UOffsetT)}
}

func (e encoder) message(version int16, kind byte, header flatbuffers.UOffsetT, body int64) []byte {
	e.StartObject(5)
	e.PrependInt64Slot(3, body, 0)
	e.PrependUOffsetTSlot(2, header, 0)
	e.PrependInt16Slot(0, version, 0)
	e.PrependByteSlot(1, kind, 0)
	e.Finish(e.EndObject())
	return e.FinishedBytes()
}

func (e encoder) footer(version int16, s *batch.Schema, metadata []batch.KeyValue, dicts,
	batches []batch.Block) []byte {
	schema := e.schema(s)
	kv := e.metadata(metadata)
	d, r := e.blocks(dicts), e.blocks(batches)
	e.StartObject(5)
	e.PrependUOffsetTSlot(1, schema, 0)
	e.PrependUOffsetTSlot(2, d, 0)
	e.PrependUOffsetTSlot(3, r, 0)
	e.PrependUOffsetTSlot(4, kv, 0)
	e.PrependInt16Slot(0, version, 0)
	e.Finish(e.EndObject())
	return e.FinishedBytes()
}

func (e encoder) blocks(list []batch.Block) flatbuffers.UOffsetT {
	word := make([]int64, 0, 3*len(list))
	for _, b := range list {
		word = append(word, b.Offset, b.Meta, b.Body)
	}
	return e.int64s(word, 3)
}

func (e encoder) dictionary(id int64, delta bool, data flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	e.StartObject(3)
	e.PrependInt64Slot(0, id, 0)
	e.PrependUOffsetTSlot(1, data, 0)
	e.PrependBoolSlot(2, delta, false)
	return e.EndObject()
}

// batch encodes a record batch whose buffers stand at these offsets and
// lengths.
func (e encoder) batch(b *Batch, buffer []int64) flatbuffers.UOffsetT {
	var node, variadic []int64
	for _, c := range b.Columns {
		for _, n := range c.Nodes {
			node = append(node, n.Rows, n.Nulls)
		}
		variadic = append(variadic, c.Variadic...)
	}
	nodes, buffers := e.int64s(node, 2), e.int64s(buffer, 2)
	var views, compression flatbuffers.UOffsetT
	if len(variadic) > 0 {
		views = e.int64s(variadic, 1)
	}
	if b.Codec != batch.None {
		e.StartObject(2)
		e.PrependByteSlot(0, byte(b.Codec), 0)
		compression = e.EndObject()
	}
	e.StartObject(5)
	e.PrependInt64Slot(0, b.Rows, 0)
	e.PrependUOffsetTSlot(1, nodes, 0)
	e.PrependUOffsetTSlot(2, buffers, 0)
	e.PrependUOffsetTSlot(3, compression, 0)
	e.PrependUOffsetTSlot(4, views, 0)
	return e.EndObject()
}

// int64s encodes a vector of structs of words of 64 bits.
func (e encoder) int64s(list []int64, words int) flatbuffers.UOffsetT {
	e.StartVector(8*words, len(list)/words, 8)
	for i := len(list) - 1; i >= 0; i-- {
		e.PrependInt64(list[i])
	}
	return e.EndVector(len(list) / words)
}

func (e encoder) schema(s *batch.Schema) flatbuffers.UOffsetT {
	fields := e.fields(s.Fields)
	kv := e.metadata(s.Metadata)
	var features flatbuffers.UOffsetT
	if len(s.Features) > 0 {
		features = e.int64s(s.Features, 1)
	}
	e.StartObject(4)
	e.PrependUOffsetTSlot(1, fields, 0)
	e.PrependUOffsetTSlot(2, kv, 0)
	e.PrependUOffsetTSlot(3, features, 0)
	return e.EndObject()
}

// noFields is the key under which the empty list of fields is remembered.
var noFields = typeKey{code: batch.Code(len(batch.Layouts))}

func (e encoder) fields(list []batch.Field) flatbuffers.UOffsetT {
	if at, ok := e.types[noFields]; ok && len(list) == 0 {
		return at
	}
	at := make([]flatbuffers.UOffsetT, len(list))
	for i := range list {
		at[i] = e.field(&list[i])
	}
	vector := e.CreateVectorOfTables(at)
	if len(list) == 0 {
		e.types[noFields] = vector
	}
	return vector
}

func (e encoder) field(f *batch.Field) flatbuffers.UOffsetT {
	name := e.CreateString(f.Name)
	children := e.fields(f.Children)
	typ := e.typeTable(f.Type)
	kv := e.metadata(f.Metadata)
	var dict flatbuffers.UOffsetT
	if f.Dict != nil {
		index := e.typeTable(f.Dict.Index)
		e.StartObject(4)
		e.PrependInt64Slot(0, f.Dict.ID, 0)
		e.PrependUOffsetTSlot(1, index, 0)
		e.PrependBoolSlot(2, f.Dict.Ordered, false)
		dict = e.EndObject()
	}
	e.StartObject(7)
	e.PrependUOffsetTSlot(6, kv, 0)
	e.PrependUOffsetTSlot(5, children, 0)
	e.PrependUOffsetTSlot(4, dict, 0)
	e.PrependUOffsetTSlot(3, typ, 0)
	e.PrependUOffsetTSlot(0, name, 0)
	e.PrependByteSlot(2, byte(f.Type.Code), 0)
	e.PrependBoolSlot(1, f.Nullable, false)
	return e.EndObject()
}

func (e encoder) typeTable(t batch.Type) flatbuffers.UOffsetT {
	key := typeKey{t.Code, t.Num, t.Zone}
	if at, ok := e.types[key]; ok && t.IDs == nil {
		return at
	}
	at := e.newType(t)
	if t.IDs == nil {
		e.types[key] = at
	}
	return at
}

func (e encoder) newType(t batch.Type) flatbuffers.UOffsetT {
	l := batch.Layouts[t.Code]
	var ref flatbuffers.UOffsetT // the one parameter that is no number
	switch {
	case t.Zone != "":
		ref = e.CreateString(t.Zone)
	case t.IDs != nil:
		e.StartVector(4, len(t.IDs), 4)
		for i := len(t.IDs) - 1; i >= 0; i-- {
			e.PrependInt32(t.IDs[i])
		}
		ref = e.EndVector(len(t.IDs))
	}
	e.StartObject(len(l.Params))
	for i := len(l.Params) - 1; i >= 0; i-- {
		switch p := l.Params[i]; p {
		case batch.ParamBool:
			e.PrependBoolSlot(i, t.Num[i] != 0, false)
		case batch.ParamInt16:
			e.PrependInt16Slot(i, int16(t.Num[i]), int16(l.Absent[i]))
		case batch.ParamInt32:
			e.PrependInt32Slot(i, t.Num[i], l.Absent[i])
		default:
			e.PrependUOffsetTSlot(i, ref, 0)
		}
	}
	return e.EndObject()
}

func (e encoder) metadata(list []batch.KeyValue) flatbuffers.UOffsetT {
	if len(list) == 0 {
		return 0
	}
	at := make([]flatbuffers.UOffsetT, len(list))
	for i, kv := range list {
		key, value := e.CreateString(kv.Key), e.CreateString(kv.Value)
		e.StartObject(2)
		e.PrependUOffsetTSlot(0, key, 0)
		e.PrependUOffsetTSlot(1, value, 0)
		at[i] = e.EndObject()
	}
	return e.CreateVectorOfTables(at)
}
