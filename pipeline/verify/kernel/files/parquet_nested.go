package files

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A leaf is what pages of a column are decoded by: the highest repetition and definition
// level, and the type.
type leaf struct {
	highest        [2]int
	physical, size int32
}

// leavesOf are the leaves of the element that a list begins with, in depth-first order.
func leavesOf(list []node, highest [2]int) (all []leaf, behind []node) {
	e := &list[0]
	switch format.FieldRepetitionType(e.num(3)) {
	case format.Repeated:
		highest[0]++
		highest[1]++
	case format.Optional:
		highest[1]++
	}
	if behind = list[1:]; e.get(1) != nil {
		all = append(all, leaf{highest, int32(e.num(1)), int32(e.num(2))})
	}
	for range e.num(5) {
		var below []leaf
		below, behind = leavesOf(behind, highest)
		all = append(all, below...)
	}
	return all, behind
}

// sound looks at a page before parquet-go 0.32 does, which believes what compression, runs
// and differences say of their length: it panics where they hold more than the page says,
// or what no writer makes. It has the values of the page, those that levels say are none
// included. room is for the page without compression.
func (l *leaf) sound(codec compress.Compression, head *format.PageHeader, body []byte, room *[]byte) (n int) {
	dictionary, v1, v2 := &head.DictionaryPageHeader.V, &head.DataPageHeader.V, &head.DataPageHeaderV2.V
	plain, encoding := int(head.UncompressedPageSize), format.Plain
	if plain < 0 || plain > maxPage {
		panic("a page of too many bytes")
	}
	switch head.Type {
	case format.DictionaryPage:
		n, body = int(dictionary.NumValues), (&pages{codec: codec}).inflated(body, plain)
		if e := dictionary.Encoding; e != format.Plain && e != format.PlainDictionary || n > 8*len(body) {
			panic("a dictionary in another encoding, or of too many values")
		}
	case format.DataPage:
		n, encoding, body = int(v1.NumValues), v1.Encoding, (&pages{codec: codec}).inflated(body, plain)
		for i, of := range [2]format.Encoding{v1.RepetitionLevelEncoding, v1.DefinitionLevelEncoding} {
			if l.highest[i] > 0 {
				if of != format.RLE {
					panic("levels in another encoding")
				}
				body = prefixed(body, bits.Len(uint(l.highest[i])), n)
			}
		}
	case format.DataPageV2:
		n, encoding = int(v2.NumValues), v2.Encoding
		for i, size := range [2]int32{v2.RepetitionLevelsByteLength, v2.DefinitionLevelsByteLength} {
			if l.highest[i] > 0 {
				runs(body[:size], bits.Len(uint(l.highest[i])), n)
			}
			body, plain = body[size:], plain-int(size)
		}
		if !v2.IsCompressed.Valid || v2.IsCompressed.V {
			body = (&pages{codec: codec}).inflated(body, plain)
		}
	default:
		panic("a page of a kind that has no values")
	}
	if n < 0 || n > maxPage/4 {
		panic("a page of too many values")
	}
	l.values(encoding, body, n)
	return n
}

// values looks at the values of a page, of which n is the most.
func (l *leaf) values(encoding format.Encoding, b []byte, n int) {
	places := encoding == format.PlainDictionary || encoding == format.RLEDictionary
	if !places && l.physical == physicalFixed && n*int(l.size) > maxPage {
		panic("a page of too many bytes")
	}
	switch {
	case len(b) == 0 || encoding == format.Plain || encoding == format.ByteStreamSplit: // all are there
	case places:
		runs(b[1:], int(b[0]), n)
	case encoding == format.RLE && l.physical == physicalBoolean:
		prefixed(b, 1, n)
	case encoding == format.DeltaBinaryPacked || encoding == format.DeltaLengthByteArray:
		differences(b, n)
	case encoding == format.DeltaByteArray: // what each shares with the one before, and what is its own
		own, total := differences(b, n), 0
		differences(own, n)
		for _, list := range [][]byte{b, own} {
			for _, size := range read(parquet.DeltaBinaryPacked.DecodeInt32(nil, list)) {
				if total += int(size); size < 0 || total > maxPage {
					panic("a page of too many bytes")
				}
			}
		}
	default:
		panic("values in another encoding")
	}
}

