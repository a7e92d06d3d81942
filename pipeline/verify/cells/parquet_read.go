package cells

import (
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

func (p *parquetFile) Open(unit int, l *Letters) (_ Reader, err error) {
	defer guard(&err, "row group %d cannot be decoded", unit+1)
	if !p.soundPages(unit) {
		return nil, errorf("row group %d has pages that do not hold its rows", unit+1)
	}
	c, err := p.reader.RowGroup(unit).Column(p.leaf)
	if err != nil {
		return nil, errorf("row group %d cannot be decoded", unit+1)
	}
	r := &parquetReader{chunk: c, letters: l, unit: unit, left: p.footer.items(4)[unit].num(3)}
	if p.null {
		r.level = make([]int16, batch)
	}
	return r, nil
}

// batch is how many rows are decoded at once.
const batch = 4096

type parquetReader struct {
	chunk   file.ColumnChunkReader
	letters *Letters
	unit    int
	left    int64
	level   []int16 // nil for a required column
	text    []parquet.ByteArray
	int32s  []int32
	int64s  []int64
	bools   []bool
}

// Next reads values, which stand without nulls, and spreads them by level.
func (r *parquetReader) Next(dst []int32) (n int, err error) {
	defer guard(&err, "row group %d cannot be decoded", r.unit+1)
	if r.left == 0 {
		return 0, io.EOF
	}
	want := min(int64(len(dst)), r.left, batch)
	rows, values, err := r.decode(want, dst)
	if err != nil || rows <= 0 || rows > want {
		return 0, errorf("row group %d cannot be decoded, or holds fewer rows than the footer says", r.unit+1)
	}
	r.left -= rows
	if r.level == nil {
		return int(rows), nil
	}
	at := values - 1
	for i := int(rows) - 1; i >= 0; i-- {
		if r.level[i] == 0 {
			dst[i] = r.letters.null
			continue
		}
		dst[i] = dst[at]
		at--
	}
	if at != -1 {
		return 0, errorf("row group %d has more values than rows", r.unit+1)
	}
	return int(rows), nil
}

// decode puts the letters of the values that are not null at the front of dst.
func (r *parquetReader) decode(want int64, dst []int32) (rows int64, values int, err error) {
	l := r.letters
	switch c := r.chunk.(type) {
	case *file.ByteArrayColumnChunkReader:
		r.text = slices.Grow(r.text[:0], batch)[:batch]
		rows, values, err = c.ReadBatch(want, r.text, r.level, nil)
		for i, v := range r.text[:values] {
			dst[i] = l.bytes(v)
		}
	case *file.Int32ColumnChunkReader:
		r.int32s = slices.Grow(r.int32s[:0], batch)[:batch]
		rows, values, err = c.ReadBatch(want, r.int32s, r.level, nil)
		for i, v := range r.int32s[:values] {
			if dst[i] = l.num(int64(v)); l.Type.Unsigned {
				dst[i] = l.num(int64(uint32(v)))
			}
		}
	case *file.Int64ColumnChunkReader:
		r.int64s = slices.Grow(r.int64s[:0], batch)[:batch]
		rows, values, err = c.ReadBatch(want, r.int64s, r.level, nil)
		for i, v := range r.int64s[:values] {
			dst[i] = l.num(v)
		}
	case *file.BooleanColumnChunkReader:
		r.bools = slices.Grow(r.bools[:0], batch)[:batch]
		rows, values, err = c.ReadBatch(want, r.bools, r.level, nil)
		for i, v := range r.bools[:values] {
			if dst[i] = l.num(0); v {
				dst[i] = l.num(1)
			}
		}
	}
	return rows, values, err
}
