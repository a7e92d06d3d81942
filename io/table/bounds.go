package table

// Within reports whether all values are from 0 up to last. Two are looked at in a
// word: bit 31 of a lane stays where last, with that bit on top, is less a value
// that is in the bounds.
func Within(value []int32, last int32) bool {
	if last < 0 {
		return len(value) == 0
	}
	const top = 1<<63 | 1<<31
	limit := uint64(last)<<32 | uint64(last) | top
	below, within := uint64(0), uint64(top)
	for len(value) >= 8 {
		v := value[:8:8]
		a, b := pair(v[0], v[1]), pair(v[2], v[3])
		c, d := pair(v[4], v[5]), pair(v[6], v[7])
		below |= a | b | c | d
		within &= (limit - a) & (limit - b) & (limit - c) & (limit - d)
		value = value[8:]
	}
	for _, v := range value {
		below |= pair(v, 0)
		within &= limit - pair(v, 0)
	}
	return below&top == 0 && within&top == top
}

func pair(a, b int32) uint64 { return uint64(uint32(a)) | uint64(uint32(b))<<32 }
