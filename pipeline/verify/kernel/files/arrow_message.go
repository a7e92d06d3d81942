package files

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// How the buffers of a message are compressed.
const (
	stored = iota - 1
	lz4Frame
	zstandard
)

// A table is a flatbuffer table, read by the numbers of its fields. What lies
// outside the bytes panics: callers are behind guard.
// https://flatbuffers.dev/internals/
type table struct {
	b  []byte
	at int
}

// A block is where a message stands: its metadata, then its body.
type block struct{ at, meta, body int64 }

// An arrowBatch says where the arrays of a message are.
type arrowBatch struct {
	rows   int64
	codec  int
	column []arrowColumn
}

// An arrowColumn is one array of a message with all below it: lengths and
// numbers of nulls, where the buffers are, and how many each view has.
type arrowColumn struct {
	nodes   []int64 // in pairs
	buffers []extent
	views   []int64
}

// An extent is a run of bytes of the file.
type extent struct{ at, size int64 }

func root(b []byte) table { return table{b, int(binary.LittleEndian.Uint32(b))} }

// slot is where field i stands, 0 where it is absent.
func (t table) slot(i int) int {
	v := t.at - int(int32(binary.LittleEndian.Uint32(t.b[t.at:])))
	if 4+2*i >= int(binary.LittleEndian.Uint16(t.b[v:])) {
		return 0
	}
	if step := int(binary.LittleEndian.Uint16(t.b[v+4+2*i:])); step > 0 {
		return t.at + step
	}
	return 0
}

// word is field i of so many bytes as a number without a sign; where it is
// absent, absent.
func (t table) word(i, size int, absent uint64) uint64 {
	s := t.slot(i)
	if s == 0 {
		return absent
	}
	var b [8]byte
	copy(b[:size], t.b[s:s+size])
	return binary.LittleEndian.Uint64(b[:])
}

// text is field i, a string; empty where it is absent.
func (t table) text(i int) string {
	from, n := t.vector(i)
	return string(t.b[from : from+n])
}

// words are the elements of field i, structs of so many 64-bit numbers.
func (t table) words(i, each int) []int64 {
	at, n := t.vector(i)
	if n > (len(t.b)-at)/(8*each) {
		panic("a vector beyond the end")
	}
	list := make([]int64, n*each)
	for k := range list {
		list[k] = int64(binary.LittleEndian.Uint64(t.b[at+8*k:]))
	}
	return list
}

// vector is where the elements of field i start, and their number.
func (t table) vector(i int) (at, n int) {
	s := t.slot(i)
	if s == 0 {
		return 0, 0
	}
	at = s + int(binary.LittleEndian.Uint32(t.b[s:]))
	if n = int(binary.LittleEndian.Uint32(t.b[at:])); n > len(t.b)-at {
		panic("a vector beyond the end")
	}
	return at + 4, n
}

// sub is the table that field i, which must be there, refers to.
func (t table) sub(i int) table {
	s := t.slot(i)
	if s == 0 {
		panic("a table that is not there")
	}
	return table{t.b, s + int(binary.LittleEndian.Uint32(t.b[s:]))}
}

// tables are the elements of field i.
func (t table) tables(i int) []table {
	at, n := t.vector(i)
	list := make([]table, n)
	for k := range list {
		e := at + 4*k
		list[k] = table{t.b, e + int(binary.LittleEndian.Uint32(t.b[e:]))}
	}
	return list
}

func (t table) blocks(i int) []block {
	word := t.words(i, 3)
	list := make([]block, len(word)/3)
	for k := range list {
		list[k] = block{word[3*k], int64(int32(word[3*k+1])), word[3*k+2]}
	}
	return list
}

// message is the metadata of a message.
func (a *arrowFile) message(b block) (table, error) {
	raw := make([]byte, b.meta)
	if n, _ := a.in.ReadAt(raw, b.at); int64(n) < b.meta {
		return table{}, errorf("has a message that cannot be read")
	}
	if binary.LittleEndian.Uint32(raw) == math.MaxUint32 {
		raw = raw[4:]
	}
	return root(raw[4:]), nil
}

