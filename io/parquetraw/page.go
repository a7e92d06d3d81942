package parquetraw

import "hash/crc32"

// maxPage bounds a page before and after decompression, in bytes; maxHeader
// its header, which may hold the page's lowest and greatest value.
const (
	maxPage   = 64 << 20
	maxHeader = 4 << 20
)

// Encoding is how values or levels are encoded.
type Encoding int32

// The encodings of parquet.thrift.
const (
	PlainEncoding    Encoding = 0
	PlainDictionary  Encoding = 2
	RLE              Encoding = 3
	BitPacked        Encoding = 4
	DeltaBinary      Encoding = 5
	DeltaLengthBytes Encoding = 6
	DeltaBytes       Encoding = 7
	RLEDictionary    Encoding = 8
	ByteStreamSplit  Encoding = 9
)

type pageType int64

const (
	dataPage       pageType = 0
	indexPage      pageType = 1
	dictionaryPage pageType = 2
	dataPageV2     pageType = 3
)

// A pageHeader is what of PageHeader decoding needs; statistics are not read.
type pageHeader struct {
	typ        pageType
	plain      int // bytes uncompressed
	size       int // bytes as stored
	crc        uint32
	hasCRC     bool
	values     int64
	encoding   Encoding
	levels     Encoding // of v1 definition levels
	repetition int      // bytes of v2 levels
	definition int
	compressed bool
}

// parsePageHeader reads the header that b begins with. It returns errShort
// where b may end within it.
func parsePageHeader(b []byte) (h pageHeader, n int, err error) {
	s, n, err := ParseStruct(b)
	if err != nil {
		return h, 0, err
	}
	typ, ok1 := s.Get(1).Int()
	plain, ok2 := s.Get(2).Int()
	size, ok3 := s.Get(3).Int()
	if !ok1 || !ok2 || !ok3 || plain < 0 || size < 0 {
		return h, n, damaged("a page header lacks its sizes")
	}
	if plain > maxPage || size > maxPage {
		return h, n, unsupported("write it with smaller pages", "a page of more than %d MiB", maxPage>>20)
	}
	h = pageHeader{typ: pageType(typ), plain: int(plain), size: int(size), compressed: true}
	if crc, ok := s.Get(4).Int(); ok {
		h.crc, h.hasCRC = uint32(crc), true
	}
	switch h.typ {
	case indexPage:
		return h, n, nil
	case dataPage:
		err = h.readV1(s.Get(5).Struct())
	case dataPageV2:
		err = h.readV2(s.Get(8).Struct())
	case dictionaryPage:
		err = h.readV1(s.Get(7).Struct())
	default:
		err = unsupported("", "a page of unknown type")
	}
	return h, n, err
}

func (h *pageHeader) readV1(d *Struct) error {
	values, ok1 := d.Get(1).Int()
	encoding, ok2 := d.Get(2).Int()
	if !ok1 || !ok2 || values < 0 {
		return damaged("a page header lacks its number of values")
	}
	levels, ok := d.Get(3).Int()
	if h.typ == dataPage && !ok {
		return damaged("a page header lacks the encoding of levels")
	}
	h.values, h.encoding, h.levels = values, Encoding(encoding), Encoding(levels)
	return nil
}

func (h *pageHeader) readV2(d *Struct) error {
	values, ok1 := d.Get(1).Int()
	rows, ok2 := d.Get(3).Int()
	encoding, ok3 := d.Get(4).Int()
	definition, ok4 := d.Get(5).Int()
	repetition, ok5 := d.Get(6).Int()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || values < 0 || values != rows {
		return damaged("a page header lacks its number of values or rows")
	}
	limit := int64(min(h.plain, h.size))
	if definition < 0 || repetition < 0 || definition > limit || repetition > limit-definition {
		return damaged("a page has longer levels than the page is")
	}
	if c, ok := d.Get(7).Bool(); ok {
		h.compressed = c
	}
	h.values, h.encoding = values, Encoding(encoding)
	h.definition, h.repetition = int(definition), int(repetition)
	return nil
}

// verify checks the CRC over the page as stored, where there is one.
func (h *pageHeader) verify(body []byte) error {
	if h.hasCRC && crc32.ChecksumIEEE(body) != h.crc {
		return damaged("a page does not match its checksum")
	}
	return nil
}
