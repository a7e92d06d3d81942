package estimate

import (
	"maps"
	"slices"
)

// A Counter counts keys: in an array, or those that occur.
type Counter struct {
	count []uint32         // by key, modulo 2^32; nil where keys are too many
	rest  map[uint64]int64 // by key: what count lacks
}

// NewCounter counts keys below a number, in an array where that is at most dense.
func NewCounter(keys, dense uint64) *Counter {
	c := &Counter{rest: map[uint64]int64{}}
	if keys <= dense {
		c.count = make([]uint32, keys)
	}
	return c
}

// Add counts keys once each.
func (c *Counter) Add(keys []uint64) {
	count := c.count
	if count == nil {
		for _, k := range keys {
			c.rest[k]++
		}
		return
	}
	for _, k := range keys {
		if count[k]++; count[k] == 0 {
			c.rest[k] += 1 << 32
		}
	}
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
