package mechanism

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// prime is below 2^61 and is not the one that the report was made with: a rank
// modulo either is the true one but for a chance of about 10^-18.
const prime = 1<<61 - 31

// CheckAnalysts recomputes what can be estimated from the output: the rank of
// the rows, and the letters that are a combination of columns on their own.
func CheckAnalysts(v *document.View) {
	const name = "analysts"
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	laws := v.Laws
	var w document.Faults
	hidden := len(laws) > 1 && !v.Report.Bool("strata.published")
	if v.Groups == nil || hidden || v.Total == 0 || len(laws)*n*m > 1<<16 || v.Report.Earlier() > 0 {
		v.Expect(&w, Figures{name: nil})
		v.Settle(name, w, "nothing is said of what can be estimated")
		return
	}
	// The share of a letter can be estimated where each mechanism gives it.
	rank, alone, lone := n, 0, make([]int, n)
	for _, rows := range laws {
		k, free := identify(rows, m)
		rank = min(rank, k)
		for x, ok := range free {
			if ok {
				lone[x]++
			}
		}
	}
	for _, k := range lone {
		if k == len(laws) {
			alone++
		}
	}
	v.Expect(&w, Figures{name: Figures{"letters": n, "rank": rank, "estimable": alone}})
	v.Settle(name, w, "rank %d of %d; the share of %d values can be estimated", rank, n, alone)
}

// identify appends the identity to the rows and eliminates: what is left of it
// beside zero rows are the combinations of letters that no output sees, and a
// letter stands alone where none of them has it.
func identify(rows []exact.Row, m int) (rank int, alone []bool) {
	n := len(rows)
	row := make([][]uint64, n)
	for x, r := range rows {
		row[x] = make([]uint64, m+n)
		for i, y := range r.Output {
			row[x][y] = uint64(r.Weight[i]) % prime
		}
		row[x][m+x] = 1
	}
	for y := 0; y < m && rank < n; y++ {
		at := rank
		for at < n && row[at][y] == 0 {
			at++
		}
		if at == n {
			continue
		}
		row[rank], row[at] = row[at], row[rank]
		top := row[rank]
		inv := power(top[y], prime-2)
		for _, r := range row[rank+1:] {
			if r[y] == 0 {
				continue
			}
			f := prime - product(r[y], inv)
			for k := y; k < m+n; k++ {
				if top[k] != 0 {
					r[k] = (r[k] + product(top[k], f)) % prime
				}
			}
		}
		rank++
	}
	alone = make([]bool, n)
	for x := range n {
		alone[x] = true
		for _, r := range row[rank:] {
			alone[x] = alone[x] && r[m+x] == 0
		}
	}
	return rank, alone
}

func product(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, prime)
}

func power(a, e uint64) uint64 {
	out := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			out = product(out, a)
		}
		a = product(a, a)
	}
	return out
}
