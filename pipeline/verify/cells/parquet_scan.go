package cells

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// Scan looks through footer, gaps and the private column's pages. What it
// looks for are the numbered fields of parquet.thrift.
func (p *parquetFile) Scan(l *Letters, keep []string) []Finding {
	var meta, gaps, pages problems
	looks := []struct {
		at   *problems
		look func()
	}{
		{&meta, func() { p.scanFile(&meta, keep) }},
		{&meta, func() { p.scanGroups(&meta) }},
		{&gaps, func() { p.scanGaps(&gaps) }},
		{&pages, func() {
			for g, group := range p.footer.items(4) {
				p.scanPages(&pages, l, g, group.items(1)[p.leaf].get(3))
			}
		}},
	}
	for _, k := range looks {
		err := func() (err error) {
			defer guard(&err, "cannot be decoded")
			k.look()
			return nil
		}()
		if err != nil {
			k.at.addf("it cannot be decoded")
		}
	}
	chunks := 0
	for _, g := range p.footer.items(4) {
		chunks += len(g.items(1))
	}
	return []Finding{
		meta.finding("metadata", "no statistics, index, bloom filter, sorting or file_offset, no metadata but what was asked for"),
		gaps.finding("gaps", fmt.Sprintf("nothing but zeros between %d column chunks", chunks)),
		pages.finding("pages", "checksums hold, dictionaries hold outputs only, headers no statistics"),
	}
}

// scanFile looks at what is said of the file as a whole.
func (p *parquetFile) scanFile(out *problems, keep []string) {
	if !p.footer.only(1, 2, 3, 4, 5, 6, 7) {
		out.addf("the footer has fields that are not known")
	}
	for _, pair := range p.footer.items(5) {
		key := ""
		if k := pair.get(1); k != nil {
			key = string(k.text)
		}
		switch {
		case key == "tacet" && string(pair.get(2).text) == "1", slices.Contains(keep, key):
		case key == "ARROW:schema":
			p.scanArrowSchema(out, pair.get(2).text, keep)
		default:
			out.addf("the footer holds key-value metadata that was not asked for")
		}
	}
	for _, e := range p.footer.items(2) {
		if !e.only(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) {
			out.addf("the schema has fields that are not known")
		}
	}
}

// scanArrowSchema looks at the metadata in the schema that Arrow's readers use.
func (p *parquetFile) scanArrowSchema(out *problems, encoded []byte, keep []string) {
	raw, err := base64.StdEncoding.DecodeString(string(encoded))
	if err != nil || len(raw) < 8 || binary.LittleEndian.Uint32(raw) != math.MaxUint32 || uint64(binary.LittleEndian.Uint32(raw[4:])) > uint64(len(raw)-8) {
		out.addf("ARROW:schema cannot be decoded")
		return
	}
	message := root(raw[8:][:binary.LittleEndian.Uint32(raw[4:])])
	soundSchema(message)
	for i, f := range message.sub(2).tables(1) {
		for _, below := range f.tables(5) {
			if slices.ContainsFunc(below.fieldKeys(0), func(k string) bool { return !namesExtension(k) }) {
				out.addf("ARROW:schema holds metadata below column %d", i+1)
			}
		}
	}
	r, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(raw)))
	if err != nil {
		out.addf("ARROW:schema cannot be decoded")
		return
	}
	for _, k := range r.Schema().Metadata().Keys() {
		if !slices.Contains(keep, k) {
			out.addf("ARROW:schema holds metadata that was not asked for")
		}
	}
	for i, f := range r.Schema().Fields() {
		if i < len(p.name) && f.Name != p.name[i] || len(r.Schema().Fields()) != len(p.name) {
			out.addf("ARROW:schema is of other columns")
			return
		}
		for _, k := range f.Metadata.Keys() {
			if !namesExtension(k) || f.Name == p.private() {
				out.addf("ARROW:schema holds metadata of column %d", i+1)
			}
		}
	}
}

// namesExtension reports whether a key of metadata says what a type extends.
func namesExtension(key string) bool {
	return key == "ARROW:extension:name" || key == "ARROW:extension:metadata"
}

func (p *parquetFile) private() string { return p.reader.MetaData().Schema.Column(p.leaf).Name() }

// scanGroups looks at row groups and at the chunks in them.
func (p *parquetFile) scanGroups(out *problems) {
	for g, group := range p.footer.items(4) {
		if !group.only(1, 2, 3, 4, 5, 6, 7) {
			out.addf("row group %d has fields that are not known", g+1)
		}
		for _, by := range group.items(4) {
			if int(by.num(1)) == p.leaf {
				out.addf("row group %d is said to be sorted by the private column", g+1)
			}
		}
		for leaf, c := range group.items(1) {
			m := c.get(3)
			if !c.only(2, 3) {
				out.addf("row group %d column %d has a page index, or another file or encryption named", g+1, leaf+1)
			}
			if c.num(2) != 0 {
				out.addf("row group %d column %d has a file_offset", g+1, leaf+1)
			}
			if m.get(14) != nil || m.get(15) != nil {
				out.addf("row group %d column %d has a bloom filter", g+1, leaf+1)
			}
			if m.get(8) != nil {
				out.addf("row group %d column %d has key-value metadata", g+1, leaf+1)
			}
			if leaf != p.leaf {
				continue
			}
			if !m.get(12).only(3) {
				out.addf("row group %d has statistics of the private column beyond the number of nulls", g+1)
			}
			if !m.only(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15) {
				out.addf("row group %d has metadata of the private column that is not known", g+1)
			}
		}
	}
}

// scanGaps looks at the bytes that are in no chunk. Behind a private chunk
// there may be zeros, since its place is reserved before it is drawn.
func (p *parquetFile) scanGaps(out *problems) {
	type piece struct{ at, size int64 }
	var all []piece
	for _, group := range p.footer.items(4) {
		for _, c := range group.items(1) {
			at, size := span(c.get(3))
			if size > 0 {
				all = append(all, piece{at, size})
			}
		}
	}
	slices.SortFunc(all, func(a, b piece) int { return cmp.Compare(a.at, b.at) })
	at, buffer := int64(4), make([]byte, 1<<16)
	for i, c := range append(all, piece{p.end, 0}) {
		if c.at < at {
			out.addf("chunk %d overlaps another or the footer", i+1)
		}
		for ; at < c.at; at += min(c.at-at, int64(len(buffer))) {
			b := buffer[:min(c.at-at, int64(len(buffer)))]
			if n, _ := p.in.ReadAt(b, at); n < len(b) || bytes.ContainsFunc(b, func(r rune) bool { return r != 0 }) {
				out.addf("bytes that are not zero before chunk %d belong to none", i+1)
				break
			}
		}
		at = c.at + c.size
	}
}
