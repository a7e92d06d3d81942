package page

import (
	"io"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// stretch is how many values are counted between two looks at the caller.
const stretch = 1 << 16

// Count counts the next codes of the chunk, as many as suits it, and returns
// io.EOF behind the last one: count[0] nulls, count[c+1] times code c. It
// returns count, longer where codes are new. Count and Next read the same
// stream.
func (x *Reader) Count(count []int64) ([]int64, error) {
	if x.left == 0 {
		return count, io.EOF
	}
	for x.page == 0 {
		if err := x.open(); err != nil {
			return count, x.fault(err)
		}
	}
	count = x.lengthen(count)
	n, err := x.countPacked(count)
	if n == 0 && err == nil {
		if x.code == nil {
			x.code = make([]int32, block)
		}
		n = min(x.page, block)
		if err = x.some(x.code[:n]); err == nil {
			count = x.lengthen(count)
			countCodes(count, x.code[:n])
		}
	}
	if err != nil {
		return count, x.fault(err)
	}
	x.page -= n
	x.left -= n
	return count, nil
}

func (x *Reader) lengthen(count []int64) []int64 {
	if grow := x.Codes() + 1 - len(count); grow > 0 {
		count = append(count, make([]int64, grow)...)
	}
	return count
}

// few codes, null among them, are so few that one often follows itself.
const few = 256

// countCodes counts neighbours among few codes apart, so that no increment
// waits for the one before.
func countCodes(count []int64, code []int32) {
	if len(count) > few {
		for _, c := range code {
			count[c+1]++
		}
		return
	}
	var part [4][few]uint32
	for len(code) >= 4 {
		c := code[:4:4]
		part[0][uint8(c[0]+1)]++
		part[1][uint8(c[1]+1)]++
		part[2][uint8(c[2]+1)]++
		part[3][uint8(c[3]+1)]++
		code = code[4:]
	}
	for _, c := range code {
		part[0][uint8(c+1)]++
	}
	for i := range count {
		count[i] += int64(part[0][i]) + int64(part[1][i]) + int64(part[2][i]) + int64(part[3][i])
	}
}

// countPacked counts dictionary indices as they are packed, by whole bytes,
// where they fill bytes and none is null. It answers how many values it
// counted, 0 where the next ones are of another kind. Writers begin a new run
// after some hundred values, so it goes from run to run.
func (x *Reader) countPacked(count []int64) (n int64, err error) {
	d, ok := x.decode.(*indices)
	if !ok || d.runs.width == 0 || 8%d.runs.width != 0 {
		return 0, nil
	}
	most := min(x.page, stretch)
	if x.chunk.Optional {
		same, err := x.defined.ahead()
		if err != nil || x.defined.packed || x.defined.value != 1 {
			return 0, err
		}
		most = min(most, same)
	}
	var seen [4][256]uint32
	for n < most {
		left, err := d.runs.ahead()
		if err != nil {
			return 0, err
		}
		m := min(most-n, left) &^ 7
		if !d.runs.packed || d.runs.spare > 0 || m == 0 {
			break
		}
		size := int(m) / 8 * int(d.runs.width)
		countBytes(&seen, d.runs.b[:size])
		d.runs.b = d.runs.b[size:]
		d.runs.left -= m
		n += m
	}
	if x.chunk.Optional {
		x.defined.left -= n
	}
	if n == 0 {
		return 0, nil
	}
	return n, d.unfold(count[1:], &seen)
}

// ahead is how many values are left in the run at hand, at least one.
func (h *hybrid) ahead() (int64, error) {
	for h.left == 0 {
		if err := h.open(); err != nil {
			return 0, err
		}
	}
	return h.left, nil
}

// countBytes counts neighbours apart, like countCodes.
func countBytes(seen *[4][256]uint32, b []byte) {
	for len(b) >= 4 {
		c := b[:4:4]
		seen[0][c[0]]++
		seen[1][c[1]]++
		seen[2][c[2]]++
		seen[3][c[3]]++
		b = b[4:]
	}
	for _, c := range b {
		seen[0][c]++
	}
}

// unfold counts the indices that the bytes hold.
func (x *indices) unfold(count []int64, seen *[4][256]uint32) error {
	mask := 1<<x.runs.width - 1
	for v := range 256 {
		k := int64(seen[0][v]) + int64(seen[1][v]) + int64(seen[2][v]) + int64(seen[3][v])
		if k == 0 {
			continue
		}
		for shift := uint(0); shift < 8; shift += x.runs.width {
			code := v >> shift & mask
			if uint32(code) >= x.size {
				return meta.Damaged("a page refers to an entry that the dictionary does not have")
			}
			count[code] += k
		}
	}
	return nil
}
