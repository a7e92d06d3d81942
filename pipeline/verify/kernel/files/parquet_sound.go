package files

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A leaf is what pages of a column that is not nested are decoded by: whether it has nulls, and
// so levels of one bit, and its type.
type leaf struct {
	optional       bool
	physical, size int32
}

// sound looks at a page before parquet-go 0.32 does, which believes what compression, runs
// and differences say of their length: it panics where they hold more than the page says,
// or what no writer makes. It has the values of the page, those that levels say are none
// included. room is for the page without compression.
func (l *leaf) sound(codec compress.Compression, head *format.PageHeader, body []byte, room *[]byte) (n int) {
	dictionary, v1, v2 := &head.DictionaryPageHeader.V, &head.DataPageHeader.V, &head.DataPageHeaderV2.V
	plain, encoding := int(head.UncompressedPageSize), format.Plain
	if plain < 0 || plain > maxPage {
		panic("a page of too many bytes")
	}
	switch head.Type {
	case format.DictionaryPage:
		n, body = int(dictionary.NumValues), inflated(codec, body, plain, room)
		if e := dictionary.Encoding; e != format.Plain && e != format.PlainDictionary || n > 8*len(body) {
			panic("a dictionary in another encoding, or of too many values")
		}
	case format.DataPage:
		n, encoding, body = int(v1.NumValues), v1.Encoding, inflated(codec, body, plain, room)
		if l.optional {
			if v1.DefinitionLevelEncoding != format.RLE {
				panic("levels in another encoding")
			}
			body = prefixed(body, 1, n)
		}
	case format.DataPageV2:
		n, encoding = int(v2.NumValues), v2.Encoding
		size := v2.DefinitionLevelsByteLength
		body, plain = body[v2.RepetitionLevelsByteLength:], plain-int(v2.RepetitionLevelsByteLength)
		if l.optional {
			runs(body[:size], 1, n)
		}
		body, plain = body[size:], plain-int(size)
		if !v2.IsCompressed.Valid || v2.IsCompressed.V {
			body = inflated(codec, body, plain, room)
		}
	default:
		panic("a page of a kind that has no values")
	}
	if n < 0 || n > maxPage/4 {
		panic("a page of too many values")
	}
	l.values(encoding, body, n)
	return n
}

// values looks at the values of a page, of which n is the most.
func (l *leaf) values(encoding format.Encoding, b []byte, n int) {
	places := encoding == format.PlainDictionary || encoding == format.RLEDictionary
	if !places && l.physical == physicalFixed && n*int(l.size) > maxPage {
		panic("a page of too many bytes")
	}
	switch {
	case len(b) == 0 || encoding == format.Plain || encoding == format.ByteStreamSplit: // all are there
	case places:
		runs(b[1:], int(b[0]), n)
	case encoding == format.RLE && l.physical == physicalBoolean:
		prefixed(b, 1, n)
	case encoding == format.DeltaBinaryPacked || encoding == format.DeltaLengthByteArray:
		differences(b, n)
	case encoding == format.DeltaByteArray: // what each shares with the one before, and what is its own
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
}

// prefixed looks at runs behind their length, and has what is behind them.
func prefixed(b []byte, width, n int) []byte {
	size := 4 + int(binary.LittleEndian.Uint32(b))
	runs(b[4:size], width, n)
	return b[size:]
}

// runs looks at a hybrid of repeated values and groups of eight [Encodings.md, "RLE/Bit-Packing
// Hybrid"], n in all and a little more: what fills up the last group, or bytes that Scan tells of.
func runs(b []byte, width, n int) {
	for left := uint64(n + 1<<16); len(b) > 0; {
		head, behind := uvarint(b)
		count, size := head>>1, (width+7)/8
		if count > left {
			panic("a run beyond its page")
		}
		if head&1 == 1 {
			count, size = 8*count, int(count)*width
		} else if count == 0 {
			size = 0 // as parquet-go reads it
		}
		if count > left {
			panic("groups beyond their page")
		}
		left -= count
		b = behind[min(size, len(behind)):]
	}
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
func inflated(codec compress.Compression, body []byte, plain int, room *[]byte) []byte {
	if codec == compress.Codecs.Uncompressed || plain == 0 && len(body) == 0 {
		return body
	}
	*room = slices.Grow((*room)[:0], plain)[:plain]
	out, c := *room, read(compress.GetCodec(codec))
	if codec == compress.Codecs.Snappy || codec == compress.Codecs.Lz4Raw {
		n, _ := binary.Uvarint(body) // what Snappy makes
		if codec == compress.Codecs.Snappy && n != uint64(plain) || len(c.Decode(out, body)) != plain {
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
