package files

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// A parquetReader yields the letters of one chunk, page by page.
type parquetReader struct {
	pages   *pages
	letters *Letters
	unit    int
	left    int     // rows in pages to come
	entry   []int32 // letters of the dictionary, or of false and true; nil before they are met
	block   []int32 // room for the letters of a page
	page    []int32 // those of it that are left
}

func (p *parquetFile) Open(unit int, l *Letters) (_ Reader, err error) {
	defer guard(&err, "has pages that do not hold the rows of row group %d", unit+1)
	return &parquetReader{pages: p.pagesOf(unit), letters: l.one(), unit: unit, left: int(p.rows[unit])}, nil
}

func (r *parquetReader) Next(dst []int32) (n int, err error) {
	defer guard(&err, "row group %d cannot be decoded", r.unit+1)
	for n < len(dst) {
		if len(r.page) == 0 {
			if len(r.pages.rest) == 0 && r.left == 0 {
				break
			}
			page := r.pages.next()
			if r.left -= page.rows; r.left < 0 {
				return 0, errorf("cannot be decoded in row group %d, or holds other rows there than the footer says", r.unit+1)
			}
			r.page = r.take(&page)
		}
		k := copy(dst[n:], r.page)
		n, r.page = n+k, r.page[k:]
	}
	return n, nil
}

// take has the letters of a page: values stand without nulls, and levels say where these are.
func (r *parquetReader) take(p *page) []int32 {
	r.block = slices.Grow(r.block[:0], p.rows)[:p.rows]
	switch {
	case p.place == nil:
		r.letters.plain(r.block[:p.there], p.values)
	case !p.placed:
		r.entry = []int32{r.letters.truth(false), r.letters.truth(true)}
	case r.entry == nil:
		r.entry = r.letters.entries(r.pages.entries)
	}
	for i, x := range p.place {
		r.block[i] = r.entry[x]
	}
	values := p.there
	for i := p.rows - 1; i >= 0 && values < p.rows; i-- {
		if p.level[i] == 0 {
			r.block[i] = r.letters.null
		} else {
			values--
			r.block[i] = r.block[values]
		}
	}
	return r.block
}

// entries are the letters of a dictionary.
func (l *Letters) entries(d parquet.Dictionary) []int32 {
	letter := make([]int32, d.Len())
	l.plain(letter, d.Page().Data())
	return letter
}

// plain are the letters of as many values as dst takes, which Arrow has in the same bytes.
func (l *Letters) plain(dst []int32, v encoding.Values) {
	if len(dst) == 0 { // where there need be no values
		return
	}
	data, offsets := v.Data()
	of := map[encoding.Kind]arrow.DataType{encoding.Boolean: arrow.FixedWidthTypes.Boolean,
		encoding.Int32: arrow.PrimitiveTypes.Int32, encoding.Int64: arrow.PrimitiveTypes.Int64,
		encoding.Float: arrow.PrimitiveTypes.Float32, encoding.Double: arrow.PrimitiveTypes.Float64,
		encoding.ByteArray: arrow.BinaryTypes.Binary}[v.Kind()]
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(data)}
	switch {
	case offsets != nil:
		buffers = slices.Insert(buffers, 1, memory.NewBufferBytes(arrow.Uint32Traits.CastToBytes(offsets)))
	case v.Kind() == encoding.FixedLenByteArray && l.Type.Kind == Float: // of 16 bits
		of = arrow.FixedWidthTypes.Float16
	case v.Kind() == encoding.FixedLenByteArray: // a decimal
		_, size := v.FixedLenByteArray()
		of = &arrow.FixedSizeBinaryType{ByteWidth: size}
	case l.Type.Unsigned && v.Kind() == encoding.Int32:
		of = arrow.PrimitiveTypes.Uint32
	}
	letter := letterOf(array.MakeFromData(array.NewData(of, len(dst), buffers, nil, 0, 0)), l)
	for i := range dst {
		dst[i] = letter(i)
	}
}
