package table

import "encoding/binary"

// A Recent remembers a number, such as a code or a letter, for values that were met lately:
// most columns hold few, and to look in a map takes longer.
type Recent [1 << recentBits]struct {
	key    uint64
	number int32
	full   bool
}

const (
	recentBits = 10
	spread     = 0x9e3779b97f4a7c15 // [Knuth 1998, 6.4]
)

// Get is the number of a key, which is a number itself or that of ShortKey.
func (r *Recent) Get(key uint64) (number int32, ok bool) {
	s := &r[key*spread>>(64-recentBits)]
	return s.number, s.full && s.key == key
}

// Put remembers the number of a key.
func (r *Recent) Put(key uint64, number int32) {
	s := &r[key*spread>>(64-recentBits)]
	s.key, s.number, s.full = key, number, true
}

// ShortKey is the key of a text; ok is false above 7 bytes.
func ShortKey(b []byte) (key uint64, ok bool) {
	if n := len(b); n <= 7 && cap(b) >= 8 {
		return binary.LittleEndian.Uint64(b[:8])&(1<<(8*n)-1) | uint64(n)<<56, true
	}
	return slowKey(b)
}

func slowKey(b []byte) (key uint64, ok bool) {
	if len(b) > 7 {
		return 0, false
	}
	var whole [8]byte
	copy(whole[:], b)
	return binary.LittleEndian.Uint64(whole[:]) | uint64(len(b))<<56, true
}
