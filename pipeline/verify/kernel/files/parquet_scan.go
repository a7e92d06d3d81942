package files

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Scan looks through footer, gaps and the private column's pages.
func (p *parquetFile) Scan(l *Letters, keep []string) []Finding {
	return []Finding{
		look("metadata", "no statistics, index, bloom filter, sorting or file_offset, no metadata but what was asked for",
			func(w *Faults) { p.scanFooter(w, keep) }),
		look("gaps", fmt.Sprintf("nothing but zeros between %d column chunks", len(p.chunks())), p.scanGaps),
		look("pages", "checksums hold, dictionaries hold outputs only, headers no statistics", func(w *Faults) {
			for g := range p.rows {
				p.scanPages(w, l, g)
			}
		}),
	}
}

// scanFooter proves that the footer says nothing of the private column but what its values
// say. Of other columns it holds what the input said.
func (p *parquetFile) scanFooter(out *Faults, keep []string) {
	if !writes(p.raw, p.footer) {
		out.Addf("the footer or a row group has fields that no output has")
	}
	for _, pair := range p.footer.Pairs {
		switch {
		case pair.Key == "tacet" && pair.Value.V == "1", slices.Contains(keep, pair.Key):
		case pair.Key == arrowSchemaKey:
			p.scanArrowSchema(out, pair.Value.V, keep)
		default:
			out.Addf("the footer holds key-value metadata that was not asked for")
		}
	}
	for _, e := range append(p.footer.Schema[:1:1], p.column[p.at].element...) {
		if !writes(e.Raw, e.V) {
			out.Addf("the schema or its private column has fields that no output has")
		}
	}
	for g, group := range p.footer.Groups {
		for leaf, c := range group.Chunks {
			if c.Offset != 0 || !p.without(c.Meta.Raw, leaf == p.leaf) {
				out.Addf("row group %d column %d has statistics, an index or other metadata that no output has", g+1, leaf+1)
			}
		}
	}
}

// without reports whether a ColumnMetaData says what that of an output may.
func (p *parquetFile) without(raw []byte, private bool) (ok bool) {
	defer refuse(&ok)
	if none, _ := parsed[noMeta](p.lengths, raw, true); none.Pairs != nil || none.Offset.Valid || none.Length.Valid {
		return false
	}
	if !private {
		return true
	}
	m, _ := parsed[format.ColumnMetaData](p.lengths, raw, true)
	return writes(raw, format.ColumnMetaData{Type: m.Type, Encoding: m.Encoding,
		PathInSchema: p.name[p.at : p.at+1], Codec: m.Codec, NumValues: m.NumValues,
		TotalUncompressedSize: m.TotalUncompressedSize, TotalCompressedSize: m.TotalCompressedSize,
		DataPageOffset: m.DataPageOffset, DictionaryPageOffset: m.DictionaryPageOffset,
		Statistics: format.Statistics{NullCount: m.Statistics.NullCount}, EncodingStats: m.EncodingStats})
}

// scanGaps proves that the bytes that are in no chunk are zeros: behind a private chunk there
// may be some, since its place is reserved before it is drawn.
func (p *parquetFile) scanGaps(out *Faults) {
	all := slices.DeleteFunc(p.chunks(), func(m *columnMeta) bool { return m.Size == 0 })
	slices.SortFunc(all, func(a, b *columnMeta) int { return cmp.Compare(a.at(), b.at()) })
	at, buffer := int64(4), make([]byte, 1<<16)
	for i, m := range append(all, &columnMeta{Data: p.end}) {
		if m.at() < at {
			out.Addf("chunk %d overlaps another or the footer", i+1)
		}
		for ; at < m.at(); at += min(m.at()-at, int64(len(buffer))) {
			b := buffer[:min(m.at()-at, int64(len(buffer)))]
			if n, _ := p.in.ReadAt(b, at); n < len(b) || len(bytes.Trim(b, "\x00")) > 0 {
				out.Addf("bytes that are not zero before chunk %d belong to none", i+1)
				break
			}
		}
		at = m.at() + m.Size
	}
}

// chunks are those of all columns and row groups.
func (p *parquetFile) chunks() (all []*columnMeta) {
	for _, g := range p.footer.Groups {
		for i := range g.Chunks {
			all = append(all, &g.Chunks[i].Meta.V)
		}
	}
	return all
}

// scanPages proves that every byte of a private chunk is one that its outputs make, in the
// one way that a run writes them: nothing else can be hidden in it.
func (p *parquetFile) scanPages(out *Faults, l *Letters, g int) {
	if p.footer.Groups[g].Chunks[p.leaf].Meta.V.Codec != format.Uncompressed {
		out.Addf("row group %d: the private chunk is compressed, which is never written", g+1)
		return
	}
	n := 0
	for pages := p.pagesOf(g); len(pages.rest) > 0; {
		page := pages.next()
		n++
		head := pageHeader{Type: page.head.V.Type, Plain: int32(len(page.body)), Size: int32(len(page.body)),
			CRC: thrift.New(int32(crc32.ChecksumIEEE(page.body)))}
		switch {
		case head.Type == format.DictionaryPage && n == 1:
			head.Dictionary = page.head.V.Dictionary
			if slices.Contains(l.entries(pages.entries), Stranger) {
				out.Addf("row group %d: the dictionary holds a value that is no output", g+1)
			}
			if !bytes.Equal(page.body, read(pages.typ.Encode(nil, pages.entries.Page().Data(), &parquet.Plain))) {
				out.Addf("row group %d: the dictionary holds more than its values", g+1)
			}
		case head.Type == format.DataPage:
			head.V1 = page.head.V.V1
			if !bytes.Equal(page.body, page.written(pages.entries)) {
				out.Addf("row group %d page %d holds more than the values of its rows", g+1, n)
			}
		default:
			out.Addf("row group %d page %d is of a kind that is never written", g+1, n)
		}
		if !writes(page.head.Raw, head) {
			out.Addf("row group %d page %d has no or another checksum, statistics, or fields that no output has", g+1, n)
		}
	}
}
