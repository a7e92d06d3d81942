package estimate

const (
	// Direct is the size up to which an array is counted in as it is.
	Direct = 1 << 17
	// narrow is the size up to which a byte for each count fits the caches.
	narrow = 1 << 20
)

const (
	// partBits is the width of a part, which fits the nearest caches; a block
	// of keys is held for each until it is full.
	partBits, blockBits = 12, 10
)

// A Counter counts keys. What it holds back is in its array after Flush.
type Counter struct {
	count []uint32
	low   []uint8  // counts mod 256, which count lacks; nil where held or none serves
	held  []uint16 // a block for each part; nil where the array is small
	full  []int32  // by part: keys held
	late  bool     // some may be held
}

// NewCounter counts in an array, by key. Nobody else may change it between Add and
// Flush, and no count may pass 2^32.
func NewCounter(count []uint32) *Counter {
	c := &Counter{count: count}
	switch {
	case len(count) <= Direct:
	case len(count) <= narrow:
		c.low = make([]uint8, len(count))
	default:
		parts := (len(count)-1)>>partBits + 1
		c.held, c.full = make([]uint16, parts<<blockBits), make([]int32, parts)
	}
	return c
}

// Add counts keys, which are below the length of the array.
func (c *Counter) Add(keys []uint32) {
	switch {
	case c.low != nil:
		c.addLow(keys)
		return
	case c.held == nil:
		for _, k := range keys {
			c.count[k]++
		}
		return
	}
	c.late = true
	for _, k := range keys {
		part := k >> partBits
		n := c.full[part]
		c.held[part<<blockBits|uint32(n)] = uint16(k)
		if n++; n == 1<<blockBits {
			c.spill(part, n)
			n = 0
		}
		c.full[part] = n
	}
}

func (c *Counter) addLow(keys []uint32) {
	c.late = true
	low, count := c.low, c.count[:len(c.low)]
	for _, k := range keys {
		n := low[k] + 1
		if low[k] = n; n == 0 {
			count[k] += 1 << 8
		}
	}
}

// spill counts n keys of a part.
func (c *Counter) spill(part uint32, n int32) {
	own := c.count[part<<partBits:]
	for _, k := range c.held[part<<blockBits:][:n] {
		own[k&(1<<partBits-1)]++
	}
}

// Flush counts what is held.
func (c *Counter) Flush() {
	if !c.late {
		return
	}
	c.late = false
	for k, n := range c.low {
		c.count[k] += uint32(n)
	}
	clear(c.low)
	for part, n := range c.full {
		c.spill(uint32(part), n)
	}
	clear(c.full)
}
