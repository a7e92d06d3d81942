package page

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/parquet-go/bitpack"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// A delta decodes DELTA_BINARY_PACKED integers, one miniblock at a time.
// https://github.com/apache/parquet-format/blob/master/Encodings.md#DELTAENC
//
// Package encoding/delta of parquet-go 0.32 is not used: it gives wrong values
// and no error where a page is cut short, and allocates as many values as the page
// claims, up to 16 GB for a page of ten bytes.
type delta struct {
	b      []byte // behind what was opened last; slack lies behind it
	left   int    // values not yet decoded
	narrow bool   // sums wrap at 32 bits
	minis  int    // miniblocks of a block
	per    int    // values of a miniblock
	least  int64  // of the block's differences
	widths []byte // of the block's remaining miniblocks
	value  int64  // decoded last
	ready  []int64
	room   []int64 // of a miniblock
}

func newDelta(b []byte, width int) (*delta, error) {
	d := &delta{b: b, narrow: width == 32}
	var head [3]uint64
	for i := range head {
		v, n := binary.Uvarint(d.b)
		if n <= 0 {
			return nil, errPageEnd
		}
		head[i], d.b = v, d.b[n:]
	}
	first, n := binary.Varint(d.b)
	if n <= 0 {
		return nil, errPageEnd
	}
	d.b = d.b[n:]
	block, minis, total := head[0], head[1], head[2]
	if minis == 0 || block == 0 || block > 1<<20 || minis > block || block%minis != 0 || block/minis%8 != 0 ||
		total > math.MaxInt32 {
		return nil, meta.Damaged("a page of differences has an impossible block size")
	}
	d.minis, d.per, d.value = int(minis), int(block/minis), d.wrap(first)
	if total > 0 {
		d.left, d.ready = int(total)-1, []int64{d.value}
	}
	return d, nil
}

// next decodes the next len(dst) values.
func (d *delta) next(dst []int64) error {
	for {
		n := copy(dst, d.ready)
		if d.ready, dst = d.ready[n:], dst[n:]; len(dst) == 0 {
			return nil
		}
		if err := d.decode(); err != nil {
			return err
		}
	}
}

// decode makes the values of a miniblock ready.
func (d *delta) decode() error {
	packed, bits, err := d.open()
	if err != nil {
		return err
	}
	d.room = slices.Grow(d.room[:0], d.per)[:d.per]
	bitpack.Unpack(d.room, packed, bits)
	d.ready = d.room[:min(d.per, d.left)]
	for i, difference := range d.ready {
		d.value = d.wrap(d.value + d.least + difference)
		d.ready[i] = d.value
	}
	d.left -= len(d.ready)
	return nil
}

// open takes the next miniblock and, where it is the first, the header of its block.
func (d *delta) open() (packed []byte, bits uint, err error) {
	if d.left == 0 {
		return nil, 0, errPageEnd
	}
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.b)
		if n <= 0 || len(d.b)-n < d.minis {
			return nil, 0, errPageEnd
		}
		d.least, d.widths, d.b = least, d.b[n:n+d.minis], d.b[n+d.minis:]
	}
	bits, d.widths = uint(d.widths[0]), d.widths[1:]
	if bits > 64 {
		return nil, 0, meta.Damaged("differences of %d bits", bits)
	}
	size := d.per / 8 * int(bits)
	if size > len(d.b) {
		return nil, 0, errPageEnd
	}
	packed, d.b = d.b[:size:size+slack], d.b[size:]
	return packed[:size+slack], bits, nil
}

// tail is what lies behind all values.
func (d delta) tail() ([]byte, error) {
	for d.left > 0 {
		if _, _, err := d.open(); err != nil {
			return nil, err
		}
		d.left -= min(d.per, d.left)
	}
	return d.b, nil
}

func (d *delta) wrap(v int64) int64 {
	if d.narrow {
		return int64(int32(v))
	}
	return v
}

type deltaInts struct {
	delta *delta
	d     *dictionary
}

func newDeltaInts(b []byte, d *dictionary) (decoder, error) {
	width := 64
	if d.physical == format.Int32 {
		width = 32
	}
	if len(b) == 0 { // a page of nulls alone
		return &deltaInts{&delta{}, d}, nil
	}
	x, err := newDelta(b, width)
	return &deltaInts{x, d}, err
}

func (x *deltaInts) next(code []int32) error { return x.delta.next(x.d.newInts(code)) }

// deltaLengthBytes are byte strings behind the list of their lengths.
type deltaLengthBytes struct {
	lengths *delta
	b       []byte
}

// newDeltaLengthBytes opens the list of lengths, and finds the strings behind it. A page
// of nulls alone has none of either.
func newDeltaLengthBytes(b []byte) (x deltaLengthBytes, err error) {
	if len(b) == 0 {
		return deltaLengthBytes{lengths: &delta{}}, nil
	}
	if x.lengths, err = newDelta(b, 32); err == nil {
		x.b, err = x.lengths.tail()
	}
	return x, err
}

func (x *deltaLengthBytes) one() ([]byte, error) {
	var n [1]int64
	if err := x.lengths.next(n[:]); err != nil {
		return nil, err
	}
	if n[0] < 0 || n[0] > int64(len(x.b)) {
		return nil, errPageEnd
	}
	v := x.b[:n[0]]
	x.b = x.b[n[0]:]
	return v, nil
}

// deltaBytes are byte strings each of which shares a prefix with the one
// before it: the list of the prefixes' lengths, then the rest of each.
type deltaBytes struct {
	prefixes *delta
	rest     deltaLengthBytes
	value    []byte
}

func newDeltaBytes(b []byte) (*deltaBytes, error) {
	prefixes, err := newDeltaLengthBytes(b)
	if err != nil {
		return nil, err
	}
	rest, err := newDeltaLengthBytes(prefixes.b)
	return &deltaBytes{prefixes: prefixes.lengths, rest: rest}, err
}

func (x *deltaBytes) one() ([]byte, error) {
	var n [1]int64
	if err := x.prefixes.next(n[:]); err != nil {
		return nil, err
	}
	v, err := x.rest.one()
	if err != nil {
		return nil, err
	}
	if n[0] < 0 || n[0] > int64(len(x.value)) {
		return nil, meta.Damaged("a value shares more with the one before than that is long")
	}
	x.value = append(x.value[:n[0]], v...)
	if len(x.value) > maxValue {
		return nil, meta.Unsupported("such a column is not categorical: group its values first",
			"a value of more than %d MiB", maxValue>>20)
	}
	return x.value, nil
}
