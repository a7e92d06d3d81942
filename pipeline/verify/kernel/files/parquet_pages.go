package files

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A parquetReader yields the letters of one chunk, page by page.
type parquetReader struct {
	pages   parquet.Pages
	letters *Letters
	unit    int
	left    int64   // rows in pages to come
	entry   []int32 // letters of the dictionary; nil before it is met
	block   []int32 // room for the letters of a page
	page    []int32 // those of it that are left
}

// A page is a PageHeader, the bytes that it was read from, and those behind it.
type page struct {
	head      *node
	raw, body []byte
}

// pagesOf goes over the pages of a chunk, which fill it. It panics where they do not.
func pagesOf(chunk []byte) iter.Seq[page] {
	return func(yield func(page) bool) {
		for len(chunk) > 0 {
			head, used := parseThrift(chunk, nil)
			stored := head.num(3)
			if stored < 0 || stored > int64(len(chunk)-used) {
				panic("a page beyond its chunk")
			}
			body := chunk[used : used+int(stored)]
			if !yield(page{head, chunk[:used], body}) {
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

// alone are the pages of the private column in a row group, as a Parquet file of its own has
// them: parquet-go sees nothing of the others, and of this one its physical type only. Its pages
// have the values that the footer says: what is decoded has at most so many, in pages of bounded
// size.
func (p *parquetFile) alone(unit int) parquet.Pages {
	e, c := &p.column[p.at].element[0], p.groups[unit].chunk[p.leaf]
	repetition := format.FieldRepetitionType(e.num(3))
	of := leaf{repetition == format.Optional, int32(e.num(1)), int32(e.num(2))}
	file, room := []byte("PAR1"), []byte(nil)
	m := format.ColumnMetaData{Type: format.Type(c.physical), Codec: format.CompressionCodec(c.codec),
		NumValues: c.values, DataPageOffset: int64(len(file))}
	values := int64(0)
	for page := range pagesOf(p.bytesOf(c)) {
		var head format.PageHeader
		if err := thrift.Unmarshal(&compact, page.raw, &head); err != nil {
			panic("a page that cannot be read")
		}
		n := int64(of.sound(compress.Compression(c.codec), &head, page.body, &room))
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
	raw := read(thrift.Marshal(&compact, format.FileMetaData{
		Schema: []format.SchemaElement{{Name: "alone", NumChildren: thrift.New[int32](1)},
			{Name: e.name(4), RepetitionType: thrift.New(repetition), Type: thrift.New(format.Type(of.physical)),
				TypeLength: thrift.New(of.size)}},
		RowGroups: []format.RowGroup{{NumRows: p.rows[unit], Columns: []format.ColumnChunk{{MetaData: m}}}}}))
	file = append(binary.LittleEndian.AppendUint32(append(file, raw...), uint32(len(raw))), "PAR1"...)
	f := read(parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true)))
	return f.RowGroups()[0].ColumnChunks()[0].Pages()
}

func (p *parquetFile) Open(unit int, l *Letters) (_ Reader, err error) {
	defer guard(&err, "has pages that do not hold the rows of row group %d", unit+1)
	if c := p.groups[unit].chunk[p.leaf]; c.values != p.rows[unit] {
		return nil, errorf("has pages that do not hold the rows of row group %d", unit+1)
	}
	return &parquetReader{pages: p.alone(unit), letters: l.one(), unit: unit, left: p.rows[unit]}, nil
}

func (r *parquetReader) Next(dst []int32) (n int, err error) {
	defer guard(&err, "row group %d cannot be decoded", r.unit+1)
	for len(r.page) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		page, err := r.pages.ReadPage()
		if err != nil || page.NumValues() > r.left {
			return 0, errorf("cannot be decoded in row group %d, or holds other rows there than the footer says", r.unit+1)
		}
		r.page = r.take(page)
		r.left -= int64(len(r.page))
		parquet.Release(page)
	}
	n = copy(dst, r.page)
	r.page = r.page[n:]
	return n, nil
}

// take has the letters of a page: values stand without nulls, and levels say where these are.
func (r *parquetReader) take(page parquet.Page) []int32 {
	rows, values := int(page.NumValues()), int(page.NumValues()-page.NumNulls())
	r.block = slices.Grow(r.block[:0], rows)[:rows]
	if d := page.Dictionary(); d != nil {
		if r.entry == nil {
			r.entry = make([]int32, d.Len())
			data := d.Page().Data()
			r.letters.plain(r.entry, &data)
		}
		data := page.Data()
		for i, x := range data.Int32()[:values] {
			r.block[i] = r.entry[x]
		}
	} else {
		data := page.Data()
		r.letters.plain(r.block[:values], &data)
	}
	level := page.DefinitionLevels()
	for i := rows - 1; i >= 0 && values < rows; i-- {
		if level[i] == 0 {
			r.block[i] = r.letters.null
		} else {
			values--
			r.block[i] = r.block[values]
		}
	}
	return r.block
}

// plain are the letters of as many values as dst takes.
func (l *Letters) plain(dst []int32, v *encoding.Values) {
	if v.Kind() == encoding.ByteArray {
		data, at := v.ByteArray()
		for i := range dst {
			dst[i] = l.bytes(data[at[i]:at[i+1]])
		}
		return
	}
	for i := range dst {
		switch v.Kind() {
		case encoding.Boolean:
			dst[i] = l.num(int64(v.Boolean()[i/8] >> (i % 8) & 1))
		case encoding.Int32:
			n := int64(v.Int32()[i])
			if l.Type.Unsigned {
				n = int64(uint32(n))
			}
			dst[i] = l.num(n)
		case encoding.Int64:
			dst[i] = l.num(v.Int64()[i])
		case encoding.Float:
			dst[i] = l.float(float64(v.Float()[i]))
		case encoding.Double:
			dst[i] = l.float(v.Double()[i])
		case encoding.FixedLenByteArray: // a float of 16 bits, or a decimal
			data, size := v.FixedLenByteArray()
			if b := data[i*size:][:size]; l.Type.Kind == Float {
				dst[i] = l.float(half(binary.LittleEndian.Uint16(b)))
			} else {
				dst[i] = l.bytes(b)
			}
		default:
			panic("a type that is never privatized")
		}
	}
}
