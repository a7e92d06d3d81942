package splice

import (
	"slices"

	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

// schema leaves dropped columns out, with all below them, and gives a Fresh
// leaf the type it has now.
func (s *Layout) schema(old *thrift.List) *thrift.List {
	root := thrift.NewStruct()
	keep(root, old.At(0).Struct(), format.ElementRepetition, format.ElementName)
	elements := thrift.NewList(thrift.Record, thrift.StructValue(root))
	columns := 0
	for i := range s.footer.Columns {
		c := &s.footer.Columns[i]
		if slices.Contains(s.changes.Drop, i) {
			continue
		}
		columns++
		if k := s.fresh[c.Leaf]; c.Flat && k >= 0 {
			elements.Append(thrift.StructValue(freshElement(old.At(c.Element).Struct(), s.changes.Fresh[k].Text)))
			continue
		}
		for e := range c.Elements {
			elements.Append(old.At(c.Element + e))
		}
	}
	root.Set(format.ElementChildren, thrift.Int(thrift.I32, int64(columns)))
	return elements
}

// freshElement is the element of a leaf written anew: known fields only.
func freshElement(old *thrift.Struct, isText bool) *thrift.Struct {
	fresh := thrift.NewStruct()
	keep(fresh, old, format.ElementRepetition, format.ElementName, format.ElementFieldID)
	if !isText {
		keep(fresh, old, format.ElementPhysical, format.ElementConverted, format.ElementLogical)
		return fresh
	}
	fresh.Set(format.ElementPhysical, thrift.Int(thrift.I32, int64(format.ByteArray)))
	fresh.Set(format.ElementConverted, thrift.Int(thrift.I32, 0)) // UTF8
	text := thrift.Field{ID: int16(format.Utf8), Value: thrift.StructValue(thrift.NewStruct())}
	fresh.Set(format.ElementLogical, thrift.StructValue(thrift.NewStruct(text)))
	return fresh
}
