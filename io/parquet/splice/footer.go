package splice

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/table"
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
func (s *Layout) Footer(written [][]page.Written) []byte {
	old := s.footer.Meta.View()
	head := meta.NewStruct()
	keep(head, old, meta.MetaVersion, meta.MetaRows, meta.MetaCreatedBy)
	head.Set(meta.MetaSchema, s.schema(old.Get(meta.MetaSchema).View()))
	groups := meta.NewList(meta.Record)
	list := old.Get(meta.MetaGroups).View()
	for g := range s.footer.Groups {
		groups.Append(s.group(list.At(g).View(), g, written[g]))
	}
	head.Set(meta.MetaGroups, groups)
	head.Set(meta.MetaKeyValue, s.metadata(old.Get(meta.MetaKeyValue).View()))
	if orders := old.Get(meta.MetaColumnOrders).View(); orders.Len() == len(s.footer.Leaves) {
		kept := meta.NewList(orders.Elem())
		for _, leaf := range s.kept {
			if s.fresh[leaf] >= 0 { // TypeDefinedOrder, the only one there is
				byType := meta.Field{ID: 1, Value: meta.NewStruct()}
				kept.Append(meta.NewStruct(byType))
			} else {
				kept.Append(orders.At(leaf))
			}
		}
		head.Set(meta.MetaColumnOrders, kept)
	}
	b := head.Encode(nil)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(b))), meta.Magic...)
}

// keep takes fields over.
func keep(to, from *meta.Value, field ...int16) {
	for _, id := range field {
		if v := from.Get(id); v != nil {
			to.Set(id, shortest(v))
		}
	}
}

// shortest writes a number or text with no byte more than it needs: verify refuses what is written in
// another way than a run writes it.
func shortest(v *meta.Value) *meta.Value {
	if n, ok := v.Int(); ok {
		return meta.Int(v.Kind(), n)
	}
	if b, ok := v.Bytes(); ok {
		return meta.String(string(b))
	}
	return v
}

// ours is the key of our entry, and writtenBy its value: the version of what is written, which
// does not change from build to build.
const ours, writtenBy = "tacet", "1"

// metadata keeps pairs by key, in their order, and adds our entry.
func (s *Layout) metadata(old *meta.Value) *meta.Value {
	pairs := meta.NewList(meta.Record)
	add := func(key string, value *meta.Value) {
		pair := meta.NewStruct(meta.Field{ID: 1, Value: meta.String(key)})
		if value != nil {
			pair.Set(2, shortest(value))
		}
		pairs.Append(pair)
	}
	for i := range old.Len() {
		pair := old.At(i).View()
		key, _ := pair.Get(1).Bytes()
		value, _ := pair.Get(2).Bytes()
		switch {
		case string(key) == ours:
		case string(key) == arrowSchemaKey:
			if schema, ok := s.arrowSchema(value); ok {
				add(arrowSchemaKey, meta.String(schema))
			}
		case slices.Contains(s.changes.Keys, string(key)):
			add(string(key), pair.Get(2))
		}
	}
	add(ours, meta.String(writtenBy))
	return pairs
}

// schema leaves dropped columns out, with all below them, and gives a Fresh
// leaf the type it has now.
func (s *Layout) schema(old *meta.Value) *meta.Value {
	root := meta.NewStruct()
	keep(root, old.At(0).View(), meta.ElementRepetition, meta.ElementName)
	elements := meta.NewList(meta.Record, root)
	columns := 0
	for i := range s.footer.Columns {
		c := &s.footer.Columns[i]
		k := s.changes.Role[i]
		if k == table.Dropped {
			continue
		}
		columns++
		if k >= 0 {
			elements.Append(freshElement(old.At(c.Element).View(), s.changes.Fresh[k].Text))
			continue
		}
		for e := range c.Elements {
			elements.Append(old.At(c.Element + e))
		}
	}
	root.Set(meta.ElementChildren, meta.Int(meta.I32, int64(columns)))
	return elements
}

// freshElement is the element of a leaf written anew: known fields only.
func freshElement(old *meta.Value, isText bool) *meta.Value {
	fresh := meta.NewStruct()
	keep(fresh, old, meta.ElementRepetition, meta.ElementName, meta.ElementFieldID)
	if !isText {
		keep(fresh, old, meta.ElementPhysical, meta.ElementLength, meta.ElementConverted, meta.ElementScale,
			meta.ElementPrecision, meta.ElementLogical)
		return fresh
	}
	fresh.Set(meta.ElementPhysical, meta.Int(meta.I32, int64(format.ByteArray)))
	fresh.Set(meta.ElementConverted, meta.Int(meta.I32, 0)) // UTF8
	text := meta.Field{ID: int16(meta.Utf8), Value: meta.NewStruct()}
	fresh.Set(meta.ElementLogical, meta.NewStruct(text))
	return fresh
}
