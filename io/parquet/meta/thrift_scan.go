package meta

import (
	"encoding/binary"
	"math"
	"slices"
)

// maxDepth bounds nesting; a footer needs seven levels.
const maxDepth = 32

// A scanner walks encoded values. Whatever it has walked once without error
// is well formed: opening it again cannot fail.
type scanner struct {
	b   []byte
	pos int
}

// open decodes the level below of a struct or list.
func (v *Value) open() {
	if v.Kind() != Record && !v.isList() || v.opened {
		return
	}
	v.opened = true
	s := scanner{b: v.raw}
	if v.typ == Record {
		var items []Value // some at once: footers of many row groups have many fields
		for id := int16(0); ; {
			t, err := s.fieldHeader(&id)
			start := s.pos
			if t == 0 || err != nil || s.skip(t, 1) != nil {
				return
			}
			if len(items) == cap(items) {
				v.kids, items = slices.Grow(v.kids, 8), make([]Value, 0, 8)
			}
			items = append(items, Value{typ: t, raw: v.raw[start:s.pos:s.pos]})
			v.kids = append(v.kids, Field{id, &items[len(items)-1]})
		}
	}
	t, n, err := s.listHeader()
	if err != nil {
		return
	}
	v.elem, v.kids = t, make([]Field, n)
	items := make([]Value, n)
	for i := range items {
		start := s.pos
		if s.skipElem(t, 1) != nil {
			v.kids = v.kids[:i]
			return
		}
		items[i] = Value{typ: t, raw: v.raw[start:s.pos:s.pos]}
		v.kids[i].Value = &items[i]
	}
}

// fieldHeader reads a field's type and moves id on; type 0 is the stop byte.
func (s *scanner) fieldHeader(id *int16) (WireType, error) {
	if s.pos >= len(s.b) {
		return 0, ErrShort
	}
	head := s.b[s.pos]
	s.pos++
	if head == 0 {
		return 0, nil
	}
	if head&15 == 0 {
		return 0, Damaged("metadata with unknown type 0")
	}
	next := int64(*id) + int64(head>>4)
	if head>>4 == 0 {
		var n int
		if next, n = binary.Varint(s.b[s.pos:]); n <= 0 {
			return 0, ErrShort
		}
		s.pos += n
	}
	if next < math.MinInt16 || next > math.MaxInt16 {
		return 0, Damaged("metadata with a field number out of range")
	}
	*id = int16(next)
	return WireType(head & 15), nil
}

// listHeader reads a list's element type and length, which is at most the
// number of bytes left since every element takes one.
func (s *scanner) listHeader() (WireType, int, error) {
	if s.pos >= len(s.b) {
		return 0, 0, ErrShort
	}
	head := s.b[s.pos]
	s.pos++
	n := uint64(head >> 4)
	if n == 15 {
		var err error
		if n, err = s.uvarint(); err != nil {
			return 0, 0, err
		}
	}
	if n > uint64(len(s.b)-s.pos) {
		return 0, 0, ErrShort
	}
	if WireType(head&15) > WireUUID {
		return 0, 0, Damaged("metadata with unknown type %d", head&15)
	}
	return WireType(head & 15), int(n), nil
}

func (s *scanner) skipStruct(depth int) error {
	if depth > maxDepth {
		return Damaged("metadata nested too deeply")
	}
	var seen uint64
	last := int16(63)
	for id := int16(0); ; {
		t, err := s.fieldHeader(&id)
		if t == 0 || err != nil {
			return err
		}
		// Readers differ in which of two equal fields they take.
		switch {
		case id >= 0 && id < 64:
			if seen>>id&1 == 1 {
				return Damaged("metadata with a field that stands twice")
			}
			seen |= 1 << id
		case id <= last:
			return Damaged("metadata with fields out of order")
		default:
			last = id
		}
		if err := s.skip(t, depth+1); err != nil {
			return err
		}
	}
}

func (s *scanner) skip(t WireType, depth int) error {
	switch t {
	case True, False:
		return nil
	case I8:
		return s.advance(1)
	case I16, I32, I64:
		_, err := s.uvarint()
		return err
	case Double:
		return s.advance(8)
	case WireUUID:
		return s.advance(16)
	case Binary:
		n, err := s.uvarint()
		if err != nil {
			return err
		}
		return s.advance(n)
	case ListOf, SetOf:
		t, n, err := s.listHeader()
		if err != nil {
			return err
		}
		for range n {
			if err := s.skipElem(t, depth+1); err != nil {
				return err
			}
		}
		return nil
	case MapOf:
		return s.skipMap(depth)
	case Record:
		return s.skipStruct(depth)
	}
	return Damaged("metadata with unknown type %d", t)
}

func (s *scanner) skipElem(t WireType, depth int) error {
	if depth > maxDepth {
		return Damaged("metadata nested too deeply")
	}
	if t == True || t == False {
		return s.advance(1)
	}
	return s.skip(t, depth)
}

func (s *scanner) skipMap(depth int) error {
	n, err := s.uvarint()
	if err != nil || n == 0 {
		return err
	}
	if n > uint64(len(s.b)-s.pos) {
		return ErrShort
	}
	if err := s.advance(1); err != nil {
		return err
	}
	kinds := s.b[s.pos-1]
	for range n {
		if err := s.skipElem(WireType(kinds>>4), depth+1); err != nil {
			return err
		}
		if err := s.skipElem(WireType(kinds&15), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) uvarint() (uint64, error) {
	v, n := binary.Uvarint(s.b[s.pos:])
	if n <= 0 {
		return 0, ErrShort
	}
	s.pos += n
	return v, nil
}

func (s *scanner) advance(n uint64) error {
	if n > uint64(len(s.b)-s.pos) {
		return ErrShort
	}
	s.pos += int(n)
	return nil
}

// ErrShort is an encoding that ends within a value.
var ErrShort = Damaged("metadata ends early")
