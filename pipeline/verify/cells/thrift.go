package cells

import "encoding/binary"

// A node is a value of the Thrift compact protocol: a number (true is 1), a
// string, a list, or a struct by field number.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type node struct {
	number int64
	text   []byte
	list   []*node
	field  map[int16]*node
}

// get is field id; nil where the struct or the field is absent.
func (n *node) get(id int16) *node {
	if n == nil {
		return nil
	}
	return n.field[id]
}

// num is field id as a number, 0 where it is absent.
func (n *node) num(id int16) int64 {
	if f := n.get(id); f != nil {
		return f.number
	}
	return 0
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
	known := 0
	for _, i := range id {
		if n.field[i] != nil {
			known++
		}
	}
	return known == len(n.field)
}

// parseThrift reads the struct that b begins with, and says how long it is.
// It panics where b is none: callers are behind guard.
func parseThrift(b []byte) (*node, int) {
	p := thrift{b: b}
	n := p.record(0)
	return n, p.at
}

type thrift struct {
	b  []byte
	at int
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

func (p *thrift) record(depth int) *node {
	if depth > 40 {
		panic("nested too deep")
	}
	n := &node{field: map[int16]*node{}}
	id := int16(0)
	for {
		head := p.byte()
		if head == 0 {
			return n
		}
		if step := int16(head >> 4); step != 0 {
			id += step
		} else {
			id = int16(p.varint())
		}
		if n.field[id] != nil {
			panic("a field stands twice")
		}
		if kind := head & 15; kind <= 2 {
			n.field[id] = &node{number: int64(2 - kind)}
		} else {
			n.field[id] = p.value(kind, depth+1)
		}
	}
}

func (p *thrift) value(kind byte, depth int) *node {
	switch kind {
	case 1, 2: // in a list
		return &node{number: int64(p.byte() & 1)}
	case 3:
		return &node{number: int64(int8(p.byte()))}
	case 4, 5, 6:
		return &node{number: p.varint()}
	case 7, 13:
		size := map[byte]int{7: 8, 13: 16}[kind]
		p.at += size
		return &node{text: p.b[p.at-size : p.at]}
	case 8:
		size := int(p.uvarint())
		if size < 0 || size > len(p.b)-p.at {
			panic("a string beyond the end")
		}
		p.at += size
		return &node{text: p.b[p.at-size : p.at]}
	case 9, 10:
		head := p.byte()
		size := int(head >> 4)
		if size == 15 {
			size = int(p.uvarint())
		}
		if size < 0 || size > len(p.b)-p.at {
			panic("a list beyond the end")
		}
		n := &node{list: make([]*node, size)}
		for i := range n.list {
			n.list[i] = p.value(head&15, depth+1)
		}
		return n
	case 12:
		return p.record(depth)
	}
	panic("a type that Parquet does not use")
}
