package estimate

import (
	"fmt"
	"math"
	"slices"
)

// Counts are the records of each letter.
type Counts struct{ count []int64 }

// CountsOf copies a histogram whose index is the letter. It fails on a negative
// count and on a total that an int64 does not hold.
func CountsOf(count []int64) (*Counts, error) {
	total := int64(0)
	for x, k := range count {
		if k < 0 || k > math.MaxInt64-total {
			return nil, fmt.Errorf("counts: letter %d has the count %d, which is negative or too large", x, k)
		}
		total += k
	}
	return &Counts{slices.Clone(count)}, nil
}

// Place moves letter x to at[x] in a domain of more letters, as a declared
// domain does; the others have count zero. It fails if at does not give every
// letter a place of its own.
func (c *Counts) Place(domain int, at []int32) (*Counts, error) {
	if len(at) != len(c.count) {
		return nil, fmt.Errorf("counts: %d places for %d letters", len(at), len(c.count))
	}
	d := &Counts{make([]int64, domain)}
	taken := make([]bool, domain)
	for x, y := range at {
		if y < 0 || int(y) >= domain || taken[y] {
			return nil, fmt.Errorf("counts: place %d of letter %d is outside a domain of %d or taken", y, x, domain)
		}
		taken[y] = true
		d.count[y] = c.count[x]
	}
	return d, nil
}

// Letters is N.
func (c *Counts) Letters() int { return len(c.count) }

// Count is the number of records of letter x.
func (c *Counts) Count(x int) int64 { return c.count[x] }

// Counts returns a copy, by letter.
func (c *Counts) Counts() []int64 { return slices.Clone(c.count) }

// Total is the number of records with a letter.
func (c *Counts) Total() int64 {
	total := int64(0)
	for _, k := range c.count {
		total += k
	}
	return total
}
