package page

import (
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// Null is the code of a null.
const Null = -1

// block is how many values are decoded at once.
const block = 4096

// A Reader decodes a chunk page by page into codes: the places of values in the dictionary
// page, and for every value outside it a code of its own, whether it came up before or not,
// that is good until the next call of Next. It holds one page in memory.
type Reader struct {
	w       window
	leaf    *meta.Leaf
	chunk   *meta.Chunk
	group   int
	left    int64 // values not yet handed out
	page    int64 // of them in the page at hand
	defined hybrid
	decode  decoder
	dict    *dictionary
	body    []byte // the page decompressed
	level   []int32
}

// Open begins the chunk of a leaf in a row group, which is named in errors, as OpenChunk does.
func Open(r io.ReaderAt, l *meta.Leaf, c *meta.Chunk, group int) *Reader {
	x := &Reader{w: window{r: r, pos: c.Start, end: c.Start + c.Size, ahead: readAhead}, leaf: l, chunk: c, group: group,
		left: c.Values, dict: newDictionary(l)}
	if b, ok := buffers.Get().(*chunkBuffers); ok {
		x.w.base, x.body, x.level = b.base[:0], b.body, b.level
	} else {
		x.level = make([]int32, block)
	}
	return x
}

type chunkBuffers struct {
	base, body []byte
	level      []int32
}

// Close gives the buffers back. Values by code stay valid.
func (x *Reader) Close() {
	if x.level != nil {
		buffers.Put(&chunkBuffers{x.w.base, x.body, x.level})
		x.w.base, x.body, x.level, x.decode = nil, nil, nil, nil
		x.left, x.page = 0, 0
	}
}

// Entries counts the codes of the dictionary page, which come first.
func (x *Reader) Entries() int {
	if x.leaf.Physical == format.Boolean {
		return x.dict.size()
	}
	return x.dict.fixed
}

// Bytes is the value of a code of a ByteArray or FixedLen column. The caller must not
// change it.
func (x *Reader) Bytes(code int) []byte { return x.dict.bytes(int32(code)) }

// Int is the value of a code of any other column; 32 bits are sign-extended,
// floating-point numbers are their bits.
func (x *Reader) Int(code int) int64 { return x.dict.ints[code] }

// Ints are the values of the codes of such a column, good until the next call of
// Next.
func (x *Reader) Ints() []int64 { return x.dict.ints }

// Next decodes up to len(code) codes, Null among them, and returns how many:
// fewer only at the end of the chunk, and io.EOF with 0 behind it.
func (x *Reader) Next(code []int32) (int, error) {
	if len(code) > 0 && x.left == 0 {
		return 0, io.EOF
	}
	x.dict.forget()
	n := 0
	for n < len(code) && x.left > 0 {
		for x.page == 0 {
			if err := x.open(); err != nil {
				return n, x.fault(err)
			}
		}
		m := int(min(int64(len(code)-n), x.page, block))
		if err := x.some(code[n : n+m]); err != nil {
			return n, x.fault(err)
		}
		n += m
		x.page -= int64(m)
		x.left -= int64(m)
	}
	return n, nil
}

// fault says where err came up.
func (x *Reader) fault(err error) error { return meta.InChunk(err, x.leaf.Name(), x.group) }

// some decodes len(code) values of the page at hand.
func (x *Reader) some(code []int32) error {
	if x.leaf.Most.Definition == 0 {
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
func (x *Reader) open() error {
	head, stored, err := x.stored()
	if err != nil || head.typ == format.IndexPage {
		return err
	}
	if head.typ == format.DictionaryPage {
		return x.openDictionary(&head, stored)
	}
	if head.typ == format.DataPageV2 && head.values != head.rows {
		return meta.Damaged("a page header lacks its number of values or rows")
	}
	if head.values > x.left {
		return meta.Damaged("its pages have more values than the column chunk")
	}
	listed := x.chunk.Encodings // which no checksum covers
	if head.crc.Valid && listed != 0 && listed>>uint64(head.encoding)&1 == 0 {
		return meta.Damaged("a page has an encoding that the footer does not list")
	}
	return x.decoding(head, stored)
}

// stored is the next page as it stands in the file, and its header; its checksum
// is right, but for index pages, which nobody looks at.
func (x *Reader) stored() (header, []byte, error) {
	head, err := x.w.header(x.left)
	if err != nil {
		return header{}, nil, err
	}
	b, err := x.w.peek(head.size)
	if err != nil {
		return header{}, nil, err
	}
	b = b[:head.size]
	x.w.skip(head.size)
	if head.typ != format.IndexPage {
		err = head.verify(b)
	}
	return head, b, err
}

func (x *Reader) openDictionary(h *header, stored []byte) error {
	switch {
	case x.dict.read || x.left < x.chunk.Values:
		return meta.Damaged("a second dictionary page, or one behind values")
	case h.encoding != format.Plain && h.encoding != format.PlainDictionary:
		return meta.Unsupported("", "a dictionary with encoding %d", h.encoding)
	}
	b := make([]byte, h.plain)
	if err := decompress(x.chunk.Codec, b, stored); err != nil {
		return err
	}
	return x.dict.readPage(b, h.values)
}

// decoding makes a page ready for decoding.
func (x *Reader) decoding(h header, stored []byte) error {
	runs, body, err := x.unfold(h, stored)
	if err != nil || h.values == 0 {
		return err
	}
	if x.decode, err = x.dict.decoder(h.encoding, body); err != nil {
		return err
	}
	x.defined, x.page = runs[1], h.values
	return nil
}

// unfold decompresses a page: runs of its repetition and definition levels, and its values.
func (x *Reader) unfold(h header, stored []byte) (runs [2]hybrid, body []byte, err error) {
	if h.typ == format.DataPageV2 {
		cut := h.repetition + h.definition
		runs[0].b, runs[1].b = stored[:h.repetition], stored[h.repetition:cut]
		stored = stored[cut:]
		h.plain -= cut
	}
	body = stored
	if x.chunk.Codec == format.Uncompressed || !h.compressed {
		if len(stored) != h.plain {
			return runs, nil, errPageSize
		}
	} else {
		x.body = buffer(x.body, h.plain)
		body = x.body
		if err := decompress(x.chunk.Codec, body, stored); err != nil {
			return runs, nil, err
		}
	}
	most := x.leaf.Most
	for i, largest := range [2]int32{most.Repetition, most.Definition} {
		switch {
		case largest == 0 || h.typ == format.DataPageV2:
		case h.levels == format.RLE:
			runs[i], body, err = levelRuns(body)
		case h.levels == format.BitPacked && most == (meta.Levels{Definition: 1}):
			runs[i], body, err = legacyLevels(body, h.values)
		default:
			err = meta.Unsupported("", "levels with encoding %d", h.levels)
		}
		if err != nil {
			return runs, nil, err
		}
		runs[i].width = uint(bits.Len32(uint32(largest)))
	}
	return runs, body, nil
}

// OpenChunk begins the chunk of a leaf in a row group, both counted from 0. The leaf must be
// flat: at the top level and not repeated. Nothing is read before Next.
func OpenChunk(f *meta.Footer, r io.ReaderAt, group, leaf int) (*Reader, error) {
	if err := f.CheckValues(group, leaf); err != nil {
		return nil, err
	}
	return Open(r, &f.Leaves[leaf], &f.Groups[group].Chunks[leaf], group), nil
}

// CheckKept looks at a top-level column that will be copied as it stands, and
// refuses what its readers would stumble over: a footer that is damaged
// where the copy takes its word for it. A trial says how far values are decoded.
func CheckKept(f *meta.Footer, r io.ReaderAt, column int) error {
	c := &f.Columns[column]
	if err := c.CheckSchema(); err != nil {
		return err
	}
	trials := make([]*trial, c.Leaves)
	for i := range trials {
		trials[i] = newTrial(r, &f.Leaves[c.Leaf+i])
	}
	for group := range f.Groups {
		for i, t := range trials {
			leaf := c.Leaf + i
			if err := f.CheckMeta(group, leaf); err != nil {
				return err
			}
			if err := t.chunk(&f.Groups[group].Chunks[leaf], group); err != nil {
				return err
			}
		}
	}
	return nil
}
