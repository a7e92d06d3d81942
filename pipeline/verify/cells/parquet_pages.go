package cells

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// scanPages walks the pages of a private chunk.
func (p *parquetFile) scanPages(out *problems, l *Letters, g int, meta *node) {
	at, size := span(meta)
	if meta.num(4) != 0 {
		out.addf("row group %d: the private chunk is compressed, which is never written", g+1)
		return
	}
	in := io.NewSectionReader(p.in, at, size)
	chunk := make([]byte, size)
	if _, err := io.ReadFull(in, chunk); err != nil {
		out.addf("row group %d: the chunk lies outside the file", g+1)
		return
	}
	for n := 1; len(chunk) > 0; n++ {
		head, used := parseThrift(chunk)
		body := chunk[used : used+int(head.num(3))]
		chunk = chunk[used+len(body):]
		switch crc := head.get(4); {
		case crc == nil:
			out.addf("row group %d page %d has no checksum", g+1, n)
		case uint32(crc.number) != crc32.ChecksumIEEE(body):
			out.addf("row group %d page %d does not match its checksum", g+1, n)
		}
		if head.get(5).get(5) != nil || head.get(8).get(8) != nil {
			out.addf("row group %d page %d has statistics", g+1, n)
		}
		switch head.num(1) {
		case 0:
			data := head.get(5)
			if !p.filled(body, int(data.num(1)), data.num(2) == 8) {
				out.addf("row group %d page %d holds more than the values of its rows", g+1, n)
			}
		case 2:
			if !p.outputsOnly(body, int(head.get(7).num(1)), l) {
				out.addf("row group %d: the dictionary holds a value that is no output", g+1)
			}
		default:
			out.addf("row group %d page %d is of a kind that is never written", g+1, n)
		}
	}
}

// outputsOnly reports whether a dictionary page holds count letters of the
// alphabet, PLAIN, and nothing else.
func (p *parquetFile) outputsOnly(b []byte, count int, l *Letters) bool {
	for range count {
		var letter int32
		switch physical := p.footer.items(4)[0].items(1)[p.leaf].get(3).num(1); physical {
		case 1: // INT32
			v := int32(binary.LittleEndian.Uint32(b))
			if letter = l.num(int64(v)); l.Type.Unsigned {
				letter = l.num(int64(uint32(v)))
			}
			b = b[4:]
		case 2: // INT64
			letter = l.num(int64(binary.LittleEndian.Uint64(b)))
			b = b[8:]
		case 6: // BYTE_ARRAY
			n := binary.LittleEndian.Uint32(b)
			letter = l.bytes(b[4 : 4+n])
			b = b[4+n:]
		default:
			return false
		}
		if letter == Stranger {
			return false
		}
	}
	return len(b) == 0
}

// filled reports whether a data page holds the levels and values of its rows
// and nothing else: dictionary indices, or booleans bit by bit.
func (p *parquetFile) filled(b []byte, rows int, indices bool) bool {
	values := rows
	if p.null {
		size := int(binary.LittleEndian.Uint32(b))
		if values = runs(b[4:4+size], 1, rows); values < 0 {
			return false
		}
		b = b[4+size:]
	}
	if !indices {
		return len(b) == (values+7)/8 && zeros(b, values)
	}
	return runs(b[1:], int(b[0]), values) >= 0
}

// runs counts the ones among count values of some bits, in runs and in groups
// of eight as Parquet packs them; -1 where b holds anything else.
func runs(b []byte, width, count int) (ones int) {
	for count > 0 {
		head, n := binary.Uvarint(b)
		if n <= 0 {
			return -1
		}
		b = b[n:]
		if head&1 == 0 {
			size := (width + 7) / 8
			run := int(head >> 1)
			if run > count || run == 0 || len(b) < size {
				return -1
			}
			if size > 0 && b[0] == 1 {
				ones += run
			}
			b, count = b[size:], count-run
			continue
		}
		values := int(head>>1) * 8
		size := values / 8 * width
		run := min(values, count)
		if values == 0 || values-run >= 8 || len(b) < size || !zeros(b[:size], run*width) {
			return -1
		}
		for i := 0; width == 1 && i < run; i++ {
			ones += int(b[i/8] >> (i % 8) & 1)
		}
		b, count = b[size:], count-run
	}
	if len(b) > 0 {
		return -1
	}
	return ones
}

// zeros reports whether all bits from the first used on are 0.
func zeros(b []byte, used int) bool {
	for i := used; i < 8*len(b); i++ {
		if b[i/8]>>(i%8)&1 != 0 {
			return false
		}
	}
	return true
}
