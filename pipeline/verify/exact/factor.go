package exact

import "math/big"

// Shared are the counts by letter, with those of letters that share one row all at the
// first of them: what rows add up to is then found row by row.
func Shared(rows []Row, count []int64) []int64 {
	sum, first := make([]int64, len(rows)), map[*int32]int{}
	for x, r := range rows {
		if len(r.Output) == 0 {
			continue
		}
		at, known := first[&r.Output[0]]
		if !known {
			at = x
			first[&r.Output[0]] = x
		}
		sum[at] += count[x]
	}
	return sum
}

// Factors computes e^l(y) = n max_x p(y|x) / sum_k c_k p(y|k) of every output
// over the letters with records, as fractions, not to be changed; nil where y is never
// produced.
// All rows are brought to one denominator, the least common multiple of their
// totals.
func Factors(rows []Row, count []int64, total int64, outputs int) []*big.Rat {
	common := big.NewInt(1)
	for x, r := range rows {
		if count[x] > 0 {
			d := big.NewInt(r.Total)
			common.Mul(common, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, common, d)))
		}
	}
	type top struct{ w, d int64 }
	peak, sum := make([]top, outputs), make([]*big.Int, outputs)
	scale, term := new(big.Int), new(big.Int)
	records := Shared(rows, count)
	for x, r := range rows {
		if records[x] == 0 {
			continue
		}
		scale.Quo(common, scale.SetInt64(r.Total)).Mul(scale, term.SetInt64(records[x]))
		for i, y := range r.Output {
			w := r.Weight[i]
			if sum[y] == nil {
				sum[y], peak[y] = new(big.Int), top{w, r.Total}
			}
			sum[y].Add(sum[y], term.Mul(scale, term.SetInt64(w)))
			if Less(peak[y].w, r.Total, w, peak[y].d) {
				peak[y] = top{w, r.Total}
			}
		}
	}
	f, last := make([]*big.Rat, outputs), -1
	for y := range f {
		if sum[y] == nil {
			continue
		}
		if last >= 0 && peak[last] == peak[y] && sum[last].Cmp(sum[y]) == 0 { // as of outputs of one block
			f[y] = f[last]
			continue
		}
		last = y
		num := new(big.Int).Mul(big.NewInt(total), big.NewInt(peak[y].w))
		den := new(big.Int).Mul(sum[y], big.NewInt(peak[y].d))
		f[y] = new(big.Rat).SetFrac(num.Mul(num, common), den)
	}
	return f
}
