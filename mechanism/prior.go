package mechanism

import (
	"fmt"
	"math"
	"math/big"
)

// A Prior is the law P_X of the private letter, held as counts so that every
// probability is the exact fraction Count(x)/Total(). Letters may have count
// zero: they belong to the domain but were not seen.
type Prior struct {
	count []int64
	total int64
}

// NewPrior copies count, whose index is the letter. It fails on an empty
// alphabet, a negative count, and a total beyond 2^62 (so that twice the total
// still fits an int64). A total of zero is the prior of an empty file.
func NewPrior(count []int64) (Prior, error) {
	if len(count) == 0 {
		return Prior{}, fmt.Errorf("prior: no letters")
	}
	p := Prior{count: append([]int64(nil), count...)}
	for x, c := range count {
		if c < 0 {
			return Prior{}, fmt.Errorf("prior: letter %d has the negative count %d", x, c)
		}
		if c > math.MaxInt64/2-p.total {
			return Prior{}, fmt.Errorf("prior: total count exceeds 2^62")
		}
		p.total += c
	}
	return p, nil
}

// Letters is N, the size of the alphabet.
func (p Prior) Letters() int { return len(p.count) }

// Count is the number of records that hold letter x.
func (p Prior) Count(x int) int64 { return p.count[x] }

// Total is n, the number of records.
func (p Prior) Total() int64 { return p.total }

// Counts returns a copy of the counts by letter.
func (p Prior) Counts() []int64 { return append([]int64(nil), p.count...) }

// Probability is P_X(x) as an exact fraction; nil when the total is zero.
func (p Prior) Probability(x int) *big.Rat {
	if p.total == 0 {
		return nil
	}
	return big.NewRat(p.count[x], p.total)
}

// Least returns the smallest positive count and its letter, (-1, 0) when
// every count is zero.
func (p Prior) Least() (x int, count int64) {
	x = -1
	for i, c := range p.count {
		if c > 0 && (x < 0 || c < count) {
			x, count = i, c
		}
	}
	return x, count
}

// Most returns the largest count and its letter, (-1, 0) when every count is
// zero.
func (p Prior) Most() (x int, count int64) {
	x = -1
	for i, c := range p.count {
		if c > count {
			x, count = i, c
		}
	}
	return x, count
}
