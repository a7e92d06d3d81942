package page

import (
	"encoding/binary"
	"slices"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// width is how many bytes a value takes, 0 where that is not fixed.
func (d *dictionary) width() int {
	switch d.physical {
	case meta.Int32, meta.Float:
		return 4
	case meta.Int64, meta.Float64:
		return 8
	case meta.FixedLen:
		return d.length
	}
	return 0
}

// bytewise reports whether values are bytes, not numbers.
func (d *dictionary) bytewise() bool {
	return d.physical == meta.ByteArray || d.physical == meta.FixedLen
}

// add appends a value of bytes.
func (d *dictionary) add(v []byte) {
	d.at = append(d.at, uint32(len(d.text)))
	d.text = append(binary.LittleEndian.AppendUint32(d.text, uint32(len(v))), v...)
}

// looseBytes gives a value a code of its own.
func (d *dictionary) looseBytes(v []byte) (int32, error) {
	if len(v) > maxValue || len(d.text)-d.entries+len(v) > maxText {
		return 0, meta.Unsupported("write it with shorter values",
			"values of %d MiB in all or one of %d MiB are not supported", maxText>>20, maxValue>>20)
	}
	d.add(v)
	return int32(len(d.at) - 1), nil
}

// looseInts gives numbers of 4 or 8 bytes a code of its own each.
func (d *dictionary) looseInts(b []byte, width int, code []int32) {
	from := len(d.ints)
	d.ints = slices.Grow(d.ints, len(code))[:from+len(code)]
	to := d.ints[from:]
	if width == 8 {
		for i := range to {
			to[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
	} else {
		for i := range to {
			to[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
		}
	}
	for i := range code {
		code[i] = int32(from + i)
	}
}

// forget drops the values that stand outside the dictionary page.
func (d *dictionary) forget() {
	switch {
	case d.bytewise():
		d.at, d.text = d.at[:d.fixed], d.text[:d.entries]
	case d.physical != meta.Boolean:
		d.ints = d.ints[:d.fixed]
	}
}

// plainFixed are values of a fixed number of bytes.
type plainFixed struct {
	b []byte
	d *dictionary
}

func (p *plainFixed) next(code []int32) (err error) {
	width := p.d.width()
	if width == 0 || len(p.b)/width < len(code) {
		return errPageEnd
	}
	for i := range code {
		if code[i], err = p.d.codeOfBytes(p.b[i*width : (i+1)*width]); err != nil {
			return err
		}
	}
	p.b = p.b[len(code)*width:]
	return nil
}
