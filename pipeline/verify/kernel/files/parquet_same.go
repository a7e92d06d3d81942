package files

import (
	"bytes"
	"io"
	"slices"
)

// Same compares the elements of the schemas, and the bytes of chunks: equal bytes of equal
// type, codec and number of values decode to equal cells.
func (p *parquetFile) Same(input File, redrawn []string) (same bool) {
	defer refuse(&same)
	both, ok := beside(p, input, redrawn)
	q, alike := input.(*parquetFile)
	if !ok || !alike || len(p.rows) != len(q.rows) || !p.sameFields(q, redrawn) ||
		slices.ContainsFunc(both, func(at [2]int) bool {
			return !slices.EqualFunc(p.column[at[0]].element, q.column[at[1]].element,
				func(a, b part[element]) bool { return bytes.Equal(a.Raw, b.Raw) })
		}) {
		return false
	}
	for g := range p.rows {
		for _, at := range both {
			of, from := p.column[at[0]], q.column[at[1]].first
			for i := range of.leaves {
				m, n := &p.footer.Groups[g].Chunks[of.first+i].Meta.V, &q.footer.Groups[g].Chunks[from+i].Meta.V
				if !slices.Equal(m.Path, n.Path) || m.Type != n.Type || m.Codec != n.Codec || m.Values != n.Values ||
					m.Size != n.Size || !sameBytes(p.in, m.at(), q.in, n.at(), m.Size) {
					return false
				}
			}
		}
	}
	return true
}

// sameBytes compares runs of bytes of two files.
func sameBytes(a io.ReaderAt, from int64, b io.ReaderAt, other, size int64) bool {
	block := make([]byte, min(size+1, 1<<20))
	n, err := io.CopyBuffer(&comparing{in: a, at: from}, io.NewSectionReader(b, other, size), block)
	return err == nil && n == size
}
