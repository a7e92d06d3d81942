package files

import (
	"bytes"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Described compares the elements of the schemas.
func (p *parquetFile) Described(input File, redrawn []string) (same bool) {
	defer refuse(&same)
	both, ok := beside(p, input, redrawn)
	q, alike := input.(*parquetFile)
	return ok && alike && p.sameFields(q, redrawn) && !slices.ContainsFunc(both, func(at [2]int) bool {
		return !slices.EqualFunc(p.column[at[0]].element, q.column[at[1]].element, node.same)
	})
}

// Same compares the bytes of chunks: equal bytes of equal type, codec and number of values
// decode to equal cells.
func (p *parquetFile) Same(input File, redrawn []string) bool {
	if !p.Described(input, redrawn) || len(p.groups) != len(input.Units()) {
		return false
	}
	q := input.(*parquetFile)
	both, _ := beside(p, q, redrawn)
	for g := range p.groups {
		for _, at := range both {
			of, from := p.column[at[0]], q.column[at[1]].first
			for i, m := range p.groups[g].chunk[of.first : of.first+of.leaves] {
				if n := q.groups[g].chunk[from+i]; m.path != n.path || m.physical != n.physical || m.codec != n.codec ||
					m.values != n.values || m.size != n.size || !sameBytes(p.in, m.at, q.in, n.at, m.size) {
					return false
				}
			}
		}
	}
	return true
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
