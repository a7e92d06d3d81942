package page

import (
	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

// open reads pages up to and with the next one that has values.
func (x *Reader) open() error {
	head, n, err := x.header()
	if err != nil {
		return err
	}
	x.w.skip(n)
	if int64(head.size) > x.w.end-x.w.pos {
		return fault.Damaged("a page reaches beyond its column chunk")
	}
	stored, err := x.w.peek(head.size)
	if err != nil {
		return err
	}
	stored = stored[:head.size]
	x.w.skip(head.size)
	if head.typ == format.IndexPage {
		return nil
	}
	if err := head.verify(stored); err != nil {
		return err
	}
	if head.typ == format.DictionaryPage {
		return x.openDictionary(&head, stored)
	}
	if head.values > x.left {
		return fault.Damaged("its pages have more values than the column chunk")
	}
	return x.openData(&head, stored)
}

func (x *Reader) header() (header, int, error) {
	for size := 1 << 12; ; size *= 2 {
		b, err := x.w.peek(size)
		if err != nil {
			return header{}, 0, err
		}
		if len(b) == 0 {
			return header{}, 0, fault.Damaged("its pages have %d values fewer than the column chunk", x.left)
		}
		h, n, err := parseHeader(b)
		if err != thrift.ErrShort || int64(len(b)) >= x.w.end-x.w.pos || len(b) > maxHeader {
			return h, n, err
		}
		size = max(size, len(b))
	}
}

func (x *Reader) openDictionary(h *header, stored []byte) error {
	if h.encoding != format.PlainEncoding && h.encoding != format.PlainDictionary {
		return fault.Unsupported("", "a dictionary with encoding %d", h.encoding)
	}
	b := make([]byte, h.plain)
	if err := x.chunk.Codec.decompress(b, stored); err != nil {
		return err
	}
	return x.dict.readPage(b, h.values)
}

// openData makes the page ready for decoding.
func (x *Reader) openData(h *header, stored []byte) error {
	levels := stored[:0]
	if h.typ == format.DataPageV2 {
		cut := h.repetition + h.definition
		levels, stored = stored[h.repetition:cut], stored[cut:]
		h.plain -= cut
	}
	body := stored
	if x.chunk.Codec == Uncompressed || !h.compressed {
		if len(stored) != h.plain {
			return errPageSize
		}
	} else {
		x.body = buffer(x.body, h.plain)
		body = x.body
		if err := x.chunk.Codec.decompress(body, stored); err != nil {
			return err
		}
	}
	var err error
	switch {
	case !x.chunk.Optional:
	case h.typ == format.DataPageV2:
		x.defined = hybrid{b: levels, width: 1}
	case h.levels == format.RLE:
		x.defined, body, err = levelRuns(body)
	case h.levels == format.BitPacked:
		x.defined, body, err = legacyLevels(body, h.values)
	default:
		err = fault.Unsupported("", "definition levels with encoding %d", h.levels)
	}
	if err != nil {
		return err
	}
	if h.values == 0 {
		return nil
	}
	if x.decode, err = x.dict.decoder(h.encoding, body); err != nil {
		return err
	}
	x.page = h.values
	return nil
}
