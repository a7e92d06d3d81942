package page

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// leastPart is how many bytes of a page are decompressed at the least.
const leastPart = 64 << 10

// A beginning is a page of which only the first bytes were decompressed: enough for the
// values that are wanted, if all values are about as long.
type beginning struct {
	head   header
	stored []byte
}

// part is how many bytes of a page the values that are wanted will take, with a quarter to
// spare, and whether that is less than the page.
func (x *Reader) part(h *header) (n int, less bool) {
	left := x.want - (x.chunk.Values - x.left)
	if x.want == 0 || left >= h.values || !h.compressed || x.chunk.Codec == meta.Uncompressed {
		return h.plain, false
	}
	switch h.encoding { // those whose values stand one behind the other
	case meta.PlainEncoding, meta.PlainDictionary, meta.RLEDictionary:
	default:
		return h.plain, false
	}
	share := float64(max(left, 0)) / float64(h.values)
	n = leastPart + int(1.25*share*float64(h.plain))
	if x.chunk.Optional {
		n += int(h.values / 8) // levels
	}
	return n, n < h.plain
}

// whole turns from the beginning of a page to all of it, behind the values that were handed
// out; size is that of the dictionary before.
func (x *Reader) whole(size [2]int) error {
	page := x.page
	done := x.begun.head.values - page
	head, stored := x.begun.head, x.begun.stored
	x.begun = nil
	x.dict.cut(size)
	if err := x.decoding(head, stored, head.plain); err != nil {
		return err
	}
	x.page = page
	for skip := make([]int32, block); done > 0; {
		n := min(done, block)
		if err := x.some(skip[:n]); err != nil {
			return err
		}
		x.dict.cut(size)
		done -= n
	}
	return nil
}

// sizes are how much there is in a dictionary, and cut drops what came since.
func (d *dictionary) sizes() [2]int {
	if d.bytewise() {
		return [2]int{len(d.at), len(d.text)}
	}
	return [2]int{len(d.ints)}
}

func (d *dictionary) cut(to [2]int) {
	if d.bytewise() {
		d.at, d.text = d.at[:to[0]], d.text[:to[1]]
	} else {
		d.ints = d.ints[:to[0]]
	}
}

var zstdStreams sync.Pool

// begin fills dst with the first bytes of a page that has more.
func begin(c meta.Codec, dst, src []byte, plain int) error {
	var r io.Reader
	switch c {
	case meta.Snappy:
		n, size := binary.Uvarint(src)
		if size <= 0 || n != uint64(plain) || !snappyBegin(dst, src[size:]) {
			return errPageSize
		}
		return nil
	case meta.Zstd:
		d, ok := zstdStreams.Get().(*zstd.Decoder)
		if !ok {
			var err error
			if d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxMemory(maxPage)); err != nil {
				panic(err) // the options are constants
			}
		}
		defer zstdStreams.Put(d)
		if err := d.Reset(bytes.NewReader(src)); err != nil {
			return badPage(c, err)
		}
		r = d
	case meta.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return badPage(c, err)
		}
		r = z
	case meta.Brotli:
		r = brotli.NewReader(bytes.NewReader(src))
	default:
		return c.Check()
	}
	_, err := io.ReadFull(r, dst)
	return badPage(c, err)
}

// snappyBegin fills dst with the first bytes of a block behind its length. The library
// decodes whole blocks only.
// https://github.com/google/snappy/blob/main/format_description.txt
func snappyBegin(dst, src []byte) bool {
	for d := 0; d < len(dst); {
		if len(src) == 0 {
			return false
		}
		tag, n, size, back := src[0], 0, 1, 0
		if tag&3 == 0 { // a literal
			if n = int(tag >> 2); n >= 60 {
				var le [4]byte
				size += copy(le[:n-59], src[1:])
				n = int(binary.LittleEndian.Uint32(le[:]))
			}
			if n++; n > len(src)-size {
				return false
			}
			d += copy(dst[d:], src[size:size+n])
			src = src[size+n:]
			continue
		}
		size += int([4]byte{0, 1, 2, 4}[tag&3])
		if len(src) < size {
			return false
		}
		switch n = 1 + int(tag>>2); tag & 3 {
		case 1:
			n, back = 4+int(tag>>2&7), int(tag>>5)<<8|int(src[1])
		case 2:
			back = int(binary.LittleEndian.Uint16(src[1:]))
		case 3:
			back = int(binary.LittleEndian.Uint32(src[1:]))
		}
		if back == 0 || back > d {
			return false
		}
		src = src[size:]
		for n = min(n, len(dst)-d); n > 0; { // what is copied may be what comes of it
			m := copy(dst[d:d+n], dst[d-back:d])
			d, n = d+m, n-m
		}
	}
	return true
}
