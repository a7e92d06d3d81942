package files

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// span is where a chunk stands: from its first page on.
func span(meta *node) (at, size int64) {
	at = meta.num(9)
	if d := meta.num(11); d > 0 && (d < at || at <= 0) {
		at = d
	}
	return at, meta.num(7)
}

// Described compares the elements of the schemas.
func (p *parquetFile) Described(input File, redrawn []string) (differ []string, err error) {
	defer guard(&err, "has columns that cannot be compared")
	q, ok := input.(*parquetFile)
	if !ok {
		return nil, errorf("cannot be compared with the input")
	}
	for i, name := range p.name {
		if j := slices.Index(q.name, name); i != p.at && !slices.Contains(redrawn, name) &&
			(j < 0 || !slices.EqualFunc(p.elements[i], q.elements[j], (*node).same)) {
			differ = append(differ, name)
		}
	}
	return append(differ, p.otherFields(q, redrawn)...), nil
}

// Same compares the bytes of the chunks of every column but those redrawn.
func (p *parquetFile) Same(input File, redrawn []string) (differ []string, err error) {
	defer guard(&err, "has chunks that cannot be compared")
	if differ, err = p.Described(input, redrawn); err != nil {
		return nil, err
	}
	q := input.(*parquetFile)
	if len(p.groups) != len(q.groups) {
		return nil, errorf("cannot be compared with the input")
	}
	for g, group := range p.groups {
		source := map[string]*node{}
		for leaf, c := range q.groups[g].items(1) {
			if leaf != q.leaf {
				source[pathOf(c.get(3))] = c.get(3)
			}
		}
		for leaf, c := range group.items(1) {
			top := string(c.get(3).items(3)[0].text)
			if leaf == p.leaf || slices.Contains(redrawn, top) {
				continue
			}
			path := pathOf(c.get(3))
			if old := source[path]; old == nil || !sameChunk(p.in, c.get(3), q.in, old) {
				differ = append(differ, top)
			}
		}
	}
	slices.Sort(differ)
	return slices.Compact(differ), nil
}

func pathOf(meta *node) string {
	var b []byte
	for _, name := range meta.items(3) {
		b = append(binary.AppendUvarint(b, uint64(len(name.text))), name.text...)
	}
	return string(b)
}

func sameChunk(a io.ReaderAt, m *node, b io.ReaderAt, n *node) bool {
	from, size := span(m)
	other, length := span(n)
	return size == length && m.num(1) == n.num(1) && m.num(4) == n.num(4) && m.num(5) == n.num(5) &&
		sameBytes(a, from, b, other, size)
}

// sameBytes compares runs of bytes of two files.
func sameBytes(a io.ReaderAt, from int64, b io.ReaderAt, other, size int64) bool {
	one, two := make([]byte, min(size, 1<<20)), make([]byte, min(size, 1<<20))
	for done := int64(0); done < size; {
		k := min(size-done, 1<<20)
		i, _ := a.ReadAt(one[:k], from+done)
		j, _ := b.ReadAt(two[:k], other+done)
		if int64(i) < k || int64(j) < k || !bytes.Equal(one[:k], two[:k]) {
			return false
		}
		done += k
	}
	return true
}
