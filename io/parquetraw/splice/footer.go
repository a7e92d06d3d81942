package splice

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/tacet-privacy/tacet/io/parquetraw/column"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

// Footer is the end of the output, from End on: metadata, its length, magic.
// written is what came of each Fresh chunk, by row group.
//
// Of the file and its row groups only the fields of parquet.thrift are taken
// over, and file metadata only by key: a field that is not known could hold
// anything. The metadata of copied columns stays as it was but for offsets.
// Page indexes and bloom filters are left out for all columns, since some
// readers expect them of all or none. created_by stays: readers judge by it
// whether the statistics of copied columns can be trusted.
func (s *Layout) Footer(written [][]column.Written) ([]byte, error) {
	old, _, err := thrift.ParseStruct(s.footer.Meta.Append(nil)) // a copy to edit
	if err != nil {
		return nil, err
	}
	meta := thrift.NewStruct()
	keep(meta, old, format.MetaVersion, format.MetaRows, format.MetaCreatedBy)
	meta.Set(format.MetaSchema, thrift.ListValue(s.schema(old.Get(format.MetaSchema).List())))
	groups := thrift.NewList(thrift.Record)
	list := old.Get(format.MetaGroups).List()
	for g := range s.footer.Groups {
		groups.Append(thrift.StructValue(s.group(list.At(g).Struct(), g, written[g])))
	}
	meta.Set(format.MetaGroups, thrift.ListValue(groups))
	if pairs := s.metadata(old.Get(format.MetaKeyValue).List()); pairs.Len() > 0 {
		meta.Set(format.MetaKeyValue, thrift.ListValue(pairs))
	}
	if orders := old.Get(format.MetaColumnOrders).List(); orders.Len() == len(s.footer.Leaves) {
		kept := thrift.NewList(orders.Elem())
		for _, leaf := range s.kept {
			if s.fresh[leaf] >= 0 { // TypeDefinedOrder, the only one there is
				byType := thrift.Field{ID: 1, Value: thrift.StructValue(thrift.NewStruct())}
				kept.Append(thrift.StructValue(thrift.NewStruct(byType)))
			} else {
				kept.Append(orders.At(leaf))
			}
		}
		meta.Set(format.MetaColumnOrders, thrift.ListValue(kept))
	}
	b := meta.Append(nil)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(b))), format.Magic...), nil
}

// keep takes fields over.
func keep(to, from *thrift.Struct, field ...int16) {
	for _, id := range field {
		if v := from.Get(id); v != nil {
			to.Set(id, v)
		}
	}
}

// metadata keeps pairs by key, in their order, and adds the new ones.
func (s *Layout) metadata(old *thrift.List) *thrift.List {
	pairs := thrift.NewList(thrift.Record)
	add := func(key string, value *thrift.Value) {
		pair := thrift.NewStruct(thrift.Field{ID: 1, Value: thrift.String(key)})
		if value != nil {
			pair.Set(2, value)
		}
		pairs.Append(thrift.StructValue(pair))
	}
	extra := make(map[string]bool)
	for key := range s.changes.Extra {
		extra[key] = true
	}
	for i := range old.Len() {
		pair := old.At(i).Struct()
		key, _ := pair.Get(1).Bytes()
		value, _ := pair.Get(2).Bytes()
		switch ours, ok := s.changes.Extra[string(key)]; {
		case ok && extra[string(key)]:
			add(string(key), thrift.String(ours))
			delete(extra, string(key))
		case ok:
		case string(key) == arrowSchemaKey:
			if schema, ok := s.arrowSchema(value); ok {
				add(arrowSchemaKey, thrift.String(schema))
			}
		case slices.Contains(s.changes.Keys, string(key)):
			add(string(key), pair.Get(2))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		add(key, thrift.String(s.changes.Extra[key]))
	}
	return pairs
}
