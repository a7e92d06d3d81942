package meta

import "encoding/binary"

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
	if s.edited {
		return true
	}
	for _, f := range s.field {
		if f.Value.changed() {
			return true
		}
	}
	return false
}

func (l *List) changed() bool {
	if l.edited {
		return true
	}
	for i := range l.item {
		if l.item[i].changed() {
			return true
		}
	}
	return false
}

func (v *Value) changed() bool {
	return v.record != nil && v.record.changed() || v.list != nil && v.list.changed()
}
