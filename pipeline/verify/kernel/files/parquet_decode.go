package files

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/parquet-go/bitpack"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// pages are those of a private chunk, which has one level at most. Values are decoded by parquet-go,
// which believes what differences say of their number; runs of levels and places are decoded here,
// since it makes all values of a run, whatever a page has room for. What is damaged panics:
// callers are behind guard.
type pages struct {
	rest     []byte // pages to come
	lengths  Lengths
	codec    compress.Compression
	optional bool
	typ      parquet.Type
	entries  parquet.Dictionary // nil before it is met
	room     []byte             // for a page without compression
}

// A page is a PageHeader with what stands behind it.
type page struct {
	head   part[pageHeader]
	body   []byte
	rows   int
	level  []int32         // 0 for a null; nil where none may be
	there  int             // values that are no null
	placed bool            // these are places in the dictionary
	place  []int32         // or 1 for true; nil where they stand in the page
	values encoding.Values // else
}

// pagesOf opens the private chunk of a row group.
func (p *parquetFile) pagesOf(unit int) *pages {
	c, e := &p.footer.Groups[unit].Chunks[p.leaf].Meta.V, p.private()
	s := &pages{rest: make([]byte, c.Size), lengths: p.lengths, codec: compress.Compression(c.Codec),
		optional: e.Repetition.V == format.Optional, typ: map[format.Type]parquet.Type{
			format.Boolean: parquet.BooleanType, format.Int32: parquet.Int32Type, format.Int64: parquet.Int64Type,
			format.Float: parquet.FloatType, format.Double: parquet.DoubleType,
			format.ByteArray: parquet.ByteArrayType}[e.Type.V]}
	if e.Type.V == format.FixedLenByteArray {
		s.typ = parquet.FixedLenByteArrayType(int(e.Length.V))
	}
	if n, _ := p.in.ReadAt(s.rest, c.at()); n < len(s.rest) || c.Type != e.Type.V || c.Values != p.rows[unit] {
		panic("a chunk that cannot be read, or is not of its column")
	}
	return s
}

// next decodes the page that comes next.
func (s *pages) next() (p page) {
	head, used := parsed[part[pageHeader]](s.lengths, s.rest, false)
	h := &head.V
	if h.Size < 0 || int(h.Size) > len(s.rest)-used || h.Plain < 0 || h.Plain > maxPage {
		panic("a page beyond its chunk, or of too many bytes")
	}
	p = page{head: head, body: s.rest[used:][:h.Size]}
	s.rest = s.rest[used+len(p.body):]
	body, plain, values, e := p.body, int(h.Plain), h.V1.V.Values, h.V1.V.Encoding
	switch h.Type {
	case format.DictionaryPage:
		of := h.Dictionary.V
		if of.Encoding != format.Plain && of.Encoding != format.PlainDictionary {
			panic("a dictionary in another encoding")
		}
		if body = s.inflated(body, plain); of.NumValues < 0 || int(of.NumValues) > 8*len(body) {
			panic("a dictionary of too many values")
		}
		s.entries = s.typ.NewDictionary(0, int(of.NumValues), s.decode(format.Plain, body))
		return p
	case format.DataPage:
		body = s.inflated(body, plain)
	case format.DataPageV2:
		values, e = h.V2.V.Values, h.V2.V.Encoding
	default:
		panic("a page of a kind that has no values")
	}
	if p.rows, p.there = int(values), int(values); values < 0 || values > maxPage/4 {
		panic("a page of too many values")
	}
	var levels []byte
	switch v := h.V2.V; {
	case h.Type == format.DataPageV2:
		levels = body[:v.Levels]
		if body = body[len(levels):]; !v.Compressed.Valid || v.Compressed.V {
			body = s.inflated(body, plain-len(levels))
		}
	case s.optional && h.V1.V.Levels != format.RLE:
		panic("levels in another encoding")
	case s.optional:
		levels = behindLength(body)
		body = body[4+len(levels):]
	}
	if s.optional {
		p.level, p.there = runs(levels, 1, p.rows), 0
		for _, level := range p.level {
			p.there += int(level)
		}
	}
	p.placed = e == format.PlainDictionary || e == format.RLEDictionary
	switch {
	case p.there == 0:
	case p.placed:
		p.place = runs(body[1:], int(body[0]), p.there)
	case e == format.RLE && s.typ == parquet.BooleanType:
		p.place = runs(behindLength(body), 1, p.there)
	default:
		p.values = s.decode(e, sound(e, body, p.there))
	}
	return p
}

func (s *pages) decode(e format.Encoding, b []byte) encoding.Values {
	return read(s.typ.Decode(s.typ.NewValues(nil, nil), b, parquet.LookupEncoding(e)))
}

