package files

const (
	// recentBits is the logarithm of how many values a reader remembers.
	recentBits = 10
	// shortText is how many bytes of a text fit beside their number into a word.
	shortText = 7
)

// A recent has the letters of values that were met lately: most columns hold few, and
// to compare a word takes less than to look in a map. A nil one remembers nothing.
type recent struct {
	key    [1 << recentBits]uint64
	letter [1 << recentBits]int32
	full   [1 << recentBits]bool
}

// look is what r remembers, from the first batch on that is worth the room. Ids have
// no letters that could be met again.
func (r *parquetReader) look(rows int64) *recent {
	if r.recent == nil && rows >= 1<<recentBits && r.letters.texts == nil {
		r.recent = &recent{}
	}
	return r.recent
}

// at is where a word is remembered [Knuth 1998, 6.4: multiplicative hashing].
func at(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> (64 - recentBits) }

// bytes is l.bytes.
func (c *recent) bytes(v []byte, l *Letters) int32 {
	if c == nil || len(v) > shortText {
		return l.bytes(v)
	}
	key := uint64(len(v)) << 56
	for i, b := range v {
		key |= uint64(b) << (8 * i)
	}
	i := at(key)
	if !c.full[i] || c.key[i] != key {
		c.key[i], c.letter[i], c.full[i] = key, l.bytes(v), true
	}
	return c.letter[i]
}

// num is l.num.
func (c *recent) num(v int64, l *Letters) int32 {
	if c == nil {
		return l.num(v)
	}
	i := at(uint64(v))
	if !c.full[i] || c.key[i] != uint64(v) {
		c.key[i], c.letter[i], c.full[i] = uint64(v), l.num(v), true
	}
	return c.letter[i]
}
