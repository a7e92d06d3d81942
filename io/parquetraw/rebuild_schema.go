package parquetraw

import "slices"

// schema leaves dropped columns out, with all below them, and gives a Fresh
// leaf the type it has now.
func (s *Splice) schema(old *List) *List {
	root := NewStruct()
	keep(root, old.At(0).Struct(), elementRepetition, elementName)
	elements := NewList(Record, StructValue(root))
	columns := 0
	for i := range s.footer.Columns {
		c := &s.footer.Columns[i]
		if slices.Contains(s.changes.Drop, i) {
			continue
		}
		columns++
		if k := s.fresh[c.Leaf]; c.Flat && k >= 0 {
			elements.Append(StructValue(freshElement(old.At(c.Element).Struct(), s.changes.Fresh[k].Text)))
			continue
		}
		for e := range c.Elements {
			elements.Append(old.At(c.Element + e))
		}
	}
	root.Set(elementChildren, Int(I32, int64(columns)))
	return elements
}

// freshElement is the element of a leaf written anew: known fields only.
func freshElement(old *Struct, text bool) *Struct {
	const elementFieldID = 9
	fresh := NewStruct()
	keep(fresh, old, elementRepetition, elementName, elementFieldID)
	if !text {
		keep(fresh, old, elementPhysical, elementConverted, elementLogical)
		return fresh
	}
	fresh.Set(elementPhysical, Int(I32, int64(ByteArray)))
	fresh.Set(elementConverted, Int(I32, 0)) // UTF8
	fresh.Set(elementLogical, StructValue(NewStruct(Field{int16(Utf8), StructValue(NewStruct())})))
	return fresh
}
