package files

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
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
			for g, group := range p.groups {
				p.scanPages(&pages, l, g, group.chunk[p.leaf])
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
	for _, g := range p.groups {
		chunks += len(g.chunk)
	}
	return []Finding{
		meta.finding("metadata", "no statistics, index, bloom filter, sorting or file_offset, no metadata but what was "+
			"asked for"),
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
		case key == arrowSchemaKey:
			p.scanArrowSchema(out, pair.get(2).text, keep)
		default:
			out.addf("the footer holds key-value metadata that was not asked for")
		}
	}
	for _, e := range append([]*node{p.footer.items(2)[0]}, p.elements[p.at]...) {
		if !e.only(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) {
			out.addf("the schema or its private column has fields that are not known")
		}
	}
}

// scanGroups looks at row groups and at the chunks in them.
func (p *parquetFile) scanGroups(out *problems) {
	for g, group := range p.groups {
		if group.strays {
			out.addf("row group %d has fields that are not known", g+1)
		}
		for _, by := range group.sorted {
			if int(by) == p.leaf {
				out.addf("row group %d is said to be sorted by the private column", g+1)
			}
		}
		for leaf, c := range group.chunk {
			if c.said&saidElsewhere != 0 {
				out.addf("row group %d column %d has a page index, or another file or encryption named", g+1, leaf+1)
			}
			if c.said&saidOffset != 0 {
				out.addf("row group %d column %d has a file_offset", g+1, leaf+1)
			}
			if c.said&saidBloom != 0 {
				out.addf("row group %d column %d has a bloom filter", g+1, leaf+1)
			}
			if c.said&saidPairs != 0 {
				out.addf("row group %d column %d has key-value metadata", g+1, leaf+1)
			}
			if leaf != p.leaf {
				continue
			}
			if c.said&saidStatistics != 0 {
				out.addf("row group %d has statistics of the private column beyond the number of nulls", g+1)
			}
			if c.said&saidStrays != 0 {
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
	for _, group := range p.groups {
		for _, c := range group.chunk {
			if c.size > 0 {
				all = append(all, piece{c.at, c.size})
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

// scanPages walks the pages of a private chunk.
func (p *parquetFile) scanPages(out *problems, l *Letters, g int, of chunk) {
	if of.codec != 0 {
		out.addf("row group %d: the private chunk is compressed, which is never written", g+1)
		return
	}
	in := io.NewSectionReader(p.in, of.at, of.size)
	chunk := make([]byte, of.size)
	if _, err := io.ReadFull(in, chunk); err != nil {
		out.addf("row group %d: the chunk lies outside the file", g+1)
		return
	}
	for n := 1; len(chunk) > 0; n++ {
		head, used := parseThrift(chunk)
		body := chunk[used : used+int(head.num(3))]
		chunk = chunk[used+len(body):]
		switch crc := head.get(4); {
		case crc == nil:
			out.addf("row group %d page %d has no checksum", g+1, n)
		case uint32(crc.number) != crc32.ChecksumIEEE(body):
			out.addf("row group %d page %d does not match its checksum", g+1, n)
		}
		if head.get(5).get(5) != nil || head.get(8).get(8) != nil {
			out.addf("row group %d page %d has statistics", g+1, n)
		}
		switch head.num(1) {
		case 0:
			data := head.get(5)
			if !p.filled(body, int(data.num(1)), data.num(2) == 8) {
				out.addf("row group %d page %d holds more than the values of its rows", g+1, n)
			}
		case 2:
			if !p.outputsOnly(body, int(head.get(7).num(1)), l) {
				out.addf("row group %d: the dictionary holds a value that is no output", g+1)
			}
		default:
			out.addf("row group %d page %d is of a kind that is never written", g+1, n)
		}
	}
}

// outputsOnly reports whether a dictionary page holds count letters of the
// alphabet, PLAIN, and nothing else.
func (p *parquetFile) outputsOnly(b []byte, count int, l *Letters) bool {
	for range count {
		var letter int32
		switch physical := p.groups[0].chunk[p.leaf].physical; physical {
		case 1: // INT32
			v := int32(binary.LittleEndian.Uint32(b))
			if letter = l.num(int64(v)); l.Type.Unsigned {
				letter = l.num(int64(uint32(v)))
			}
			b = b[4:]
		case 2: // INT64
			letter = l.num(int64(binary.LittleEndian.Uint64(b)))
			b = b[8:]
		case physicalFloat:
			letter = l.float(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
			b = b[4:]
		case physicalDouble:
			letter = l.num(int64(binary.LittleEndian.Uint64(b)))
			b = b[8:]
		case physicalFixed:
			n := p.column.TypeLength()
			letter = fixed(b[:n], l)
			b = b[n:]
		case 6: // BYTE_ARRAY
			n := binary.LittleEndian.Uint32(b)
			letter = l.bytes(b[4 : 4+n])
			b = b[4+n:]
		default:
			return false
		}
		if letter == Stranger {
			return false
		}
	}
	return len(b) == 0
}

// filled reports whether a data page holds the levels and values of its rows
// and nothing else: dictionary indices, or booleans bit by bit.
func (p *parquetFile) filled(b []byte, rows int, indices bool) bool {
	values := rows
	if p.null {
		size := int(binary.LittleEndian.Uint32(b))
		if values = runs(b[4:4+size], 1, rows); values < 0 {
			return false
		}
		b = b[4+size:]
	}
	if !indices {
		return len(b) == (values+7)/8 && zeros(b, values)
	}
	return runs(b[1:], int(b[0]), values) >= 0
}

// runs counts the ones among count values of some bits, in runs and in groups
// of eight as Parquet packs them; -1 where b holds anything else.
func runs(b []byte, width, count int) (ones int) {
	for count > 0 {
		head, n := binary.Uvarint(b)
		if n <= 0 {
			return -1
		}
		b = b[n:]
		if head&1 == 0 {
			size := (width + 7) / 8
			run := int(head >> 1)
			if run > count || run == 0 || len(b) < size {
				return -1
			}
			if size > 0 && b[0] == 1 {
				ones += run
			}
			b, count = b[size:], count-run
			continue
		}
		values := int(head>>1) * 8
		size := values / 8 * width
		run := min(values, count)
		if values == 0 || values-run >= 8 || len(b) < size || !zeros(b[:size], run*width) {
			return -1
		}
		for i := 0; width == 1 && i < run; i++ {
			ones += int(b[i/8] >> (i % 8) & 1)
		}
		b, count = b[size:], count-run
	}
	if len(b) > 0 {
		return -1
	}
	return ones
}

// zeros reports whether all bits from the first used on are 0.
func zeros(b []byte, used int) bool {
	for i := used; i < 8*len(b); i++ {
		if b[i/8]>>(i%8)&1 != 0 {
			return false
		}
	}
	return true
}
