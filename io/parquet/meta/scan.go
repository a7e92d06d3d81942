package meta

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/tacet-privacy/tacet/io/table"
)

// maxDepth bounds nesting; a footer needs seven levels.
const maxDepth = 32

// ErrShort is an encoding that ends within a value.
var ErrShort = Damaged("metadata ends early")

var compact thrift.CompactProtocol

// Check looks at the struct that b begins with, all levels of it, and returns how many bytes
// it takes. What it has passed may be decoded: no length is larger than what is there,
// nothing is nested deeply, and no field stands twice.
func Check(b []byte) (int, error) {
	s := newScanner(b)
	err := s.record(0, nil)
	switch {
	case err == nil:
		return s.BytesRead(), nil
	case errors.As(err, new(*table.InputError)):
		return 0, err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return 0, ErrShort
	}
	return 0, Damaged("metadata with a number out of range")
}

// ParseStruct checks the struct that b begins with and returns it with the number of bytes
// it takes. It keeps b.
func ParseStruct(b []byte) (*Value, int, error) {
	n, err := Check(b)
	if err != nil {
		return nil, 0, err
	}
	return &Value{typ: thrift.STRUCT, raw: b[:n]}, n, nil
}

// unfold decodes the level below of a struct or list, which Check has passed.
func (v *Value) unfold() {
	if v.open {
		return
	}
	v.open = true
	s := newScanner(v.raw)
	var block []Value // some at once: footers of many row groups have many fields
	add := func(id int16, of thrift.Type, from int) {
		if len(block) == cap(block) {
			block = make([]Value, 0, 8)
		}
		block = append(block, Value{typ: of, raw: v.raw[from:s.BytesRead():s.BytesRead()]})
		v.kids = append(v.kids, Field{id, &block[len(block)-1]})
	}
	if v.typ == thrift.STRUCT {
		s.record(0, add)
	} else {
		v.elem, _ = s.list(0, add)
	}
}

// A scanner walks values and keeps none.
type scanner struct {
	thrift.BytesReader
	size int
}

func newScanner(b []byte) scanner { return scanner{compact.NewReaderFromBytes(b), len(b)} }

// A visit sees a field of a struct or an element of a list, which ends where the scanner is.
type visit func(id int16, of thrift.Type, from int)

func (s scanner) record(depth int, each visit) error {
	if depth > maxDepth {
		return Damaged("metadata nested too deeply")
	}
	var seen uint64
	last := int16(63)
	for id := int16(0); ; {
		f, err := s.ReadField()
		if err != nil || f.Type == thrift.STOP && !f.Delta {
			return err
		}
		if f.Delta {
			f.ID += id
		}
		// Readers differ in which of two equal fields they take.
		switch {
		case f.Delta && f.ID < id:
			return Damaged("metadata with a field number out of range")
		case f.ID >= 0 && f.ID < 64:
			if seen>>f.ID&1 == 1 {
				return Damaged("metadata with a field that stands twice")
			}
			seen |= 1 << f.ID
		case f.ID <= last:
			return Damaged("metadata with fields out of order")
		default:
			last = f.ID
		}
		id = f.ID
		from := s.BytesRead()
		if f.Type != thrift.TRUE && f.Type != thrift.FALSE {
			if err := s.skip(f.Type, depth+1); err != nil {
				return err
			}
		}
		if each != nil {
			each(id, f.Type, from)
		}
	}
}

func (s scanner) list(depth int, each visit) (of thrift.Type, err error) {
	l, err := s.ReadList()
	if err != nil {
		return 0, err
	}
	if err := s.holds(l.Size); err != nil {
		return 0, err
	}
	for range l.Size {
		from := s.BytesRead()
		if err := s.skip(l.Type, depth+1); err != nil {
			return 0, err
		}
		if each != nil {
			each(0, l.Type, from)
		}
	}
	return l.Type, nil
}

// holds checks a number of elements, each of which takes a byte at least.
func (s scanner) holds(elements int32) error {
	if int(elements) > s.size-s.BytesRead() {
		return ErrShort
	}
	return nil
}

// skip passes a value that is no field of type boolean.
func (s scanner) skip(of thrift.Type, depth int) (err error) {
	if depth > maxDepth {
		return Damaged("metadata nested too deeply")
	}
	switch of {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = s.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = s.ReadInt64()
	case thrift.DOUBLE:
		_, err = s.ReadFloat64()
	case thrift.UUID: // 16 bytes
		if _, err = s.ReadFloat64(); err == nil {
			_, err = s.ReadFloat64()
		}
	case thrift.BINARY:
		_, err = s.ReadBytes()
	case thrift.LIST, thrift.SET:
		_, err = s.list(depth, nil)
	case thrift.STRUCT:
		err = s.record(depth, nil)
	case thrift.MAP:
		var m thrift.Map
		if m, err = s.ReadMap(); err == nil {
			err = s.holds(m.Size)
		}
		for i := int32(0); i < m.Size && err == nil; i++ {
			if err = s.skip(m.Key, depth+1); err == nil {
				err = s.skip(m.Value, depth+1)
			}
		}
	default:
		err = Damaged("metadata with unknown type %d", of)
	}
	return err
}