// sound looks at the values of a page, of which n is the most, before parquet-go decodes them.
func sound(e format.Encoding, b []byte, n int) []byte {
	switch e {
	case format.Plain, format.ByteStreamSplit: // all are there
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		differences(b, n)
	case format.DeltaByteArray: // what each shares with the one before, and what is its own
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
	return b
}

// behindLength are bytes that stand behind their number.
func behindLength(b []byte) []byte { return b[4:][:binary.LittleEndian.Uint32(b)] }

// runs decodes n values of some bits: a hybrid of repeated values and groups of eight [Encodings.md,
// "RLE/Bit-Packing Hybrid"]. What is behind them is left to Scan.
func runs(b []byte, width, n int) []int32 {
	if width > 32 {
		panic("values of too many bits")
	}
	out := make([]int32, n)
	b = append(slices.Clip(b), make([]byte, bitpack.PaddingInt32)...)
	for left := out; len(left) > 0; {
		head, behind := uvarint(b)
		count, size, bits := head>>1, (width+7)/8, width
		if count > uint64(len(left)+1<<16) {
			panic("a run beyond its page")
		}
		grouped := head&1 == 1
		if grouped {
			count, size = 8*count, int(count)*width
			bits = width * int(min(count, uint64(len(left))))
		}
		run := left[:min(count, uint64(len(left)))]
		if size = min(size, len(behind)-bitpack.PaddingInt32); 8*size < bits {
			panic("a run that is cut short")
		}
		if grouped && width > 0 {
			bitpack.Unpack(run, behind, uint(width))
		} else {
			for i := range run {
				run[i] = int32(uint64(binary.LittleEndian.Uint32(behind)) & (1<<width - 1))
			}
		}
		left, b = left[len(run):], behind[size:]
	}
	return out
}

// differences looks at a list of n numbers at most, and has what is behind it [Encodings.md,
// "Delta Encoding"].
func differences(b []byte, n int) []byte {
	var head [4]uint64 // numbers and parts of a block; all numbers; the first
	for i := range head {
		head[i], b = uvarint(b)
	}
	block, parts, left := head[0], head[1], head[2]
	if left > uint64(n) || parts == 0 || block%parts != 0 || block > 1<<16 {
		panic("differences beyond their page")
	}
	for left = max(left, 1) - 1; left > 0; {
		_, b = uvarint(b)
		widths := b[:parts]
		b = b[parts:]
		for i := 0; left > 0 && i < len(widths); i++ {
			b = b[block/parts*uint64(widths[i])/8:]
			left -= min(left, block/parts)
		}
	}
	return b
}

func uvarint(b []byte) (v uint64, behind []byte) {
	v, used := binary.Uvarint(b)
	if used <= 0 {
		panic("no number")
	}
	return v, b[used:]
}

// inflated is a body without compression, of so many bytes: no more of it are made.
func (s *pages) inflated(body []byte, plain int) []byte {
	if s.codec == compress.Codecs.Uncompressed || plain == 0 && len(body) == 0 {
		return body
	}
	s.room = slices.Grow(s.room[:0], plain)[:plain]
	out, c := s.room, read(compress.GetCodec(s.codec))
	if s.codec == compress.Codecs.Snappy || s.codec == compress.Codecs.Lz4Raw {
		n, _ := binary.Uvarint(body) // what Snappy makes
		if s.codec == compress.Codecs.Snappy && n != uint64(plain) || len(c.Decode(out, body)) != plain {
			panic("a page of another size")
		}
		return out
	}
	r := c.(compress.StreamingCodec).NewReader(bytes.NewReader(body))
	defer r.Close()
	read(io.ReadFull(r, out))
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || err != io.EOF {
		panic("a page of another size")
	}
	return out
}

// written is the body of the data page that a run writes of these values: levels and places as one
// bit-packed run each, levels that are all the same as one repeated run, booleans as bits
// [Encodings.md, "RLE/Bit-Packing Hybrid" and "Plain"].
func (p *page) written(d parquet.Dictionary) (b []byte) {
	if len(p.level) > 0 {
		if p.there == 0 || p.there == p.rows {
			b = append(binary.AppendUvarint(b, uint64(p.rows)<<1), byte(p.level[0]))
		} else {
			b = packed(b, p.level, 1)
		}
		b = append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
	}
	if !p.placed {
		for i := 0; i < p.there; i += 8 {
			b = append(b, p.values.Boolean()[i/8]&byte(1<<min(8, p.there-i)-1))
		}
		return b
	}
	width := max(1, bits.Len(uint(max(1, d.Len())-1)))
	if b = append(b, byte(width)); p.there > 0 {
		b = packed(b, p.place, width)
	}
	return b
}

// packed appends a run of values of some bits, the last group of eight filled up with zeros.
func packed(b []byte, value []int32, width int) []byte {
	groups := (len(value) + 7) / 8
	b = binary.AppendUvarint(b, uint64(groups)<<1|1)
	at := len(b)
	b = append(b, make([]byte, groups*width)...)
	bitpack.Pack(b[at:], value, uint(width))
	return b
}
