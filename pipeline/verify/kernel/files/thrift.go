package files

import (
	"bytes"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// A node is a value of Thrift: a number (true is 1), a text, a list, or a struct by field
// number. Fields that parquet.thrift does not know are there, too.
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
type node struct {
	number int64
	text   []byte
	list   []node
	field  []member
}

// A member is a field of a struct.
type member struct {
	id    int16
	value node
}

// get is field id; nil where the struct or the field is absent.
func (n *node) get(id int16) *node {
	if n != nil {
		for i := range n.field {
			if n.field[i].id == id {
				return &n.field[i].value
			}
		}
	}
	return nil
}

// num is field id as a number, 0 where it is absent.
func (n *node) num(id int16) int64 {
	if f := n.get(id); f != nil {
		return f.number
	}
	return 0
}

// name is field id as a text.
func (n *node) name(id int16) string {
	if f := n.get(id); f != nil {
		return string(f.text)
	}
	return ""
}

// items is field id as a list.
func (n *node) items(id int16) []node {
	if f := n.get(id); f != nil {
		return f.list
	}
	return nil
}

// only reports whether no field but these is present.
func (n *node) only(id ...int16) bool {
	return n == nil || !slices.ContainsFunc(n.field, func(m member) bool { return !slices.Contains(id, m.id) })
}

// same reports whether two values have the same parts, whatever bytes they were read from.
func (n node) same(m node) bool {
	return n.number == m.number && bytes.Equal(n.text, m.text) && slices.EqualFunc(n.list, m.list, node.same) &&
		slices.EqualFunc(n.field, m.field, func(a, b member) bool { return a.id == b.id && a.value.same(b.value) })
}

// A tree reads nodes from bytes, and panics where they are none: callers are behind guard.
type tree struct {
	thrift.BytesReader
	size int
	take func(*node) // sees each element of field 4 of the outermost struct, none of which is kept
}

var compact thrift.CompactProtocol

// parseThrift reads the struct that b begins with, and says how long it is. A footer may
// have millions of row groups, its field 4: take sees them one by one where it is given.
func parseThrift(b []byte, take func(*node)) (*node, int) {
	t := tree{compact.NewReaderFromBytes(b), len(b), take}
	n := t.record(0)
	return &n, t.BytesRead()
}

func read[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (t *tree) record(depth int) (n node) {
	for id := int16(0); ; {
		f := read(t.ReadField())
		if f.Type == thrift.STOP {
			return n
		}
		if f.Delta {
			f.ID += id
		}
		if id = f.ID; n.get(id) != nil {
			panic("a field stands twice")
		}
		var v node
		switch {
		case f.Type == thrift.TRUE:
			v.number = 1
		case f.Type == thrift.FALSE:
		case depth == 0 && id == 4 && t.take != nil && f.Type == thrift.LIST:
			l := read(t.ReadList())
			for range l.Size {
				group := t.value(l.Type, 1)
				t.take(&group)
			}
		default:
			v = t.value(f.Type, depth+1)
		}
		n.field = append(n.field, member{id, v})
	}
}

func (t *tree) value(of thrift.Type, depth int) (n node) {
	if depth > maxDepth {
		panic("nested too deep")
	}
	switch of {
	case thrift.TRUE, thrift.FALSE: // in a list
		n.number = int64(read(t.ReadInt8())) & 1
	case thrift.I8:
		n.number = int64(read(t.ReadInt8()))
	case thrift.I16, thrift.I32, thrift.I64:
		n.number = read(t.ReadInt64())
	case thrift.DOUBLE:
		n.number = int64(math.Float64bits(read(t.ReadFloat64())))
	case thrift.BINARY:
		n.text = read(t.ReadBytes())
	case thrift.LIST, thrift.SET:
		l := read(t.ReadList())
		for range l.Size {
			n.list = append(n.list, t.value(l.Type, depth+1))
		}
	case thrift.STRUCT:
		return t.record(depth)
	default:
		panic("a type that Parquet does not use")
	}
	return n
}
