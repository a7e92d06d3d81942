package page

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/parquet-go/bitpack"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// A hybrid decodes runs that are either one repeated value or bit-packed
// groups of eight: definition levels, dictionary indices and booleans.
// https://github.com/apache/parquet-format/blob/master/Encodings.md#RLE
//
// Groups are unpacked by package bitpack. Package encoding/rle of parquet-go 0.32
// is not used: it allocates all values of a run at once, 1 GB for six bytes, and
// a run that is repeated or packed in whole bytes need not be unpacked to be counted.
type hybrid struct {
	b      []byte // slack bytes of capacity lie behind
	width  uint   // 0 to 32
	left   int64  // values left in the run
	packed bool
	bools  bool     // a run of true may have 0xff for value, as parquet-go writes it
	value  int32    // of a repeated run
	group  [8]int32 // unpacked and not all handed out
	spare  int      // how many of group are left, at its end
}

// levelRuns takes the levels that a v1 page begins with and returns the rest.
func levelRuns(b []byte) (h hybrid, rest []byte, err error) {
	if len(b) < 4 {
		return h, nil, errPageEnd
	}
	n := binary.LittleEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return h, nil, errPageEnd
	}
	return hybrid{b: b[4 : 4+n], width: 1}, b[4+n:], nil
}

// next fills dst.
func (h *hybrid) next(dst []int32) error {
	if h.width == 0 {
		clear(dst)
		return nil
	}
	for len(dst) > 0 {
		if h.left == 0 {
			if err := h.open(); err != nil {
				return err
			}
			continue
		}
		n := int(min(int64(len(dst)), h.left))
		if h.packed {
			n = h.unpack(dst[:n])
		} else {
			for i := range dst[:n] {
				dst[i] = h.value
			}
		}
		h.left -= int64(n)
		dst = dst[n:]
	}
	return nil
}

// repeated consumes n values and returns true if they are all the same and of
// one run.
func (h *hybrid) repeated(n int) (value int32, ok bool, err error) {
	if h.width == 0 {
		return 0, true, nil
	}
	for h.left == 0 {
		if err := h.open(); err != nil {
			return 0, false, err
		}
	}
	if h.packed || h.left < int64(n) {
		return 0, false, nil
	}
	h.left -= int64(n)
	return h.value, true, nil
}

// open reads the header of the next run.
func (h *hybrid) open() error {
	head, n := binary.Uvarint(h.b)
	if n <= 0 {
		return errPageEnd
	}
	h.b = h.b[n:]
	count := head >> 1
	if count > math.MaxInt32 {
		return meta.Damaged("a run of values is too long")
	}
	h.packed, h.spare = head&1 == 1, 0
	if h.packed {
		// The last run may stop after the last value that is needed.
		h.left = min(int64(count)*8, int64(len(h.b))*8/int64(h.width))
		if h.left == 0 && count > 0 {
			return errPageEnd
		}
		return nil
	}
	size := int(h.width+7) / 8
	if len(h.b) < size {
		return errPageEnd
	}
	var le [4]byte
	copy(le[:], h.b[:size])
	h.value, h.left = int32(binary.LittleEndian.Uint32(le[:])), int64(count)
	h.b = h.b[size:]
	if h.bools && h.value == 0xff {
		h.value = 1
	}
	if h.width < 32 && uint32(h.value)>>h.width != 0 {
		return meta.Damaged("a repeated value is wider than its bit width")
	}
	return nil
}

// unpack hands out values of the bit-packed run, at most len(dst), of which
// there are enough.
func (h *hybrid) unpack(dst []int32) int {
	if h.spare > 0 {
		n := copy(dst, h.group[8-h.spare:])
		h.spare -= n
		return n
	}
	groups := min(len(dst)/8, len(h.b)/int(h.width))
	if groups > 0 {
		bitpack.Unpack(dst[:groups*8], h.b, h.width)
		h.b = h.b[groups*int(h.width):]
		return groups * 8
	}
	var one [32 + slack]byte
	n := copy(one[:], h.b[:min(int(h.width), len(h.b))])
	bitpack.Unpack(h.group[:], one[:], h.width)
	h.b = h.b[n:]
	n = copy(dst, h.group[:])
	h.spare = 8 - n
	return n
}

// legacyLevels turns levels in the deprecated BIT_PACKED encoding, most
// significant bit first and without a length, into runs; it returns the rest
// of the page.
func legacyLevels(b []byte, values int64) (h hybrid, rest []byte, err error) {
	n := (values + 7) / 8
	if n > int64(len(b)) {
		return h, nil, errPageEnd
	}
	runs := binary.AppendUvarint(make([]byte, 0, n+10+slack), uint64(n)<<1|1)
	for _, c := range b[:n] {
		runs = append(runs, bits.Reverse8(c))
	}
	return hybrid{b: runs, width: 1}, b[n:], nil
}

var errPageEnd = meta.Damaged("a page ends early")
