package files

import (
	"bytes"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
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
			(j < 0 || !slices.EqualFunc(p.column[i].element, q.column[j].element, node.same)) {
			differ = append(differ, name)
		}
	}
	return append(differ, p.otherFields(q, redrawn)...), nil
}

// Same compares the bytes of the chunks of every column but those redrawn: equal bytes of
// equal type, codec and number of values decode to equal cells.
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
		for leaf, m := range group.chunk {
			if leaf == p.leaf || slices.Contains(redrawn, m.top) {
				continue
			}
			n, ok := source[m.path]
			if !ok || m.path == "" || m.physical != n.physical || m.codec != n.codec || m.values != n.values ||
				m.size != n.size || !sameBytes(p.in, m.at, q.in, n.at, m.size) {
				differ = append(differ, m.top)
			}
		}
	}
	slices.Sort(differ)
	return slices.Compact(differ), nil
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

// Digests takes the levels and values of every leaf of the columns; a value of repetition
// level 0 begins a row [Dremel, as parquet-format/README.md, "Nested Encoding"].
func (p *parquetFile) Digests(columns []string) (_ []Digest, err error) {
	defer guard(&err, "has columns that cannot be decoded")
	s, first := newRowSum(p.rows), 0
	values := make([]parquet.Value, 4096)
	for unit, rows := range p.rows {
		for row := range int(rows) {
			s.put(first + row)
		}
		for i, name := range p.name {
			if rows == 0 || !slices.Contains(columns, name) {
				continue
			}
			for _, c := range p.alone(unit, p.column[i]) {
				row := first - 1
				pages := c.Pages()
				for page, err := pages.ReadPage(); err != io.EOF; page, err = pages.ReadPage() {
					for from := read(page, err).Values(); ; {
						n, err := from.ReadValues(values)
						for _, v := range values[:n] {
							if v.RepetitionLevel() == 0 {
								if row >= first {
									s.put(row)
								}
								row++
							}
							s.cell = append(s.cell, byte(v.RepetitionLevel()), byte(v.DefinitionLevel()))
							s.text(v.Bytes())
						}
						if err != nil {
							break
						}
					}
				}
				if s.put(row); row+1-first != int(rows) {
					return nil, errorf("cannot be decoded in column %q of row group %d", name, unit+1)
				}
			}
		}
		first += int(rows)
	}
	return s.row, nil
}
