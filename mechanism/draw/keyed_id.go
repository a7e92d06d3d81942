package draw

import (
	"encoding/binary"
	"math"
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

// Bytes are those of the parts, good until the ID is filled again.
func (id *ID) Bytes() []byte { return id.message()[header:] }

// message is the header and the parts.
func (id *ID) message() []byte {
	if len(id.b) <= header {
		panic("draw: an id without parts")
	}
	return id.b
}
