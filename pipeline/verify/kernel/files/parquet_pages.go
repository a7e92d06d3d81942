package files

import (
	"encoding/binary"
	"slices"

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
		r.letters.plain(r.block[:p.there], &p.values)
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
	letter, values := make([]int32, d.Len()), d.Page().Data()
	l.plain(letter, &values)
	return letter
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
