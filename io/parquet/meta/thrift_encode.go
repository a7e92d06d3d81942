package meta

import (
	"encoding/binary"
	"slices"
)

// Append encodes s behind dst. A struct in which nothing changed gives the
// bytes it was read from.
func (s *Struct) Append(dst []byte) []byte {
	if !s.changed() {
		return append(dst, s.raw...)
	}
	id := int16(0)
	for _, f := range s.field {
		if delta := int(f.ID) - int(id); delta >= 1 && delta <= 15 {
			dst = append(dst, byte(delta)<<4|byte(f.Value.typ))
		} else {
			dst = binary.AppendVarint(append(dst, byte(f.Value.typ)), int64(f.ID))
		}
		dst = f.Value.append(dst)
		id = f.ID
	}
	return append(dst, 0)
}

func (v *Value) append(dst []byte) []byte {
	switch {
	case v.record != nil:
		return v.record.Append(dst)
	case v.list != nil:
		return v.list.append(dst)
	}
	return append(dst, v.raw...)
}

func (l *List) append(dst []byte) []byte {
	if !l.changed() {
		return append(dst, l.raw...)
	}
	if n := len(l.item); n < 15 {
		dst = append(dst, byte(n)<<4|byte(l.elem))
	} else {
		dst = binary.AppendUvarint(append(dst, 0xf0|byte(l.elem)), uint64(n))
	}
	for i := range l.item {
		if v := &l.item[i]; v.isBool() && len(v.raw) == 0 {
			dst = append(dst, byte(v.typ))
		} else {
			dst = v.append(dst)
		}
	}
	return dst
}

func (s *Struct) changed() bool {
	return s.edited || slices.ContainsFunc(s.field, func(f Field) bool { return f.Value.changed() })
}

func (l *List) changed() bool {
	return l.edited || slices.ContainsFunc(l.item, func(v Value) bool { return v.changed() })
}

func (v *Value) changed() bool {
	return v.record != nil && v.record.changed() || v.list != nil && v.list.changed()
}
