package column

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

const (
	// pageRows is the page plan: every page but the last of a chunk has as
	// many rows, at most 136 KiB.
	pageRows = 1 << 16
	// maxPageHeader bounds the headers that are written, in bytes: nine numbers
	// of at most five bytes and a handful for the fields.
	maxPageHeader = 64
	// maxRunHeader bounds the header of a run, a number below 1<<17, with the
	// value of a repeated run.
	maxRunHeader = 4
)

// flush writes the page at hand: a data page in version 1, the form that
// every reader knows.
func (w *Writer) flush() error {
	b := w.body[:maxPageHeader]
	if w.code.optional {
		b = w.appendLevels(b)
	}
	encoding := format.PlainEncoding
	if w.code.Physical != format.Boolean {
		encoding = format.RLEDictionary
		b = append(b, byte(w.code.width))
	}
	if w.defined > 0 {
		if encoding == format.RLEDictionary {
			b = appendPackedRun(b, w.defined)
		}
		b = append(b, w.bits[:packedSize(w.packed, w.code.width)]...)
		// Unused places of the last group are zeros, not what stood there.
		end := (w.defined + 7) / 8 * 8
		clear(w.ids[2*w.defined : min(2*end, len(w.ids))])
		size := packedSize(w.defined-w.packed, w.code.width)
		pack(b[len(b):len(b)+size+packSlack], w.ids[2*w.packed:2*end], w.code.width)
		b = b[:len(b)+size]
	}
	body := b[maxPageHeader:]
	head := thrift.NewStruct(
		thrift.Field{ID: 1, Value: thrift.Int(thrift.I32, int64(format.DataPage))},
		thrift.Field{ID: 2, Value: thrift.Int(thrift.I32, int64(len(body)))},
		thrift.Field{ID: 3, Value: thrift.Int(thrift.I32, int64(len(body)))},
		thrift.Field{ID: 4, Value: thrift.Int(thrift.I32, int64(int32(crc32.ChecksumIEEE(body))))},
		thrift.Field{ID: 5, Value: thrift.StructValue(thrift.NewStruct(
			thrift.Field{ID: 1, Value: thrift.Int(thrift.I32, int64(w.rows))},
			thrift.Field{ID: 2, Value: thrift.Int(thrift.I32, int64(encoding))},
			thrift.Field{ID: 3, Value: thrift.Int(thrift.I32, int64(format.RLE))},
			thrift.Field{ID: 4, Value: thrift.Int(thrift.I32, int64(format.RLE))},
		))},
	).Append(nil)
	start := maxPageHeader - len(head)
	copy(b[start:], head)
	w.Rows += int64(w.rows)
	w.Nulls += int64(w.rows - w.defined)
	w.Pages++
	w.rows, w.defined, w.packed = 0, 0, 0
	return w.put(b[start:])
}

// appendLevels writes the definition levels: one repeated run where all are
// the same, bits otherwise.
func (w *Writer) appendLevels(b []byte) []byte {
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	switch w.defined {
	case w.rows:
		b = append(binary.AppendUvarint(b, uint64(w.rows)<<1), 1)
	case 0:
		b = append(binary.AppendUvarint(b, uint64(w.rows)<<1), 0)
	default:
		b = appendPackedRun(b, w.rows)
		b = append(b, w.level[:(w.rows+7)/8]...)
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

// appendPackedRun writes the header of n bit-packed values.
func appendPackedRun(b []byte, n int) []byte {
	return binary.AppendUvarint(b, uint64(n+7)/8<<1|1)
}
