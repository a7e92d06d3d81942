package draw

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// header is the room before the parts of an ID: two bytes for the number of
// refused words and two for the letter.
const header = 4

// An ID names a record or a person by one or more parts. Each part is the
// canonical text of one cell, which is the same whatever file or integer width
// holds it: integers in plain decimal, dates as YYYY-MM-DD, false and true,
// text as its bytes. An ID is filled again for every record and belongs to one
// goroutine; the zero value is empty.
type ID struct{ b []byte }

// Reset empties the ID and keeps its memory.
func (id *ID) Reset() {
	if id.b == nil {
		id.b = make([]byte, header, 64)
	}
	id.b = id.b[:header]
}

// Part adds a part. Its length goes before it, so that no two lists of parts
// have the same bytes.
func (id *ID) Part(text []byte) {
	id.length(len(text))
	id.b = append(id.b, text...)
}

// Int adds the plain decimal of v.
func (id *ID) Int(v int64) {
	if v < 0 {
		id.decimal(true, -uint64(v))
	} else {
		id.decimal(false, uint64(v))
	}
}

// Uint adds the plain decimal of v.
func (id *ID) Uint(v uint64) { id.decimal(false, v) }

// decimal writes from the last digit on, four or two at a time.
func (id *ID) decimal(negative bool, v uint64) {
	n := digits(v)
	if negative {
		n++
	}
	id.length(n)
	from := len(id.b)
	if cap(id.b)-from < n {
		id.b = slices.Grow(id.b, n)
	}
	id.b = id.b[:from+n]
	text := id.b[from:]
	if negative {
		text[0] = '-'
	}
	for v >= 10_000 {
		four := v % 10_000
		v /= 10_000
		n -= 4
		binary.LittleEndian.PutUint16(text[n+2:], pairs[four%100])
		binary.LittleEndian.PutUint16(text[n:], pairs[four/100])
	}
	for ; v >= 10; v /= 100 {
		n -= 2
		if binary.LittleEndian.PutUint16(text[n:], pairs[v%100]); v < 100 {
			return
		}
	}
	text[n-1] = byte('0' + v)
}

// pairs are 00 to 99, as two bytes are stored.
var pairs = func() (p [100]uint16) {
	for i := range p {
		p[i] = uint16('0'+i/10) | uint16('0'+i%10)<<8
	}
	return p
}()

// digits is how many v has.
func digits(v uint64) int {
	v |= 1                          // changes no number of digits but that of 0, which has one
	n := bits.Len64(v) * 1233 >> 12 // log10(2) = 0.30103 > 1233/4096
	if n < len(powers) && v >= powers[n] {
		n++
	}
	return n
}

// powers are those of ten.
var powers = func() (p [20]uint64) {
	for i := range p {
		p[i] = 1
		for range i {
			p[i] *= 10
		}
	}
	return p
}()

// length is one byte below 255, else the byte 255 and four more.
func (id *ID) length(n int) {
	if len(id.b) < header {
		id.Reset()
	}
	if n < 255 {
		id.b = append(id.b, byte(n))
		return
	}
	if n > math.MaxUint32 {
		panic("draw: a part of an id exceeds 4 GiB")
	}
	id.b = binary.BigEndian.AppendUint32(append(id.b, 255), uint32(n))
}

// message is the header and the parts.
func (id *ID) message() []byte {
	if len(id.b) <= header {
		panic("draw: an id without parts")
	}
	return id.b
}