// prefixed looks at runs behind their length, and has what is behind them.
func prefixed(b []byte, width, n int) []byte {
	size := 4 + int(binary.LittleEndian.Uint32(b))
	runs(b[4:size], width, n)
	return b[size:]
}

// A rawPage is a PageHeader, the bytes that it was read from, and those behind it.
type rawPage struct {
	head      *node
	raw, body []byte
}

// rawPages goes over the pages of a chunk, which fill it. It panics where they do not.
func rawPages(chunk []byte) iter.Seq[rawPage] {
	return func(yield func(rawPage) bool) {
		for len(chunk) > 0 {
			head, used := parseThrift(chunk, nil)
			stored := head.num(3)
			if stored < 0 || stored > int64(len(chunk)-used) {
				panic("a page beyond its chunk")
			}
			body := chunk[used : used+int(stored)]
			if !yield(rawPage{head, chunk[:used], body}) {
				return
			}
			chunk = chunk[used+len(body):]
		}
	}
}

// bytesOf are the bytes of a chunk.
func (p *parquetFile) bytesOf(c chunk) []byte {
	b := make([]byte, c.size)
	if n, _ := p.in.ReadAt(b, c.at); n < len(b) {
		panic("a chunk that cannot be read")
	}
	return b
}

// alone is a top-level column of a row group as a Parquet file of its own, so that parquet-go
// sees nothing of the others, and of this one physical types only. Its pages have the values
// that the footer says: what is decoded has at most so many, in pages of bounded size.
func (p *parquetFile) alone(unit int, of parquetColumn) []parquet.ColumnChunk {
	footer := format.FileMetaData{Schema: []format.SchemaElement{{Name: "alone", NumChildren: thrift.New[int32](1)}}}
	for i := range of.element {
		e := &of.element[i]
		s := format.SchemaElement{Name: e.name(4), RepetitionType: thrift.New(format.FieldRepetitionType(e.num(3)))}
		if e.get(1) == nil {
			s.NumChildren = thrift.New(int32(e.num(5)))
		} else {
			s.Type, s.TypeLength = thrift.New(format.Type(e.num(1))), thrift.New(int32(e.num(2)))
		}
		footer.Schema = append(footer.Schema, s)
	}
	group := format.RowGroup{NumRows: p.rows[unit]}
	file, room := []byte("PAR1"), []byte(nil)
	leaves, _ := leavesOf(of.element, [2]int{})
	for i, c := range p.groups[unit].chunk[of.first : of.first+of.leaves] {
		m := format.ColumnMetaData{Type: format.Type(c.physical), Codec: format.CompressionCodec(c.codec),
			NumValues: c.values, DataPageOffset: int64(len(file))}
		values := int64(0)
		for page := range rawPages(p.bytesOf(c)) {
			var head format.PageHeader
			if err := thrift.Unmarshal(&compact, page.raw, &head); err != nil {
				panic("a page that cannot be read")
			}
			n := int64(leaves[i].sound(compress.Compression(c.codec), &head, page.body, &room))
			if head.Type == format.DictionaryPage {
				m.DictionaryPageOffset = m.DataPageOffset
			} else {
				values += n
			}
			head.CRC = 0 // which Scan compares
			file = append(append(file, read(thrift.Marshal(&compact, head))...), page.body...)
		}
		if values != c.values {
			panic("pages that do not hold the values of their chunk")
		}
		m.TotalCompressedSize = int64(len(file)) - m.DataPageOffset
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: m})
	}
	footer.RowGroups = append(footer.RowGroups, group)
	raw := read(thrift.Marshal(&compact, footer))
	file = append(binary.LittleEndian.AppendUint32(append(file, raw...), uint32(len(raw))), "PAR1"...)
	f := read(parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true)))
	return f.RowGroups()[0].ColumnChunks()
}
