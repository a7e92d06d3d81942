package exact

import (
	"math/big"
	"math/bits"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A Row is the law of one input letter.
type Row = files.Row

// Less reports a b < c d, for numbers that are not negative.
func Less(a, b, c, d int64) bool {
	h, l := bits.Mul64(uint64(a), uint64(b))
	k, m := bits.Mul64(uint64(c), uint64(d))
	return h < k || h == k && l < m
}

// Smoothed adds a share of a record to every count, all brought to whole
// numbers.
func Smoothed(count []int64, text string) ([]int64, bool) {
	a, ok := Share(text)
	if !ok || !a.Num().IsInt64() || !a.Denom().IsInt64() {
		return nil, false
	}
	out := make([]int64, len(count))
	for x, c := range count {
		n := new(big.Int).Mul(big.NewInt(c), a.Denom())
		if n.Add(n, a.Num()); n.BitLen() > 46 {
			return nil, false
		}
		out[x] = n.Int64()
	}
	return out, true
}

// Most is the largest factor, 1 where there is none.
func Most(rows []Row, count []int64, total int64, outputs int) *big.Rat {
	return Largest(Factors(rows, count, total, outputs))
}

// Largest is the largest factor of any output, 1 where there is none.
func Largest(factor []*big.Rat) *big.Rat {
	most := big.NewRat(1, 1)
	for _, f := range factor {
		if f != nil && f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}
