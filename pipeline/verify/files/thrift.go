package files

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// A node is a value of the Thrift compact protocol: a number (true is 1), a
// string, a list, or a struct by field number.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type node struct {
	number int64
	text   []byte
	list   []*node
	field  []member
}

// A member is a field of a struct. Structs have few, so that they are looked
// through rather than looked up: a footer may have millions.
type member struct {
	id    int16
	value *node
}

// get is field id; nil where the struct or the field is absent.
func (n *node) get(id int16) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.field {
		if m.id == id {
			return m.value
		}
	}
	return nil
}

// num is field id as a number, 0 where it is absent.
func (n *node) num(id int16) int64 {
	return n.get(id).value()
}

// value is a number, 0 where there is none.
func (n *node) value() int64 {
	if n == nil {
		return 0
	}
	return n.number
}

// items is field id as a list.
func (n *node) items(id int16) []*node {
	if f := n.get(id); f != nil {
		return f.list
	}
	return nil
}

// only reports whether no field but these is present.
func (n *node) only(id ...int16) bool {
	if n == nil {
		return true
	}
	return !slices.ContainsFunc(n.field, func(m member) bool { return !slices.Contains(id, m.id) })
}

// same reports whether two values have the same parts, whatever bytes they
// were read from.
func (n *node) same(m *node) bool {
	if n == nil || m == nil {
		return n == m
	}
	return n.number == m.number && bytes.Equal(n.text, m.text) && slices.EqualFunc(n.list, m.list, (*node).same) &&
		slices.EqualFunc(n.field, m.field, func(a, b member) bool { return a.id == b.id && a.value.same(b.value) })
}

// parseThrift reads the struct that b begins with, and says how long it is.
// It panics where b is none: callers are behind guard.
func parseThrift(b []byte) (*node, int) {
	p := thrift{b: b}
	n := p.record(0)
	return n, p.at
}

// parseFooter is parseThrift but for the elements of the list in field 4, each of which
// take sees, and may not keep.
func parseFooter(b []byte, take func(*node)) (*node, int) {
	p := thrift{b: b, take: take}
	n := p.record(0)
	return n, p.at
}

type thrift struct {
	b    []byte
	at   int
	free []node // room for those to come
	room int    // how much was made at once
	take func(*node)
}

// listed passes over a list, of which nothing is kept.
func (p *thrift) listed() {
	kept, room := p.free, p.room
	p.free, p.room = nil, 0
	var block []node // for one element, and then for the next
	kind, size := p.listHead()
	for range size {
		p.free = block
		p.take(p.value(kind, 2))
		if p.room > len(block) {
			block = make([]node, 2*p.room)
		}
	}
	p.free, p.room = kept, room
}

// node is a new one. Many are made at once.
func (p *thrift) node(n node) *node {
	if len(p.free) == 0 {
		p.room = min(2*p.room+16, 4096)
		p.free = make([]node, p.room)
	}
	made := &p.free[0]
	*made, p.free = n, p.free[1:]
	return made
}

func (p *thrift) byte() byte {
	p.at++
	return p.b[p.at-1]
}

func (p *thrift) uvarint() uint64 {
	v, n := binary.Uvarint(p.b[p.at:])
	if n <= 0 {
		panic("varint")
	}
	p.at += n
	return v
}

func (p *thrift) varint() int64 {
	v := p.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// listHead is the kind of the elements of a list, and their number.
func (p *thrift) listHead() (kind byte, size int) {
	head := p.byte()
	if size = int(head >> 4); size == 15 {
		size = int(p.uvarint())
	}
	if size < 0 || size > len(p.b)-p.at {
		panic("a list beyond the end")
	}
	return head & 15, size
}

func (p *thrift) record(depth int) *node {
	if depth > 40 {
		panic("nested too deep")
	}
	fields := make([]member, 0, 16)
	id := int16(0)
	for {
		head := p.byte()
		if head == 0 {
			return p.node(node{field: slices.Clone(fields)})
		}
		if step := int16(head >> 4); step != 0 {
			id += step
		} else {
			id = int16(p.varint())
		}
		if slices.ContainsFunc(fields, func(m member) bool { return m.id == id }) {
			panic("a field stands twice")
		}
		kind := head & 15
		if depth == 0 && id == 4 && kind == 9 && p.take != nil {
			p.listed()
			fields = append(fields, member{id, p.node(node{})})
			continue
		}
		if kind <= 2 {
			fields = append(fields, member{id, p.node(node{number: int64(2 - kind)})})
		} else {
			fields = append(fields, member{id, p.value(kind, depth+1)})
		}
	}
}

func (p *thrift) value(kind byte, depth int) *node {
	switch kind {
	case 1, 2: // in a list
		return p.node(node{number: int64(p.byte() & 1)})
	case 3:
		return p.node(node{number: int64(int8(p.byte()))})
	case 4, 5, 6:
		return p.node(node{number: p.varint()})
	case 7, 13:
		size := map[byte]int{7: 8, 13: 16}[kind]
		p.at += size
		return p.node(node{text: p.b[p.at-size : p.at]})
	case 8:
		size := int(p.uvarint())
		if size < 0 || size > len(p.b)-p.at {
			panic("a string beyond the end")
		}
		p.at += size
		return p.node(node{text: p.b[p.at-size : p.at]})
	case 9, 10:
		of, size := p.listHead()
		list := make([]*node, size)
		for i := range list {
			list[i] = p.value(of, depth+1)
		}
		return p.node(node{list: list})
	case 12:
		return p.record(depth)
	}
	panic("a type that Parquet does not use")
}
