package page

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// A delta decodes DELTA_BINARY_PACKED integers, some at a time.
// https://github.com/apache/parquet-format/blob/master/Encodings.md#DELTAENC
//
// Package encoding/delta of parquet-go 0.32 is not used: it gives wrong values
// and no error where a page is cut short, and allocates as many values as the page
// claims, up to 16 GB for a page of ten bytes.
type delta struct {
	b      []byte // behind what was opened last; slack lies behind it
	left   int    // values not yet decoded
	width  int    // 32 or 64: where sums wrap
	per    int    // values of a miniblock
	value  int64  // the next one
	least  int64  // of the block's differences
	widths []byte // of the block's remaining miniblocks
	bits   uint   // width of the miniblock's differences
	packed []byte // the miniblock
	bit    int    // position in it
	mini   int    // differences left in it
	minis  int
}

func newDelta(b []byte, width int) (*delta, error) {
	d := &delta{b: b, width: width}
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
	d.left, d.minis, d.per, d.value = int(total), int(minis), int(block/minis), d.wrap(first)
	return d, nil
}

// next decodes the next len(dst) values.
func (d *delta) next(dst []int64) error {
	if len(dst) > d.left {
		return errPageEnd
	}
	for i := range dst {
		dst[i] = d.value
		d.left--
		if d.left == 0 {
			continue
		}
		if d.mini == 0 {
			if err := d.open(); err != nil {
				return err
			}
		}
		d.value = d.wrap(d.value + d.least + int64(d.difference()))
		d.mini--
	}
	return nil
}

// end skips all values and returns what lies behind them.
func (d *delta) end() ([]byte, error) {
	var skipped [256]int64
	for d.left > 0 {
		if err := d.next(skipped[:min(d.left, len(skipped))]); err != nil {
			return nil, err
		}
	}
	return d.b, nil
}

// open reads the header of the next miniblock and, where it is the first, of
// its block.
func (d *delta) open() error {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.b)
		if n <= 0 || len(d.b)-n < d.minis {
			return errPageEnd
		}
		d.least, d.widths, d.b = least, d.b[n:n+d.minis], d.b[n+d.minis:]
	}
	d.bits, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.bits > 64 {
		return meta.Damaged("differences of %d bits", d.bits)
	}
	size := d.per / 8 * int(d.bits)
	if size > len(d.b) {
		return errPageEnd
	}
	d.packed, d.b = d.b[:size:size+slack/2], d.b[size:]
	d.bit, d.mini = 0, d.per
	return nil
}

func (d *delta) difference() uint64 {
	if d.bits == 0 {
		return 0
	}
	b := d.packed[d.bit/8 : d.bit/8+9] // at most 8 bytes into the slack
	shift := uint(d.bit % 8)
	v := binary.LittleEndian.Uint64(b) >> shift
	if shift > 0 {
		v |= uint64(b[8]) << (64 - shift)
	}
	d.bit += int(d.bits)
	return v & (1<<d.bits - 1)
}

func (d *delta) wrap(v int64) int64 {
	if d.width == 32 {
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

func (x *deltaInts) next(code []int32) error {
	var v [256]int64
	for len(code) > 0 {
		n := min(len(code), len(v))
		if err := x.delta.next(v[:n]); err != nil {
			return err
		}
		for i := range n {
			code[i] = int32(len(x.d.ints))
			x.d.ints = append(x.d.ints, v[i])
		}
		code = code[n:]
	}
	return nil
}

// deltaLengthBytes are byte strings behind the list of their lengths.
type deltaLengthBytes struct {
	lengths *delta
	b       []byte
	d       *dictionary
}

func newDeltaLengthBytes(b []byte, d *dictionary) (decoder, error) {
	lengths, text, err := withTail(b)
	return &deltaLengthBytes{lengths, text, d}, err
}

// withTail opens the differences of a page, and finds what lies behind them. A page of
// nulls alone has none of either.
func withTail(b []byte) (d *delta, tail []byte, err error) {
	if len(b) == 0 {
		return &delta{}, nil, nil
	}
	if d, err = newDelta(b, 32); err != nil {
		return nil, nil, err
	}
	walk := *d
	tail, err = walk.end()
	return d, tail, err
}

// one returns the next value.
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

func (x *deltaLengthBytes) next(code []int32) error {
	for i := range code {
		v, err := x.one()
		if err != nil {
			return err
		}
		if code[i], err = x.d.codeOfBytes(v); err != nil {
			return err
		}
	}
	return nil
}

// deltaBytes are byte strings each of which shares a prefix with the one
// before it: the list of the prefixes' lengths, then the rest of each.
type deltaBytes struct {
	prefixes *delta
	rest     deltaLengthBytes
	value    []byte
	d        *dictionary
}

func newDeltaBytes(b []byte, d *dictionary) (decoder, error) {
	prefixes, tail, err := withTail(b)
	if err != nil {
		return nil, err
	}
	lengths, text, err := withTail(tail)
	return &deltaBytes{prefixes: prefixes, rest: deltaLengthBytes{lengths, text, d}, d: d}, err
}

func (x *deltaBytes) next(code []int32) error {
	for i := range code {
		var n [1]int64
		if err := x.prefixes.next(n[:]); err != nil {
			return err
		}
		v, err := x.rest.one()
		if err != nil {
			return err
		}
		if n[0] < 0 || n[0] > int64(len(x.value)) {
			return meta.Damaged("a value shares more with the one before than that is long")
		}
		x.value = append(x.value[:n[0]], v...)
		if len(x.value) > maxValue {
			return meta.Unsupported("such a column is not categorical: group its values first",
				"a value of more than %d MiB", maxValue>>20)
		}
		if code[i], err = x.d.codeOfBytes(x.value); err != nil {
			return err
		}
	}
	return nil
}