// batch reads the head of record batch i.
func (a *arrowFile) batch(i int) (b *arrowBatch, err error) {
	defer guard(&err, "record batch %d cannot be decoded", i+1)
	m, err := a.message(a.batches[i])
	if err != nil {
		return nil, err
	}
	version := m.word(0, 2, 0)
	want := make([]tally, len(a.fields))
	for k := range want {
		want[k] = a.fields[k].tally(version)
	}
	return a.split(m.sub(2), a.batches[i], want), nil
}

// dictionary reads the head of dictionary message i: one column, the values,
// whatever their type is.
func (a *arrowFile) dictionary(i int) (id int64, delta bool, b *arrowBatch, err error) {
	defer guard(&err, "dictionary message %d cannot be decoded", i+1)
	m, err := a.message(a.dicts[i])
	if err != nil {
		return 0, false, nil, err
	}
	d := m.sub(2)
	data := d.sub(1)
	all := tally{len(data.words(1, 2)) / 2, len(data.words(2, 2)) / 2, 0}
	b = a.split(data, a.dicts[i], []tally{all})
	b.column[0].views = data.words(4, 1)
	return int64(d.word(0, 8, 0)), d.word(2, 1, 0) != 0, b, nil
}

// split divides nodes and buffers of a record batch between columns that take
// what want says. It panics where they do not fit.
func (a *arrowFile) split(t table, in block, want []tally) *arrowBatch {
	b := &arrowBatch{rows: int64(t.word(0, 8, 0)), codec: stored, column: make([]arrowColumn, len(want))}
	if t.slot(3) > 0 {
		b.codec = int(int8(t.sub(3).word(0, 1, 0)))
	}
	nodes, places, views := t.words(1, 2), t.words(2, 2), t.words(4, 1)
	for i, w := range want {
		c := &b.column[i]
		c.nodes, nodes = nodes[:2*w.nodes], nodes[2*w.nodes:]
		c.views, views = views[:w.views], views[w.views:]
		buffers := int64(w.buffers)
		for _, n := range c.views {
			if n < 0 || n > int64(len(places)) {
				panic("more buffers than there are")
			}
			buffers += n
		}
		for ; buffers > 0; buffers-- {
			c.buffers = append(c.buffers, extent{in.at + in.meta + places[0], places[1]})
			places = places[2:]
		}
	}
	if len(nodes)+len(places) > 0 {
		panic("more arrays than columns")
	}
	return b
}

// array is the one array that a column holds, of a type without children.
func (a *arrowFile) array(c arrowColumn, codec int, as arrow.DataType) (arrow.Array, error) {
	buffers := make([]*memory.Buffer, len(c.buffers))
	for i, e := range c.buffers {
		if i == 0 && c.nodes[1] == 0 {
			continue // without nulls there need be no validity
		}
		raw := make([]byte, e.size)
		if n, _ := a.in.ReadAt(raw, e.at); int64(n) < e.size {
			return nil, errorf("has a buffer that cannot be read")
		}
		plain, err := decompress(codec, raw)
		if err != nil {
			return nil, err
		}
		buffers[i] = memory.NewBufferBytes(plain)
	}
	return array.MakeFromData(array.NewData(as, int(c.nodes[0]), buffers, nil, int(c.nodes[1]), 0)), nil
}

// decompress undoes the compression of a buffer, before which its length
// stands, or -1 where it is stored as it is.
func decompress(codec int, raw []byte) ([]byte, error) {
	if codec == stored || len(raw) == 0 {
		return raw, nil
	}
	size := int64(binary.LittleEndian.Uint64(raw))
	raw = raw[8:]
	if size == -1 {
		return raw, nil
	}
	var from io.Reader
	switch codec {
	case lz4Frame:
		from = lz4.NewReader(bytes.NewReader(raw))
	case zstandard:
		z, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, errorf("has a buffer that cannot be decompressed")
		}
		defer z.Close()
		from = z
	default:
		return nil, errorf("has buffers of an unknown compression")
	}
	plain, err := io.ReadAll(io.LimitReader(from, size+1))
	if err != nil || int64(len(plain)) != size {
		return nil, errorf("has a buffer that cannot be decompressed")
	}
	return plain, nil
}
