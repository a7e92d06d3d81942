// Package scatter counts keys in arrays that are larger than a processor's
// caches, part by part.
package scatter

// Direct is the size up to which an array is counted in as it is.
const Direct = 1 << 17

const (
	// partBits is the width of a part, which fits the nearest caches; a block
	// of keys is held for each until it is full.
	partBits, blockBits = 12, 10
)

// A Counter counts keys. What it holds back is in its array after Flush.
type Counter struct {
	count []uint32
	held  []uint16 // a block for each part; nil where the array is small
	full  []int32  // by part: keys held
	late  bool     // some may be held
}

// New counts in an array, by key. Nobody else may change it between Add and
// Flush, and no count may pass 2^32.
func New(count []uint32) *Counter {
	c := &Counter{count: count}
	if len(count) > Direct {
		parts := (len(count)-1)>>partBits + 1
		c.held, c.full = make([]uint16, parts<<blockBits), make([]int32, parts)
	}
	return c
}

// Add counts keys, which are below the length of the array.
func (c *Counter) Add(keys []uint32) {
	if c.held == nil {
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
	for part, n := range c.full {
		c.spill(uint32(part), n)
	}
	clear(c.full)
}
