package page

import (
	"hash/crc32"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// maxPage bounds a page before and after decompression, in bytes; maxHeader
// its header, which may hold the page's lowest and greatest value.
const (
	maxPage   = 64 << 20
	maxHeader = 4 << 20
)

// A header is what of PageHeader decoding needs; statistics are not read.
type header struct {
	typ        meta.PageType
	plain      int // bytes uncompressed
	size       int // bytes as stored
	crc        uint32
	hasCRC     bool
	values     int64
	rows       int64 // of v2
	encoding   meta.Encoding
	levels     meta.Encoding // of v1 definition levels
	repetition int           // bytes of v2 levels
	definition int
	compressed bool
}

// parseHeader reads the header that b begins with. It returns
// meta.ErrShort
// where b may end within it.
func parseHeader(b []byte) (h header, n int, err error) {
	s, n, err := meta.ParseStruct(b)
	if err != nil {
		return h, 0, err
	}
	typ, ok1 := s.Get(1).Int()
	plain, ok2 := s.Get(2).Int()
	size, ok3 := s.Get(3).Int()
	if !ok1 || !ok2 || !ok3 || plain < 0 || size < 0 {
		return h, n, meta.Damaged("a page header lacks its sizes")
	}
	if plain > maxPage || size > maxPage {
		return h, n, meta.Unsupported("write it with smaller pages", "a page of more than %d MiB", maxPage>>20)
	}
	h = header{typ: meta.PageType(typ), plain: int(plain), size: int(size), compressed: true}
	if crc, ok := s.Get(4).Int(); ok {
		h.crc, h.hasCRC = uint32(crc), true
	}
	switch h.typ {
	case meta.IndexPage:
		return h, n, nil
	case meta.DataPage:
		err = h.readV1(s.Get(5))
	case meta.DataPageV2:
		err = h.readV2(s.Get(8))
	case meta.DictionaryPage:
		err = h.readV1(s.Get(7))
	default:
		err = meta.Unsupported("", "a page of unknown type")
	}
	return h, n, err
}

func (h *header) readV1(d *meta.Value) error {
	values, ok1 := d.Get(1).Int()
	encoding, ok2 := d.Get(2).Int()
	if !ok1 || !ok2 || values < 0 {
		return meta.Damaged("a page header lacks its number of values")
	}
	levels, ok := d.Get(3).Int()
	if h.typ == meta.DataPage && !ok {
		return meta.Damaged("a page header lacks the encoding of levels")
	}
	h.values, h.encoding, h.levels = values, meta.Encoding(encoding), meta.Encoding(levels)
	return nil
}

func (h *header) readV2(d *meta.Value) error {
	values, ok1 := d.Get(1).Int()
	rows, ok2 := d.Get(3).Int()
	encoding, ok3 := d.Get(4).Int()
	definition, ok4 := d.Get(5).Int()
	repetition, ok5 := d.Get(6).Int()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || values < 0 || rows < 0 {
		return meta.Damaged("a page header lacks its number of values or rows")
	}
	limit := int64(min(h.plain, h.size))
	if definition < 0 || repetition < 0 || definition > limit || repetition > limit-definition {
		return meta.Damaged("a page has longer levels than the page is")
	}
	if c, ok := d.Get(7).Bool(); ok {
		h.compressed = c
	}
	h.values, h.rows, h.encoding = values, rows, meta.Encoding(encoding)
	h.definition, h.repetition = int(definition), int(repetition)
	return nil
}

// verify checks the CRC over the page as stored, where there is one.
func (h *header) verify(body []byte) error {
	if h.hasCRC && crc32.ChecksumIEEE(body) != h.crc {
		return meta.Damaged("a page does not match its checksum")
	}
	return nil
}
