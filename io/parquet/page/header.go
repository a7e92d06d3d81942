package page

import (
	"hash/crc32"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// maxPage bounds a page before and after decompression, in bytes; maxHeader
// its header, which may hold the page's lowest and greatest value.
const (
	maxPage   = 64 << 20
	maxHeader = 4 << 20
)

// A header is what of PageHeader decoding needs.
type header struct {
	typ        format.PageType
	plain      int // bytes uncompressed
	size       int // bytes as stored
	crc        thrift.Null[int32]
	values     int64
	rows       int64 // of v2
	encoding   format.Encoding
	levels     format.Encoding // of v1 definition levels
	repetition int             // bytes of v2 levels
	definition int
	compressed bool
}

// storedHeader is PageHeader. That of parquet-go does not tell a checksum of 0 from none, and takes
// in statistics.
type storedHeader struct {
	Type   format.PageType    `thrift:"1,required"`
	Plain  int32              `thrift:"2,required"`
	Size   int32              `thrift:"3,required"`
	CRC    thrift.Null[int32] `thrift:"4"`
	DataV1 struct {
		Values   thrift.Null[int32] `thrift:"1"`
		Encoding format.Encoding    `thrift:"2,required"`
		Levels   format.Encoding    `thrift:"3,required"`
		Repeated format.Encoding    `thrift:"4"` // encoding of repetition levels
	} `thrift:"5"`
	Dictionary struct {
		Values   thrift.Null[int32] `thrift:"1"`
		Encoding format.Encoding    `thrift:"2,required"`
		Sorted   bool               `thrift:"3"`
	} `thrift:"7"`
	DataV2 struct {
		Values     thrift.Null[int32] `thrift:"1"`
		Rows       int32              `thrift:"3,required"`
		Encoding   format.Encoding    `thrift:"4,required"`
		Definition int32              `thrift:"5,required"`
		Repetition int32              `thrift:"6,required"`
		Compressed thrift.Null[bool]  `thrift:"7"`
	} `thrift:"8"`
}

// parseHeader reads the header that b begins with. It returns
// meta.ErrShort
// where b may end within it.
func parseHeader(b []byte) (h header, n int, err error) {
	s, n, err := meta.ParseStruct(b)
	if err != nil {
		return h, 0, err
	}
	var p storedHeader
	if s.Decode(&p, false) != nil || p.Plain < 0 || p.Size < 0 {
		return h, n, meta.Damaged("a page header lacks its sizes or the numbers of its type")
	}
	if p.Plain > maxPage || p.Size > maxPage {
		return h, n, meta.Unsupported("write it with smaller pages", "a page of more than %d MiB", maxPage>>20)
	}
	h = header{typ: p.Type, plain: int(p.Plain), size: int(p.Size), crc: p.CRC, compressed: true}
	var values thrift.Null[int32]
	switch d := &p.DataV2; h.typ {
	case format.IndexPage:
		return h, n, nil
	case format.DataPage:
		values, h.encoding, h.levels = p.DataV1.Values, p.DataV1.Encoding, p.DataV1.Levels
	case format.DictionaryPage:
		values, h.encoding = p.Dictionary.Values, p.Dictionary.Encoding
	case format.DataPageV2:
		values, h.encoding, h.rows = d.Values, d.Encoding, int64(d.Rows)
		h.definition, h.repetition = int(d.Definition), int(d.Repetition)
		h.compressed = d.Compressed.V || !d.Compressed.Valid
	default:
		return h, n, meta.Unsupported("", "a page of unknown type")
	}
	h.values = int64(values.V)
	limit := min(h.plain, h.size)
	switch {
	case !values.Valid || h.values < 0 || h.rows < 0:
		return h, n, meta.Damaged("a page header lacks its number of values or rows")
	case h.definition < 0 || h.repetition < 0 || h.definition > limit || h.repetition > limit-h.definition:
		return h, n, meta.Damaged("a page has longer levels than the page is")
	}
	return h, n, nil
}

// before is the header as it stands before a page that is not compressed.
func (h *storedHeader) before(body []byte) []byte {
	h.Plain, h.Size = int32(len(body)), int32(len(body))
	h.CRC = thrift.New(int32(crc32.ChecksumIEEE(body)))
	return meta.Written(h).Encode(nil)
}

// verify checks the CRC over the page as stored, where there is one.
func (h *header) verify(body []byte) error {
	if h.crc.Valid && crc32.ChecksumIEEE(body) != uint32(h.crc.V) {
		return meta.Damaged("a page does not match its checksum")
	}
	return nil
}
