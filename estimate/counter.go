package estimate

import (
	"maps"
	"slices"
)

const (
	// direct is the size up to which an array is counted in as it is.
	direct = 1 << 17
	// partBits is the width of a part of a larger one, which fits the nearest caches; a block
	// of keys is held for each until it is full.
	partBits, blockBits = 12, 10
)

// A Counter counts keys: in an array, or those that occur.
type Counter struct {
	count []uint32         // by key, modulo 2^32; nil where keys are too many
	rest  map[uint64]int64 // by key: what count lacks
	held  []uint16         // a block for each part; nil where the array is small
	full  []int32          // by part: keys held
	late  bool             // some may be held
}

// NewCounter counts keys below a number, in an array where that is at most dense.
func NewCounter(keys, dense uint64) *Counter {
	c := &Counter{rest: map[uint64]int64{}}
	if keys > dense {
		return c
	}
	c.count = make([]uint32, keys)
	if keys > direct {
		parts := (keys-1)>>partBits + 1
		c.held, c.full = make([]uint16, parts<<blockBits), make([]int32, parts)
	}
	return c
}

// Add counts keys once each.
func (c *Counter) Add(keys []uint64) {
	switch {
	case c.count == nil:
		for _, k := range keys {
			c.rest[k]++
		}
		return
	case c.held == nil:
		count := c.count
		for _, k := range keys {
			if count[k]++; count[k] == 0 {
				c.rest[k] += 1 << 32
			}
		}
		return
	}
	c.late = true
	for _, k := range keys {
		part := k >> partBits
		n := c.full[part]
		c.held[part<<blockBits|uint64(n)] = uint16(k)
		if n++; n == 1<<blockBits {
			c.spill(part, n)
			n = 0
		}
		c.full[part] = n
	}
}

// spill counts n keys of a part.
func (c *Counter) spill(part uint64, n int32) {
	own := c.count[part<<partBits:]
	for _, k := range c.held[part<<blockBits:][:n] {
		k &= 1<<partBits - 1
		if own[k]++; own[k] == 0 {
			c.rest[part<<partBits|uint64(k)] += 1 << 32
		}
	}
}

// flush counts what is held.
func (c *Counter) flush() {
	if !c.late {
		return
	}
	c.late = false
	for part, n := range c.full {
		c.spill(uint64(part), n)
	}
	clear(c.full)
}

// AddCounted counts a key n times.
func (c *Counter) AddCounted(key uint64, n int64) {
	if c.count != nil {
		sum := int64(c.count[key]) + n
		c.count[key] = uint32(sum)
		n = sum - int64(uint32(sum))
	}
	if n > 0 {
		c.rest[key] += n
	}
}

// Merge adds what d counted.
func (c *Counter) Merge(d *Counter) {
	for k, n := range d.All {
		c.AddCounted(k, n)
	}
}

// Count is how often a key was counted.
func (c *Counter) Count(key uint64) int64 {
	c.flush()
	n := int64(0)
	if c.count != nil {
		n = int64(c.count[key])
	}
	if len(c.rest) > 0 {
		n += c.rest[key]
	}
	return n
}

// All are the keys that were counted, in their order, and how often.
func (c *Counter) All(yield func(key uint64, n int64) bool) {
	c.flush()
	for k := range c.count {
		if n := c.Count(uint64(k)); n > 0 && !yield(uint64(k), n) {
			return
		}
	}
	if c.count != nil {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(c.rest)) {
		if !yield(k, c.rest[k]) {
			return
		}
	}
}
