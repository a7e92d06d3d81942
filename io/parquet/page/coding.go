package page

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Coding is how the letters of an output alphabet are written: the
// dictionary page, the same in every row group, and the index of each letter.
// Booleans have no dictionary and are their own index.
type Coding struct {
	Physical format.Type
	optional bool
	page     []byte // the dictionary's entries, PLAIN; with its header after seal
	entries  int
	width    uint             // of an index, in bits
	index    *[1 << 16]uint32 // by the lower half of a letter
	sealed   bool
}

// What stands in place of an index where there is none, so that a value above
// 16 bits says that a row needs a closer look.
const (
	isNull   = 1 << 16
	noLetter = 1 << 17
)

// minusOne is the lower half of letter -1. No other letter has it.
const minusOne = 1<<16 - 1

// NewCoding begins the coding of an alphabet of at most 65,535 letters, null
// included. A letter -1 is null if the column is optional.
func NewCoding(p format.Type, optional bool) *Coding {
	c := &Coding{Physical: p, optional: optional, index: new([1 << 16]uint32)}
	for i := range c.index {
		c.index[i] = noLetter
	}
	if optional {
		c.index[minusOne] = isNull
	}
	return c
}

// AddBytes makes v the next entry of the dictionary. Entries are added in
// ascending order.
func (c *Coding) AddBytes(letter int32, v string) {
	c.page = append(binary.LittleEndian.AppendUint32(c.page, uint32(len(v))), v...)
	c.add(letter)
}

// AddInt makes v the next entry of the dictionary of a column of numbers, or
// the boolean v != 0 a letter.
func (c *Coding) AddInt(letter int32, v int64) {
	switch c.Physical {
	case format.Boolean:
		c.index[letter] = uint32(v & 1)
		return
	case format.Int32:
		c.page = binary.LittleEndian.AppendUint32(c.page, uint32(v))
	default:
		c.page = binary.LittleEndian.AppendUint64(c.page, uint64(v))
	}
	c.add(letter)
}

// AddNull makes letter stand for null, in an optional column.
func (c *Coding) AddNull(letter int32) {
	if !c.optional {
		panic("page: null letter of a required column")
	}
	c.index[letter] = isNull
}

func (c *Coding) add(letter int32) {
	c.index[letter] = uint32(c.entries)
	c.entries++
}

// seal puts the header before the dictionary. After it nothing is added. It
// is called by Reserve, before goroutines share the coding.
func (c *Coding) seal() {
	if c.sealed {
		return
	}
	c.sealed = true
	if c.width = 1; c.Physical == format.Boolean {
		return
	}
	c.width = indexWidth(c.entries)
	h := storedHeader{Type: format.DictionaryPage}
	h.Dictionary.Values, h.Dictionary.Encoding, h.Dictionary.Sorted = thrift.New(int32(c.entries)), format.Plain, true
	c.page = append(h.before(c.page), c.page...)
}

// Reserve is the most bytes that a chunk of that many rows takes. It depends
// on nothing else but the alphabet, so offsets behind the chunk are known
// before the first letter is drawn; what a chunk does not use of it, because
// of nulls or short headers, stays a hole of zeros.
func (c *Coding) Reserve(rows int64) int64 {
	c.seal()
	full, rest := rows/pageRows, rows%pageRows
	size := int64(len(c.page)) + full*int64(c.pageSize(pageRows))
	if rest > 0 {
		size += int64(c.pageSize(int(rest)))
	}
	return size
}

// pageSize is the most bytes that a page of that many rows takes.
func (c *Coding) pageSize(rows int) int {
	size := maxPageHeader + maxRunHeader + 1 + packedSize(rows, c.width)
	if c.optional {
		size += 4 + maxRunHeader + packedSize(rows, 1)
	}
	return size
}
