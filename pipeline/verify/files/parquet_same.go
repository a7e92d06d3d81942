package files

import (
	"bytes"
	"io"
	"slices"
)

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
		source := map[string]chunk{}
		for leaf, c := range q.groups[g].chunk {
			if leaf != q.leaf {
				source[c.path] = c
			}
		}
		for leaf, c := range group.chunk {
			if leaf == p.leaf || slices.Contains(redrawn, c.top) {
				continue
			}
			if old, ok := source[c.path]; !ok || c.path == "" || !sameChunk(p.in, c, q.in, old) {
				differ = append(differ, c.top)
			}
		}
	}
	slices.Sort(differ)
	return slices.Compact(differ), nil
}

func sameChunk(a io.ReaderAt, m chunk, b io.ReaderAt, n chunk) bool {
	return m.size == n.size && m.physical == n.physical && m.codec == n.codec && m.values == n.values &&
		sameBytes(a, m.at, b, n.at, m.size)
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
