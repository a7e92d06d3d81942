package files

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Scan looks through footer, gaps and the private column's pages.
func (p *parquetFile) Scan(l *Letters, keep []string) []Finding {
	var meta, gaps, pages Faults
	look := func(at *Faults, what func()) {
		defer func() {
			if recover() != nil {
				at.Addf("it cannot be decoded")
			}
		}()
		what()
	}
	look(&meta, func() { p.scanFooter(&meta, keep) })
	look(&gaps, func() { p.scanGaps(&gaps) })
	look(&pages, func() {
		for g := range p.groups {
			p.scanPages(&pages, l, g)
		}
	})
	chunks := 0
	for _, g := range p.groups {
		chunks += len(g.chunk)
	}
	return []Finding{
		{"metadata", meta, "no statistics, index, bloom filter, sorting or file_offset, no metadata but what was " +
			"asked for"},
		{"gaps", gaps, fmt.Sprintf("nothing but zeros between %d column chunks", chunks)},
		{"pages", pages, "checksums hold, dictionaries hold outputs only, headers no statistics"},
	}
}

// scanFooter proves that the footer says nothing of the private column but what its values
// say: each field that may be there is listed by its number in parquet.thrift.
func (p *parquetFile) scanFooter(out *Faults, keep []string) {
	if !p.footer.only(1, 2, 3, 4, 5, 6, 7) {
		out.Addf("the footer has fields that are not known")
	}
	for _, pair := range p.footer.items(5) {
		switch key := pair.name(1); {
		case key == "tacet" && pair.name(2) == "1", slices.Contains(keep, key):
		case key == arrowSchemaKey:
			p.scanArrowSchema(out, pair.get(2).text, keep)
		default:
			out.Addf("the footer holds key-value metadata that was not asked for")
		}
	}
	for _, e := range append(p.footer.items(2)[:1:1], p.column[p.at].element...) {
		if !e.only(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) {
			out.Addf("the schema or its private column has fields that are not known")
		}
	}
	for g, group := range p.groups {
		for _, what := range group.told {
			out.Addf("row group %d %s", g+1, what)
		}
		if slices.Contains(group.by, int64(p.leaf)) {
			out.Addf("row group %d is said to be sorted by the private column", g+1)
		}
		for leaf, c := range group.chunk {
			told := c.told
			if leaf == p.leaf {
				told = slices.Concat(told, c.ofValues)
				if c.path.Value() != string(pathed(nil, []byte(p.name[p.at]))) {
					out.Addf("row group %d has another path of the private column", g+1)
				}
			}
			for _, what := range told {
				out.Addf("row group %d column %d has %s", g+1, leaf+1, what)
			}
		}
	}
}

// toldOf is what a ColumnChunk, and the ColumnMetaData in it, say: what they may say of no
// column, and what not of the private one.
func toldOf(c, m *node) (told, ofValues []string) {
	if !c.only(2, 3) {
		told = append(told, "a page index, or another file or encryption named")
	}
	if c.num(2) != 0 {
		told = append(told, "a file_offset")
	}
	if m.get(8) != nil || m.get(14) != nil || m.get(15) != nil {
		told = append(told, "key-value metadata or a bloom filter")
	}
	if !m.get(12).only(3) {
		ofValues = append(ofValues, "statistics beyond the number of nulls")
	}
	if !m.only(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15) {
		ofValues = append(ofValues, "metadata that are not known")
	}
	return told, ofValues
}

// scanGaps proves that the bytes that are in no chunk are zeros: behind a private chunk there
// may be some, since its place is reserved before it is drawn.
func (p *parquetFile) scanGaps(out *Faults) {
	var all []chunk
	for _, group := range p.groups {
		for _, c := range group.chunk {
			if c.size > 0 {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b chunk) int { return cmp.Compare(a.at, b.at) })
	at, buffer := int64(4), make([]byte, 1<<16)
	for i, c := range append(all, chunk{at: p.end}) {
		if c.at < at {
			out.Addf("chunk %d overlaps another or the footer", i+1)
		}
		for ; at < c.at; at += min(c.at-at, int64(len(buffer))) {
			b := buffer[:min(c.at-at, int64(len(buffer)))]
			if n, _ := p.in.ReadAt(b, at); n < len(b) || len(bytes.Trim(b, "\x00")) > 0 {
				out.Addf("bytes that are not zero before chunk %d belong to none", i+1)
				break
			}
		}
		at = c.at + c.size
	}
}

// scanPages proves that every byte of a private chunk is one that its outputs make, in the
// one way that a run writes them: nothing else can be hidden in it.
func (p *parquetFile) scanPages(out *Faults, l *Letters, g int) {
	of := p.groups[g].chunk[p.leaf]
	if of.codec != 0 {
		out.Addf("row group %d: the private chunk is compressed, which is never written", g+1)
		return
	}
	n := 0
	for pages := p.pagesOf(g); len(pages.rest) > 0; {
		page := pages.next()
		head := page.head
		n++
		switch crc := head.get(4); {
		case crc == nil:
			out.Addf("row group %d page %d has no checksum", g+1, n)
		case uint32(crc.number) != crc32.ChecksumIEEE(page.body):
			out.Addf("row group %d page %d does not match its checksum", g+1, n)
		}
		if !head.only(1, 2, 3, 4, 5, 7) || !head.get(5).only(1, 2, 3, 4) || !head.get(7).only(1, 2, 3) {
			out.Addf("row group %d page %d has statistics, or fields that are not known", g+1, n)
		}
		switch {
		case page.kind == format.DictionaryPage && n == 1:
			if slices.Contains(l.entries(pages.entries), Stranger) {
				out.Addf("row group %d: the dictionary holds a value that is no output", g+1)
			}
			if !bytes.Equal(page.body, read(pages.typ.Encode(nil, pages.entries.Page().Data(), &parquet.Plain))) {
				out.Addf("row group %d: the dictionary holds more than its values", g+1)
			}
		case page.kind == format.DataPage:
			if !bytes.Equal(page.body, page.written(pages.entries)) {
				out.Addf("row group %d page %d holds more than the values of its rows", g+1, n)
			}
		default:
			out.Addf("row group %d page %d is of a kind that is never written", g+1, n)
		}
	}
}
