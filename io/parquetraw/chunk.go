package parquetraw

import (
	"io"
)

// Null is the code of a null.
const Null = -1

// block is how many values are decoded at once.
const block = 4096

// A ChunkReader decodes the chunk of a flat column page by page into codes,
// which number the values of the chunk in no order that means anything. It
// holds one page in memory.
type ChunkReader struct {
	w        window
	codec    Codec
	optional bool
	left     int64 // values not yet handed out
	page     int64 // of them in the page at hand
	defined  hybrid
	decode   decoder
	dict     *dictionary
	body     []byte // the page decompressed
	level    []int32
	where    func(error) error
}

// OpenChunk begins the chunk of a leaf in a row group, both counted from 0.
// The leaf must be flat: at the top level and not repeated.
func (f *Footer) OpenChunk(r io.ReaderAt, group, leaf int) (*ChunkReader, error) {
	l, c := &f.Leaves[leaf], &f.Groups[group].Chunks[leaf]
	if err := f.CheckChunk(group, leaf); err != nil {
		return nil, err
	}
	where := func(err error) error { return inChunk(err, l.Name(), group) }
	x := &ChunkReader{
		w: window{r: r, pos: c.Start, end: c.Start + c.Size}, codec: c.Codec, where: where,
		optional: l.Repetition == Optional, left: c.Values, dict: newDictionary(l.Physical),
	}
	if b, ok := buffers.Get().(*chunkBuffers); ok {
		x.w.base, x.body, x.level = b.base[:0], b.body, b.level
	} else {
		x.level = make([]int32, block)
	}
	return x, nil
}

type chunkBuffers struct {
	base, body []byte
	level      []int32
}

// Close gives the buffers back. Values by code stay valid.
func (x *ChunkReader) Close() {
	if x.level != nil {
		buffers.Put(&chunkBuffers{x.w.base, x.body, x.level})
		x.w.base, x.body, x.level, x.decode = nil, nil, nil, nil
		x.left, x.page = 0, 0
	}
}

// Codes counts the codes that are known by now: those of the dictionary page
// and those handed out. It grows from one call of Next to the next.
func (x *ChunkReader) Codes() int { return x.dict.size() }

// Bytes is the value of a code of a ByteArray column. The caller must not
// change it.
func (x *ChunkReader) Bytes(code int) []byte { return x.dict.bytes(int32(code)) }

// Int is the value of a code of any other column; 32 bits are sign-extended.
func (x *ChunkReader) Int(code int) int64 { return x.dict.ints[code] }

// Next decodes up to len(code) codes, Null among them, and returns how many:
// fewer only at the end of the chunk, and io.EOF with 0 behind it.
func (x *ChunkReader) Next(code []int32) (int, error) {
	if len(code) > 0 && x.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(code) && x.left > 0 {
		for x.page == 0 {
			if err := x.open(); err != nil {
				return n, x.where(err)
			}
		}
		m := int(min(int64(len(code)-n), x.page, block))
		if err := x.some(code[n : n+m]); err != nil {
			return n, x.where(err)
		}
		n += m
		x.page -= int64(m)
		x.left -= int64(m)
	}
	return n, nil
}

// some decodes len(code) values of the page at hand.
func (x *ChunkReader) some(code []int32) error {
	if !x.optional {
		return x.decode.next(code)
	}
	defined, same, err := x.defined.repeated(len(code))
	switch {
	case err != nil:
		return err
	case same && defined == 1:
		return x.decode.next(code)
	case same:
		for i := range code {
			code[i] = Null
		}
		return nil
	}
	level := x.level[:len(code)]
	if err := x.defined.next(level); err != nil {
		return err
	}
	n := int32(0)
	for _, l := range level {
		n += l
	}
	if err := x.decode.next(code[:n]); err != nil {
		return err
	}
	if int(n) == len(code) {
		return nil
	}
	// From the end, so that no code is overwritten before it moved: a level
	// of 0 makes l-1 the code of null.
	for i := len(level) - 1; i >= 0; i-- {
		l := level[i]
		n -= l
		code[i] = code[n] | (l - 1)
	}
	return nil
}

// open reads pages up to and with the next one that has values.
func (x *ChunkReader) open() error {
	head, n, err := x.header()
	if err != nil {
		return err
	}
	x.w.skip(n)
	if int64(head.size) > x.w.end-x.w.pos {
		return damaged("a page reaches beyond its column chunk")
	}
	stored, err := x.w.peek(head.size)
	if err != nil {
		return err
	}
	stored = stored[:head.size]
	x.w.skip(head.size)
	if head.typ == indexPage {
		return nil
	}
	if err := head.verify(stored); err != nil {
		return err
	}
	if head.typ == dictionaryPage {
		return x.openDictionary(&head, stored)
	}
	if head.values > x.left {
		return damaged("its pages have more values than the column chunk")
	}
	return x.openData(&head, stored)
}

func (x *ChunkReader) header() (pageHeader, int, error) {
	for size := 1 << 12; ; size *= 2 {
		b, err := x.w.peek(size)
		if err != nil {
			return pageHeader{}, 0, err
		}
		if len(b) == 0 {
			return pageHeader{}, 0, damaged("its pages have %d values fewer than the column chunk", x.left)
		}
		h, n, err := parsePageHeader(b)
		if err != errShort || int64(len(b)) >= x.w.end-x.w.pos || len(b) > maxHeader {
			return h, n, err
		}
		size = max(size, len(b))
	}
}

func (x *ChunkReader) openDictionary(h *pageHeader, stored []byte) error {
	if h.encoding != PlainEncoding && h.encoding != PlainDictionary {
		return unsupported("", "a dictionary with encoding %d", h.encoding)
	}
	b := make([]byte, h.plain)
	if err := x.codec.decompress(b, stored); err != nil {
		return err
	}
	return x.dict.readPage(b, h.values)
}

// openData makes the page ready for decoding.
func (x *ChunkReader) openData(h *pageHeader, stored []byte) error {
	levels := stored[:0]
	if h.typ == dataPageV2 {
		cut := h.repetition + h.definition
		levels, stored = stored[h.repetition:cut], stored[cut:]
		h.plain -= cut
	}
	body := stored
	if x.codec == Uncompressed || !h.compressed {
		if len(stored) != h.plain {
			return errPageSize
		}
	} else {
		x.body = buffer(x.body, h.plain)
		body = x.body
		if err := x.codec.decompress(body, stored); err != nil {
			return err
		}
	}
	var err error
	switch {
	case !x.optional:
	case h.typ == dataPageV2:
		x.defined = hybrid{b: levels, width: 1}
	case h.levels == RLE:
		x.defined, body, err = levelRuns(body)
	case h.levels == BitPacked:
		x.defined, body, err = legacyLevels(body, h.values)
	default:
		err = unsupported("", "definition levels with encoding %d", h.levels)
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
