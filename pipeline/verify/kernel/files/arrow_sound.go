package files

import (
	"encoding/binary"
	"io"
	"math"
)

const (
	// maxPlain bounds what a compressed buffer says it is without compression, in bytes;
	// maxLength an array, in cells; maxFields the fields and pairs of a schema, whose
	// objects may be referred to more than once.
	maxPlain  = 2 << 30
	maxLength = 1 << 33
	maxFields = 1 << 20
)

// A table is a flatbuffer table, read by the numbers of its fields. What lies outside the
// bytes panics: callers are behind guard. https://flatbuffers.dev/internals/
type table struct {
	b  []byte
	at int
}

// A block is where a message stands: its metadata, then its body.
type block struct{ at, meta, body int64 }

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

// word is field i of so many bytes as a number without a sign, 0 where it is absent.
func (t table) word(i, size int) uint64 {
	var b [8]byte
	if s := t.slot(i); s > 0 {
		copy(b[:size], t.b[s:s+size])
	}
	return binary.LittleEndian.Uint64(b[:])
}

// vector is where the elements of field i, each of so many bytes, start, and their number.
func (t table) vector(i, size int) (at, n int) {
	s := t.slot(i)
	if s == 0 {
		return 0, 0
	}
	at = s + int(binary.LittleEndian.Uint32(t.b[s:]))
	if n = int(binary.LittleEndian.Uint32(t.b[at:])); n > (len(t.b)-at-4)/size {
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

// each calls f with the elements of field i, of which at most left are left.
func (t table) each(i int, left *int, f func(table)) {
	at, n := t.vector(i, 4)
	if *left -= n; *left < 0 {
		panic("more objects than a file has")
	}
	for ; n > 0; n, at = n-1, at+4 {
		f(table{t.b, at + int(binary.LittleEndian.Uint32(t.b[at:]))})
	}
}

func (t table) pairs(i int, left *int) {
	t.each(i, left, func(pair table) { pair.vector(0, 1); pair.vector(1, 1) })
}

// Where a dictionary has its id, record batches have inBatch, and one that another field has, too, counted.
const inBatch, counted = math.MinInt64, math.MinInt64 + 1

// need is what a record batch, or a dictionary, has at least: arrow-go reads so much, whatever is there.
type need struct{ arrays, buffers, views int }

// array adds one of a type, by its number in Schema.fbs.
func (n need) array(kind uint64) need {
	n.arrays++
	switch kind {
	case 1, 22: // null, runs
	case 13, 14, 16: // structs, unions, lists of one size
		n.buffers++
	case 4, 5, 19, 20, 25, 26: // with offsets, or with offsets and sizes
		n.buffers += 3
	case 23, 24:
		n.buffers, n.views = n.buffers+2, n.views+1
	default:
		n.buffers += 2
	}
	return n
}

// soundFields panics where fields are not inside the bytes, and counts what record batches and dictionaries need.
func (t table) soundFields(i, depth int, left *int, of int64, needs map[int64]need) {
	if depth > maxDepth {
		panic("fields nested too deep")
	}
	t.each(i, left, func(f table) {
		f.vector(0, 1)
		if union := 14; f.word(2, 1) == uint64(union) {
			f.sub(3).vector(1, 4)
		}
		f.pairs(6, left)
		own := of
		if f.slot(4) > 0 {
			needs[of] = needs[of].array(2) // of indices
			if own = int64(f.sub(4).word(0, 8)); needs[own].arrays > 0 {
				own = counted
			}
		}
		needs[own] = needs[own].array(f.word(2, 1))
		f.soundFields(5, depth+1, left, own, needs)
	})
}

func (t table) blocks(i int) []block {
	at, n := t.vector(i, 24)
	list := make([]block, n)
	for k := range list {
		b := t.b[at+24*k:]
		list[k] = block{int64(binary.LittleEndian.Uint64(b)), int64(int32(binary.LittleEndian.Uint32(b[8:]))),
			int64(binary.LittleEndian.Uint64(b[16:]))}
	}
	return list
}

// sound looks at all lengths of a file before arrow-go does, which believes them: rows are
// those of each record batch, and codec is how the last is compressed, -1 where it is not.
func sound(in io.ReaderAt, footer table, end int64) (rows []int64, codec int, err error) {
	left := maxFields
	footer.sub(1).pairs(2, &left)
	needs := map[int64]need{}
	footer.sub(1).soundFields(1, 0, &left, inBatch, needs)
	if footer.sub(1).word(0, 2) != 0 {
		return nil, 0, errorf("is big-endian, which is not supported")
	}
	dicts := footer.blocks(2)
	codec = -1
	for i, b := range append(dicts, footer.blocks(3)...) {
		if b.at < 8 || b.meta < 8 || b.body < 0 || b.at > end-b.meta || b.body > end-b.at-b.meta {
			return nil, 0, errorf("has a message that lies outside the file")
		}
		raw := make([]byte, b.meta)
		if n, _ := in.ReadAt(raw, b.at); int64(n) < b.meta {
			return nil, 0, errorf("has a message that cannot be read")
		}
		if binary.LittleEndian.Uint32(raw) == math.MaxUint32 {
			raw = raw[4:]
		}
		left := maxFields
		root(raw[4:]).pairs(4, &left)
		batch, of := root(raw[4:]).sub(2), int64(inBatch)
		if i < len(dicts) {
			batch, of = batch.sub(1), int64(batch.word(0, 8))
		} else {
			rows = append(rows, int64(batch.word(0, 8)))
		}
		if codec = -1; batch.slot(3) > 0 {
			codec = int(batch.sub(3).word(0, 1))
		}
		if !soundBatch(in, batch, b, needs[of]) {
			return nil, 0, errorf("has messages that cannot be decoded")
		}
	}
	return rows, codec, nil
}

// soundBatch checks that the buffers of a batch lie in its body, that neither they nor the
// arrays are larger than any that is written, and that there are as many as are needed, also
// of those that views say they have.
func soundBatch(in io.ReaderAt, batch table, b block, least need) bool {
	at, n := batch.vector(1, 16)
	if n < least.arrays {
		return false
	}
	for ; n > 0; n, at = n-1, at+16 {
		rows, nulls := int64(binary.LittleEndian.Uint64(batch.b[at:])), int64(binary.LittleEndian.Uint64(batch.b[at+8:]))
		if rows < 0 || rows > maxLength || nulls < 0 || nulls > rows {
			return false
		}
	}
	_, buffers := batch.vector(2, 16)
	at, n = batch.vector(4, 8)
	if n < least.views {
		return false
	}
	for ; n > 0; n, at = n-1, at+8 {
		more := binary.LittleEndian.Uint64(batch.b[at:])
		if more > uint64(buffers) {
			return false
		}
		least.buffers += int(more)
	}
	if buffers < least.buffers {
		return false
	}
	head := make([]byte, 8)
	free := b.body
	at, n = batch.vector(2, 16)
	for ; n > 0; n, at = n-1, at+16 {
		from, size := int64(binary.LittleEndian.Uint64(batch.b[at:])), int64(binary.LittleEndian.Uint64(batch.b[at+8:]))
		if free -= size; from < 0 || size < 0 || from > b.body || size > b.body-from || free < 0 {
			return false
		}
		if batch.slot(3) == 0 || size == 0 {
			continue
		}
		if k, _ := in.ReadAt(head, b.at+b.meta+from); k < len(head) || size < 8 {
			return false
		}
		if plain := int64(binary.LittleEndian.Uint64(head)); plain < -1 || plain > maxPlain || plain > maxRatio*size {
			return false
		}
	}
	return true
}

// maxRatio is how many times smaller a buffer is with compression at most: zstd writes 2^17
// bytes in 4.
const maxRatio = 1 << 15
