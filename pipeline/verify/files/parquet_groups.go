package files

import "encoding/binary"

// A group is what is held to a row group of the footer: a footer may have millions of
// fields, of which few are looked at.
type group struct {
	rows   int64
	strays bool    // it has fields that are not known
	sorted []int64 // the columns that it is said to be sorted by
	chunk  []chunk // by leaf
}

// A chunk is the same of a column chunk.
type chunk struct {
	at, size, values int64 // from its first page on
	physical, codec  int64
	path, top        string // of its column, and of the top-level one that this is below
	said             said
}

// said are things that a footer may tell of a chunk.
type said uint8

const (
	saidElsewhere  said = 1 << iota // a page index, another file, encryption
	saidOffset                      // a file_offset
	saidBloom                       // a bloom filter
	saidPairs                       // key-value metadata
	saidStatistics                  // statistics beyond the number of nulls
	saidStrays                      // fields that are not known
)

// groupsOf reads a footer and, instead of the list in its field 4, the row groups.
type groupsOf struct {
	groups []group
	name   map[string]string // so that paths are there once
}

// take is one row group, whose node is not kept.
func (f *groupsOf) take(n *node) {
	g := group{rows: n.num(3), strays: !n.only(1, 2, 3, 4, 5, 6, 7), chunk: make([]chunk, 0, len(n.items(1)))}
	for _, by := range n.items(4) {
		g.sorted = append(g.sorted, by.num(1))
	}
	for _, c := range n.items(1) {
		m := c.get(3)
		k := chunk{physical: m.num(1), codec: m.num(4), values: m.num(5), at: m.num(9), size: m.num(7)}
		if d := m.num(11); d > 0 && (d < k.at || k.at <= 0) {
			k.at = d
		}
		for _, s := range []struct {
			is bool
			of said
		}{
			{!c.only(2, 3), saidElsewhere}, {c.num(2) != 0, saidOffset}, {m.get(14) != nil || m.get(15) != nil, saidBloom},
			{m.get(8) != nil, saidPairs}, {!m.get(12).only(3), saidStatistics},
			{!m.only(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15), saidStrays},
		} {
			if s.is {
				k.said |= s.of
			}
		}
		var path []byte
		for i, name := range m.items(3) {
			if i == 0 {
				k.top = f.once(name.text)
			}
			path = append(binary.AppendUvarint(path, uint64(len(name.text))), name.text...)
		}
		k.path = f.once(path)
		g.chunk = append(g.chunk, k)
	}
	f.groups = append(f.groups, g)
}

func (f *groupsOf) once(b []byte) string {
	s, ok := f.name[string(b)]
	if !ok {
		s = string(b)
		f.name[s] = s
	}
	return s
}
